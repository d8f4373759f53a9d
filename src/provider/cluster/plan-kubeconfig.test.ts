import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Secret } from '../../kube/types/core.ts';
import { planKubeconfig, renderKubeconfigSecret } from './plan-kubeconfig.ts';

const NOW = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;

const ours = (expiresAtMs: number): Secret =>
  renderKubeconfigSecret({
    namespace: 'ci',
    clusterName: 'fleet',
    owners: [],
    kubeconfig: 'kind: Config',
    madeFor: 'here',
    expiresAtMs,
  });

describe('the kubeconfig of Cluster API core', () => {
  const rows = [
    { story: 'is written when there is none', secret: undefined, plan: { do: 'write' } },
    {
      story: 'is left alone when somebody else keeps it',
      secret: { metadata: { name: 'fleet-kubeconfig' }, data: { value: 'x' } },
      plan: { do: 'leave' },
    },
    {
      story: 'is kept while most of its life is left',
      secret: ours(NOW + 10 * HOUR),
      plan: { do: 'keep', renewInMs: 7 * HOUR },
    },
    { story: 'is renewed before it ends', secret: ours(NOW + 3 * HOUR), plan: { do: 'write' } },
    { story: 'is renewed after it ended', secret: ours(NOW - HOUR), plan: { do: 'write' } },
    {
      story: 'F81 is mended when it holds something else',
      secret: { ...ours(NOW + 10 * HOUR), data: { value: 'bm9uc2Vuc2U=' } },
      plan: { do: 'write' },
    },
    { story: 'is mended when it was emptied', secret: { ...ours(NOW + 10 * HOUR), data: {} }, plan: { do: 'write' } },
  ];
  for (const { story, secret, plan } of rows) {
    it(story, () => {
      const made = planKubeconfig({ nowMs: NOW, secret, madeFor: 'here', tokenLifeMs: 10 * HOUR });
      assert.equal(
        JSON.stringify(made, (_, value) => (typeof value === 'number' ? Math.round(value) : value)),
        JSON.stringify(plan),
      );
    });
  }

  it('is made anew when the cluster is reached otherwise', () => {
    const view = { nowMs: NOW, secret: ours(NOW + 10 * HOUR), madeFor: 'elsewhere', tokenLifeMs: 10 * HOUR };
    assert.deepEqual(planKubeconfig(view), { do: 'write' });
  });

  it('is a Secret that core looks for: by type, label and key', () => {
    const { type, metadata, data } = ours(NOW);
    assert.equal(type, 'cluster.x-k8s.io/secret');
    assert.equal(metadata.name, 'fleet-kubeconfig');
    assert.deepEqual(metadata.labels, { 'cluster.x-k8s.io/cluster-name': 'fleet' });
    assert.deepEqual(Object.keys(data ?? {}), ['value']);
  });
});
