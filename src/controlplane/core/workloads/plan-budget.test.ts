import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PODS } from '../../../kube/types/core.ts';
import type { Pod } from '../../../kube/types/pod.ts';
import { createCoreControllers } from '../core-controllers.ts';
import { startCluster } from '../testing/cluster.ts';
import { planBudget } from './plan-budget.ts';
import { DEPLOYMENTS, POD_DISRUPTION_BUDGETS, type PodDisruptionBudget } from './replicated.ts';

const AT_MS = Date.UTC(2026, 0, 1);
const AT = '2026-01-01T00:00:00Z';

/** One letter per Pod: healthy, unready, deleting. */
const podsOf = (letters: string): readonly Pod[] =>
  [...letters].map((letter, at) => ({
    metadata: { name: `p${at}`, ...(letter === 'd' && { deletionTimestamp: AT }) },
    spec: { containers: [] },
    status: { conditions: [{ type: 'Ready', status: letter === 'u' ? 'False' : 'True' }] },
  }));

const rows: readonly {
  readonly story: string;
  readonly spec: PodDisruptionBudget['spec'];
  readonly disrupted?: Readonly<Record<string, string>>;
  readonly pods: string;
  readonly expected: number;
  /** allowed, healthy, desired, expected */
  readonly counts: readonly [number, number, number, number];
}[] = [
  { story: 'one of three may go', spec: { minAvailable: 2 }, pods: 'hhh', expected: 3, counts: [1, 3, 2, 3] },
  { story: 'an unready one counts as gone', spec: { minAvailable: 2 }, pods: 'hhu', expected: 3, counts: [0, 2, 2, 3] },
  {
    story: 'one on its way out counts as gone',
    spec: { minAvailable: 2 },
    pods: 'hhd',
    expected: 3,
    counts: [0, 2, 2, 3],
  },
  {
    story: 'a share that must stay is rounded up',
    spec: { minAvailable: '50%' },
    pods: 'hhh',
    expected: 3,
    counts: [1, 3, 2, 3],
  },
  { story: 'so many may be missing', spec: { maxUnavailable: 1 }, pods: 'hhh', expected: 3, counts: [1, 3, 2, 3] },
  {
    story: 'missing Pods use the budget up',
    spec: { maxUnavailable: 1 },
    pods: 'hh',
    expected: 3,
    counts: [0, 2, 2, 3],
  },
  {
    story: 'a share that may be missing is rounded up',
    spec: { maxUnavailable: '10%' },
    pods: 'hhh',
    expected: 3,
    counts: [1, 3, 2, 3],
  },
  { story: 'none may be missing', spec: { maxUnavailable: 0 }, pods: 'hh', expected: 2, counts: [0, 2, 2, 2] },
  { story: 'of nothing nothing may go', spec: { minAvailable: 0 }, pods: '', expected: 0, counts: [0, 0, 0, 0] },
  {
    story: 'an eviction that was granted counts at once',
    spec: { minAvailable: 1 },
    disrupted: { p0: AT },
    pods: 'hhh',
    expected: 3,
    counts: [1, 2, 1, 3],
  },
  {
    story: 'one that came to nothing is forgotten after two minutes',
    spec: { minAvailable: 1 },
    disrupted: { p0: '2025-12-31T23:57:59Z' },
    pods: 'hhh',
    expected: 3,
    counts: [2, 3, 1, 3],
  },
];

describe('a disruption budget', () => {
  for (const { story, spec, disrupted, pods, expected, counts } of rows) {
    it(story, () => {
      const budget = { metadata: { name: 'b' }, spec, ...(disrupted && { status: { disruptedPods: disrupted } }) };
      const { status } = planBudget(budget, { pods: podsOf(pods), expected, nowMs: AT_MS });
      const told = [status.disruptionsAllowed, status.currentHealthy, status.desiredHealthy, status.expectedPods];
      assert.deepEqual(told, counts);
    });
  }

  it('follows its Pods, and knows from their Deployment how many there should be', async () => {
    const cluster = startCluster(createCoreControllers);
    const labels = { app: 'web' };
    await cluster.create(DEPLOYMENTS, {
      metadata: { namespace: 'ns', name: 'web' },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [] } },
      },
    });
    await cluster.create(POD_DISRUPTION_BUDGETS, {
      metadata: { namespace: 'ns', name: 'web' },
      spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
    });
    const status = async () => (await cluster.all(POD_DISRUPTION_BUDGETS))[0]?.status;
    assert.deepEqual([(await status())?.disruptionsAllowed, (await status())?.expectedPods], [0, 2]);
    for (const { metadata } of await cluster.all(PODS)) {
      const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
      await cluster.patchStatus(PODS, { namespace: 'ns', name: metadata.name }, ready);
    }
    const now = await status();
    assert.equal(now?.disruptionsAllowed, 1);
    assert.deepEqual(
      [now?.conditions?.[0]?.type, now?.conditions?.[0]?.reason],
      ['DisruptionAllowed', 'SufficientPods'],
    );
    assert.deepEqual(cluster.problems, []);
    await cluster.end();
  });
});
