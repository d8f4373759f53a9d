import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PROVIDER_ROLES } from './roles.ts';

type Role = (typeof PROVIDER_ROLES)[keyof typeof PROVIDER_ROLES];

/** As `resource: verbs`, each in order. */
const rightsOf = ({ rules }: Role): readonly string[] =>
  rules
    .flatMap(({ resources, nonResourceURLs, verbs }) =>
      [...(resources ?? []), ...(nonResourceURLs ?? [])].map((what) => `${what}: ${verbs.toSorted().join(' ')}`),
    )
    .toSorted();

/** Bound by a ClusterRoleBinding; all others count in one namespace each. */
const EVERYWHERE: readonly Role[] = [
  PROVIDER_ROLES.manager,
  PROVIDER_ROLES.takeover,
  PROVIDER_ROLES.clusterApiRemote,
  PROVIDER_ROLES.dispatchTokens,
];

describe('what our processes may do', () => {
  it('004-1 is for core exactly what it needs on the cluster of the Macs: it drains, probes and binds Nodes', () => {
    assert.deepEqual(rightsOf(PROVIDER_ROLES.clusterApiRemote), [
      '/: get',
      'daemonsets: get',
      'namespaces: list watch',
      'nodes: delete get list patch watch',
      'persistentvolumes: list',
      'pods/eviction: create',
      'pods: get list',
      'volumeattachments: list',
    ]);
  });

  it('W-25 holds no right on Secrets in the whole cluster, and none on anything', () => {
    for (const role of EVERYWHERE) {
      const rights = rightsOf(role);
      assert.deepEqual(
        rights.filter((right) => /^(secrets|serviceaccounts|\*)/.test(right) || right.includes('*')),
        [],
        role.metadata.name,
      );
    }
  });

  it('grants nobody rights: no role is bound, made or passed on', () => {
    for (const role of Object.values(PROVIDER_ROLES)) {
      assert.doesNotMatch(rightsOf(role).join('\n'), /\b(bind|escalate|impersonate)\b/, role.metadata.name);
    }
  });
});
