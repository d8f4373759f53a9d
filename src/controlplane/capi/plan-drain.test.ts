import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ObjectMeta, OwnerReference } from '../../kube/types/meta.ts';
import type { SchedulablePod } from '../core/scheduling/schedulable.ts';
import type { PodDisruptionBudget } from '../core/workloads/replicated.ts';
import { isDrained, planDrain, renderDrain } from './plan-drain.ts';

const AT_MS = Date.UTC(2026, 0, 1);
const AT = '2026-01-01T00:00:00Z';
const DAEMON: OwnerReference = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'd', controller: true };

const pod = (
  metadata: Partial<ObjectMeta> = {},
  phase: 'Pending' | 'Running' | 'Succeeded' = 'Running',
): SchedulablePod => ({
  metadata: { namespace: 'ns', name: 'p', labels: { app: 'web' }, ...metadata },
  spec: { containers: [] },
  status: { phase },
});
const budget = (disruptionsAllowed: number): PodDisruptionBudget => ({
  metadata: { namespace: 'ns', name: 'b', generation: 1 },
  spec: { selector: { matchLabels: { app: 'web' } } },
  status: { disruptionsAllowed, observedGeneration: 1 },
});

const rows: readonly {
  readonly story: string;
  readonly pod: SchedulablePod;
  readonly budgets?: readonly PodDisruptionBudget[];
  readonly node?: 'unreachable';
  readonly fate: 'evict' | 'blocked' | 'leaving' | 'completing' | 'left alone';
}[] = [
  { story: 'runs', pod: pod(), fate: 'evict' },
  { story: 'is over', pod: pod({}, 'Succeeded'), fate: 'evict' },
  { story: 'is on its way out', pod: pod({ deletionTimestamp: AT }), fate: 'leaving' },
  { story: 'has a budget that allows it', pod: pod(), budgets: [budget(1)], fate: 'evict' },
  { story: 'has a budget that does not', pod: pod(), budgets: [budget(0)], fate: 'blocked' },
  { story: 'never ran, whatever its budget', pod: pod({}, 'Pending'), budgets: [budget(0)], fate: 'evict' },
  { story: 'belongs to a DaemonSet', pod: pod({ ownerReferences: [DAEMON] }), fate: 'left alone' },
  { story: 'is static', pod: pod({ annotations: { 'kubernetes.io/config.mirror': 'x' } }), fate: 'left alone' },
  { story: 'asks to be skipped', pod: pod({ labels: { 'cluster.x-k8s.io/drain': 'skip' } }), fate: 'left alone' },
  {
    story: 'asks for time to complete',
    pod: pod({ labels: { 'cluster.x-k8s.io/drain': 'wait-completed' } }),
    fate: 'completing',
  },
  {
    story: 'asked for time and is complete',
    pod: pod({ labels: { 'cluster.x-k8s.io/drain': 'wait-completed' } }, 'Succeeded'),
    fate: 'left alone',
  },
  {
    story: 'was asked to go a while ago, on a Node that nobody hears of',
    pod: pod({ deletionTimestamp: '2025-12-31T23:59:50Z' }),
    node: 'unreachable',
    fate: 'left alone',
  },
];

describe('a drain and a Pod that', () => {
  for (const { story, pod: one, budgets = [], node = 'reachable', fate } of rows) {
    it(`${story}: ${fate}`, () => {
      const plan = planDrain({ pods: [one], budgets, node, nowMs: AT_MS });
      const { evict, blocked, leaving, completing } = plan;
      const found = Object.entries({ evict, blocked, leaving, completing }).flatMap(([name, pods]) =>
        pods.length > 0 ? [name] : [],
      );
      assert.deepEqual(found, fate === 'left alone' ? [] : [fate]);
      assert.equal(isDrained(plan), fate === 'left alone');
    });
  }

  it('is told in few words however many they are', () => {
    const pods = ['a', 'b', 'c', 'd', 'e'].map((name) => pod({ name, deletionTimestamp: AT }));
    const plan = planDrain({ pods, budgets: [], node: 'reachable', nowMs: AT_MS });
    assert.equal(
      renderDrain(plan, AT),
      `Drain not completed yet (started at ${AT}):\n* Pods ns/a, ns/b, ns/c, ... (2 more): deletionTimestamp set, but still not removed from the Node`,
    );
  });
});
