import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAC_HOSTS } from '../../../../kinds/mac-host.ts';
import { MACHINE_TEMPLATES } from '../../../../kinds/machine-template.ts';
import { ALL_POLICIES } from '../../../../kinds/policies/all-policies.ts';
import { toAdmissionObjects } from '../../../../kinds/policies/policy.ts';
import { GUARDED_REQUESTS } from '../../../../kinds/testing/policy-requests.ts';
import { TEMPLATE_UPDATES } from '../../../../kinds/testing/template-updates.ts';
import { CONFIG_MAPS } from '../../../../kube/types/core.ts';
import type { KubeObject } from '../../../../kube/types/meta.ts';
import type { Resource } from '../../../../kube/types/resource.ts';
import { createAccessWorld } from '../../../auth/testing/access-world.ts';
import { parseStoredObject } from '../../../store/object.ts';
import type { Write } from '../../gate.ts';
import { ApiRefusal } from '../../refusal.ts';
import { binding, match, NO, policy, REFUSED, type Request, ROWS, rule, validate } from '../testing/policy-rows.ts';

const GROUP = 'admissionregistration.k8s.io';
const POLICY_RESOURCE: Resource<KubeObject> = {
  ...{
    group: GROUP,
    version: 'v1',
    kind: 'ValidatingAdmissionPolicy',
    plural: 'validatingadmissionpolicies',
    scope: 'Cluster',
  },
};

const createPolicyWorld = (resource: Resource<KubeObject>) => {
  const { gate, put } = createAccessWorld();
  const place = (object: { readonly kind: string }): void => {
    put(
      `${GROUP}/${object.kind === 'ValidatingAdmissionPolicy' ? POLICY_RESOURCE.plural : 'validatingadmissionpolicybindings'}`,
      object,
    );
  };
  const grant = (verbs: readonly string[]): void => {
    const rules = verbs.map((verb) => {
      const [name = '', word = ''] = verb.split(':');
      return { apiGroups: [resource.group], resources: [resource.plural], resourceNames: [name], verbs: [word] };
    });
    put('rbac.authorization.k8s.io/clusterroles', { metadata: { name: 'row' }, rules });
    put('rbac.authorization.k8s.io/clusterrolebindings', {
      ...{ metadata: { name: 'row' }, roleRef: { kind: 'ClusterRole', name: 'row' } },
      subjects: [{ kind: 'User', name: 'row' }],
    });
  };
  const send = (
    request: Request,
  ): { readonly refusal: ApiRefusal | undefined; readonly warnings: readonly string[] } => {
    grant(request.verbs ?? []);
    const warnings: string[] = [];
    const old = request.oldObject === undefined ? undefined : parseStoredObject(request.oldObject);
    const object = request.object === undefined ? undefined : parseStoredObject(request.object);
    const write: Write = {
      ...{ operation: request.operation, resource, object, old, isDryRun: request.dryRun === true },
      ...{ subresource: request.subresource ?? '', namespace: request.namespace ?? '' },
      name: (object ?? old)?.metadata.name ?? '',
      user: { name: request.user ?? 'row', groups: ['system:authenticated'] },
      warn: (text) => warnings.push(text),
    };
    try {
      gate.validate(write);
      return { refusal: undefined, warnings };
    } catch (thrown) {
      assert.ok(thrown instanceof ApiRefusal, String(thrown));
      return { refusal: thrown, warnings };
    }
  };
  return { place, send, gate };
};

const withOurPolicies = (resource: Resource<KubeObject>) => {
  const world = createPolicyWorld(resource);
  for (const object of ALL_POLICIES.flatMap(toAdmissionObjects)) world.place(object);
  return world;
};

describe('the guard of MacHosts (R2), enforced', () => {
  const { send } = withOurPolicies(MAC_HOSTS);
  for (const { story, refusal, ...request } of GUARDED_REQUESTS) {
    it(`${refusal === undefined ? 'lets through' : 'refuses'}: ${story}`, () => {
      const answer = send(request).refusal;
      if (refusal === undefined) assert.equal(answer?.message, undefined);
      else assert.match(answer?.message ?? '', refusal);
    });
  }
});

describe('the immutability of machine templates (D9), enforced', () => {
  const { send } = withOurPolicies(MACHINE_TEMPLATES);
  for (const { story, refused, ...request } of TEMPLATE_UPDATES) {
    it(`${refused ? 'refuses' : 'lets through'} ${story}`, () => {
      assert.equal(send({ ...request, namespace: 'a' }).refusal?.reason, refused ? 'Invalid' : undefined);
    });
  }
});

describe('a policy', () => {
  for (const row of ROWS) {
    it(`${row.why === undefined ? 'lets through' : 'refuses'} by ${row.story}`, () => {
      const { place, send } = createPolicyWorld(CONFIG_MAPS);
      place(policy(row.policy ?? {}));
      place(binding(row.binding));
      const { refusal } = send({ namespace: 'a', ...(row.request ?? NO) });
      assert.equal(refusal?.message, row.why === undefined ? undefined : `${REFUSED}${row.why}`);
      if (row.reason !== undefined) assert.equal(refusal?.reason, row.reason);
    });
  }

  it('warns where its binding says so, and lets through', () => {
    const { place, send } = createPolicyWorld(CONFIG_MAPS);
    place(policy(validate({ expression: 'false', message: 'm' })));
    place(binding({ validationActions: ['Warn'] }));
    assert.deepEqual(send({ namespace: 'a', ...NO }), {
      refusal: undefined,
      warnings: ["Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': m"],
    });
  });
});

describe('writing a policy', () => {
  const { send } = createPolicyWorld(POLICY_RESOURCE);
  const rows = [
    {
      story: 'that does not compile',
      spec: validate({ expression: 'object.' }),
      field: 'spec.validations[0].expression',
    },
    {
      story: 'with a function that is not known',
      spec: validate({ expression: 'frobnicate(1)' }),
      field: 'spec.validations[0].expression',
    },
    { story: 'that is no yes or no', spec: validate({ expression: '1' }), field: 'spec.validations[0].expression' },
    { story: 'with parameters', spec: { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } }, field: 'spec.paramKind' },
    {
      story: 'with audit annotations',
      spec: { auditAnnotations: [{ key: 'k', valueExpression: '""' }] },
      field: 'spec.auditAnnotations',
    },
    { story: 'without validations', spec: { validations: [] }, field: 'spec.validations' },
    {
      story: 'with a wrong condition',
      spec: { matchConditions: [{ name: 'c', expression: '1 +' }] },
      field: 'spec.matchConditions[0].expression',
    },
  ];
  for (const { story, spec, field } of rows) {
    it(`is refused ${story}`, () => {
      const { refusal } = send({ operation: 'CREATE', object: policy(spec) });
      assert.equal(refusal?.reason, 'Invalid');
      assert.equal(refusal?.statusDetails?.causes?.[0]?.field, field);
    });
  }

  it('is never refused by a policy', () => {
    const world = createPolicyWorld(POLICY_RESOURCE);
    world.place(
      policy({
        ...match({ resourceRules: [rule({ apiGroups: ['*'], resources: ['*'] })] }),
        ...validate({ expression: 'false' }),
      }),
    );
    world.place(binding());
    assert.equal(world.send({ operation: 'DELETE', oldObject: policy({}) }).refusal, undefined);
  });
});
