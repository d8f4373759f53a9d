/** Our admission policies on a real API server: type-checked by it, and acting as src/kinds says. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { neverAborted } from '../../src/base/abort.ts';
import { isRecord } from '../../src/base/json.ts';
import { MAC_HOSTS } from '../../src/kinds/mac-host.ts';
import { MACHINE_TEMPLATES } from '../../src/kinds/machine-template.ts';
import { ALL_POLICIES } from '../../src/kinds/policies/all-policies.ts';
import { toAdmissionObjects } from '../../src/kinds/policies/policy.ts';
import { hostWith } from '../../src/kinds/testing/hosts.ts';
import { GUARDED_REQUESTS } from '../../src/kinds/testing/policy-requests.ts';
import { TEMPLATE_UPDATES } from '../../src/kinds/testing/template-updates.ts';
import { type KubeObject, keyOf } from '../../src/kube/types/meta.ts';
import type { Resource } from '../../src/kube/types/resource.ts';
import { EXAMPLES } from './kinds/examples.ts';
import { newId, openKindsScene, resourceOf, store, toStorable, withServer } from './kinds/kinds-scene.ts';
import { createPerson } from './kinds/people.ts';
import { eventually, type Scene } from './kube/scene.ts';

interface Policy extends KubeObject {
  readonly status?: { readonly observedGeneration?: number; readonly typeChecking?: unknown };
}

const POLICIES: Resource<Policy> = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingAdmissionPolicy',
  plural: 'validatingadmissionpolicies',
  scope: 'Cluster',
};

/** What the server thinks of the types in the expressions, once it has looked. */
const readTypeChecking = ({ client, signal }: Scene, name: string): Promise<unknown> =>
  eventually(`the server has checked the types of ${name}`, async () => {
    const { metadata, status } = await client.get(POLICIES, { name }, { signal });
    return status?.observedGeneration === metadata.generation && status?.typeChecking;
  });

test('the expressions of our policies', async (t) => {
  const scene = await openKindsScene(t);
  for (const policy of ALL_POLICIES) {
    await t.test(`${policy.name} are of the right types in the eyes of the server`, async () => {
      assert.deepEqual(await readTypeChecking(scene, policy.name), {});
    });

    await t.test(`${policy.name} are really looked at: a field that does not exist is noticed`, async (each) => {
      const [first] = policy.validations;
      assert.ok(first !== undefined);
      const wrong = { ...first, expression: 'object.spec.noSuchField == 1' };
      const name = `wrong-${newId()}`;
      const [object] = toAdmissionObjects({ ...policy, name, validations: [wrong] });
      assert.ok(object !== undefined);
      await scene.client.create(POLICIES, object, { signal: each.signal });
      each.after(() => scene.client.delete(POLICIES, { name }, { signal: neverAborted() }));
      const checked = await readTypeChecking(scene, name);
      assert.match(JSON.stringify(isRecord(checked) && checked['expressionWarnings']), /undefined field 'noSuchField'/);
    });
  }
});

/** A policy acts some time after it is there: until it refuses what it must refuse. */
const untilRefused = (what: string, attempt: () => Promise<unknown>): Promise<unknown> =>
  eventually(`${what} is refused`, () =>
    attempt().then(
      () => false,
      () => true,
    ),
  );

const parseHost = (sample: unknown) => sample as NonNullable<typeof MAC_HOSTS.example>;

test('the guard of MacHosts (R2)', async (t) => {
  const scene = await openKindsScene(t);
  const nobody = await createPerson(scene, []);
  const host = parseHost(hostWith());
  await untilRefused('a person who creates a host', () =>
    nobody.create(MAC_HOSTS, host, { signal: t.signal, dryRun: 'All' }),
  );
  for (const row of GUARDED_REQUESTS) {
    await t.test(`${row.refusal === undefined ? 'lets through' : 'refuses'}: ${row.story}`, async () => {
      const { operation, object, oldObject, verbs = [], refusal } = withServerOf(row);
      const person = await createPerson(scene, verbs);
      const ask = async (): Promise<unknown> => {
        if (operation === 'CREATE')
          return person.create(MAC_HOSTS, parseHost(object), { signal: t.signal, dryRun: 'All' });
        const stored = await store(scene, parseHost(oldObject));
        const { spec, metadata } = parseHost(object);
        const next = { ...stored, spec, metadata: { ...stored.metadata, ...metadata } };
        return person.update(MAC_HOSTS, next, { signal: t.signal });
      };
      if (refusal === undefined) await ask();
      else await assert.rejects(ask(), { kind: 'denied', message: refusal });
    });
  }
});

/** The row on a host of its own. A regular expression does not survive JSON, so it is put back. */
const withServerOf = (row: (typeof GUARDED_REQUESTS)[number]): typeof row => ({
  ...withServer(row, newId()),
  ...(row.refusal !== undefined && { refusal: row.refusal }),
});

test('a machine template', async (t) => {
  const scene = await openKindsScene(t);
  const { client, namespace } = scene;
  const example = EXAMPLES.find(({ kind }) => kind === MACHINE_TEMPLATES.kind)?.object;
  const probe = await store(scene, toStorable(example, namespace, { name: 'probe' }));
  const patch = { type: 'merge', body: { spec: { template: { spec: { type: 'M1-M' } } } } } as const;
  await untilRefused('a change of a template', () =>
    client.patch(MACHINE_TEMPLATES, keyOf(probe), patch, { signal: t.signal, dryRun: 'All' }),
  );
  for (const [index, { story, refused, object, oldObject, dryRun }] of TEMPLATE_UPDATES.entries()) {
    await t.test(`${refused ? 'cannot' : 'can'} be changed by ${story}`, async () => {
      const own = { name: `template-${index}` };
      const stored = await store(scene, toStorable(oldObject, namespace, own));
      const { spec, metadata } = toStorable(object, namespace, own);
      const options = { signal: t.signal, ...(dryRun === true && { dryRun: 'All' as const }) };
      const next = { ...stored, spec, metadata: { ...stored.metadata, ...metadata } };
      const change = () => client.update(resourceOf(MACHINE_TEMPLATES.kind), next, options);
      if (refused) await assert.rejects(change, { kind: 'invalid', message: /Create a template with another name/ });
      else await change();
    });
  }

  await t.test('can be tried out by server-side apply, as the topology controller of Cluster API does', async () => {
    const [{ object, oldObject } = {}] = TEMPLATE_UPDATES.filter(({ dryRun, refused }) => dryRun === true && !refused);
    const own = { name: 'applied' };
    const stored = await store(scene, toStorable(oldObject, namespace, own));
    const body = toStorable(object, namespace, own);
    const apply = (dryRun?: 'All') =>
      client.patch(
        resourceOf(MACHINE_TEMPLATES.kind),
        keyOf(stored),
        { type: 'apply', body, force: true },
        { signal: t.signal, fieldManager: 'capi-topology', ...(dryRun !== undefined && { dryRun }) },
      );
    const tried = await apply('All');
    assert.ok(isRecord(tried.spec));
    assert.notDeepEqual(tried.spec, stored.spec);
    await assert.rejects(apply(), { kind: 'invalid', message: /Create a template with another name/ });
  });
});
