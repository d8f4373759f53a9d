/** An installation is whole: what is bound exists, and every Pod runs with as little as can be. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '../kube/types/meta.ts';
import { renderComponents } from './components.ts';

const OPTIONS = {
  ...{ namespace: 'macs', image: 'example.com/macfleet:1', apiServerUrl: 'https://api.example.com:6443' },
  ...{ scalewaySecret: 'scaleway', zones: 'fr-par-1' },
};
const RUNNERS = { namespace: 'runners', dispatchUrl: 'https://example.com/dispatch' };

interface Bound extends KubeObject {
  readonly roleRef?: { readonly name: string };
  readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace?: string }[];
}

interface Deployed extends KubeObject {
  readonly spec?: {
    readonly template: {
      readonly spec: {
        readonly securityContext: Readonly<Record<string, unknown>>;
        readonly containers: readonly { readonly args: readonly string[]; readonly securityContext: object }[];
      };
    };
  };
}

const named = (objects: readonly KubeObject[], kind: string): readonly string[] =>
  objects.filter((object) => object.kind === kind).map(({ metadata }) => metadata.name);

describe('an installation', () => {
  const objects = renderComponents({ ...OPTIONS, runners: RUNNERS });

  it('binds roles that it brings, or that Kubernetes has, to accounts that it brings', () => {
    const roles = [...named(objects, 'ClusterRole'), 'system:node-bootstrapper'];
    const accounts = named(objects, 'ServiceAccount');
    const bindings = objects.filter(({ kind = '' }) => kind.endsWith('RoleBinding')) as readonly Bound[];
    assert.ok(bindings.length > 10);
    for (const { roleRef, subjects = [] } of bindings) {
      assert.ok(roles.includes(roleRef?.name ?? ''), `there is a role ${roleRef?.name}`);
      for (const { kind, name, namespace } of subjects) {
        if (kind === 'ServiceAccount')
          assert.deepEqual([accounts.includes(name), namespace], [true, OPTIONS.namespace]);
      }
    }
  });

  it('runs its Pods as nobody, with nothing to write to and no rights on the Node', () => {
    const deployments = objects.filter(({ kind }) => kind === 'Deployment') as readonly Deployed[];
    assert.equal(deployments.length, 2);
    for (const { spec } of deployments) {
      const { securityContext, containers } = spec?.template.spec ?? { securityContext: {}, containers: [] };
      assert.deepEqual(
        [securityContext['runAsNonRoot'], securityContext['seccompProfile']],
        [true, { type: 'RuntimeDefault' }],
      );
      assert.deepEqual(
        containers.map((container) => container.securityContext),
        [{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } }],
      );
    }
  });

  it('has nothing of runners unless it is told where they ask for jobs', () => {
    const without = renderComponents(OPTIONS);
    assert.deepEqual(named(without, 'Deployment'), ['macfleet-manager']);
    assert.deepEqual(named(without, 'Namespace'), ['macs']);
    assert.deepEqual(
      named(without, 'RoleBinding').filter((name) => name.includes('runners')),
      [],
    );
  });

  it('names each object once', () => {
    const keys = objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''} ${metadata.name}`);
    assert.equal(new Set(keys).size, keys.length);
  });
});
