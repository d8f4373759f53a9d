import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ObjectMeta, OwnerReference } from '../../kube/types/meta.ts';
import type { SchedulablePod } from '../core/scheduling/schedulable.ts';
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

const rows: readonly {
  readonly story: string;
  readonly pod: SchedulablePod;
  readonly node?: 'unreachable';
  readonly fate: 'evict' | 'leaving' | 'completing' | 'left alone';
}[] = [
  { story: 'runs', pod: pod(), fate: 'evict' },
  { story: 'is over', pod: pod({}, 'Succeeded'), fate: 'evict' },
  { story: 'is on its way out', pod: pod({ deletionTimestamp: AT }), fate: 'leaving' },
  { story: 'never ran', pod: pod({}, 'Pending'), fate: 'evict' },
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
  for (const { story, pod: one, node = 'reachable', fate } of rows) {
    it(`${story}: ${fate}`, () => {
      const plan = planDrain({ pods: [one], node, nowMs: AT_MS });
      const { evict, leaving, completing } = plan;
      const found = Object.entries({ evict, leaving, completing }).flatMap(([name, pods]) =>
        pods.length > 0 ? [name] : [],
      );
      assert.deepEqual(found, fate === 'left alone' ? [] : [fate]);
      assert.equal(isDrained(plan), fate === 'left alone');
    });
  }

  it('is told in few words however many they are', () => {
    const pods = ['a', 'b', 'c', 'd', 'e'].map((name) => pod({ name, deletionTimestamp: AT }));
    const plan = planDrain({ pods, node: 'reachable', nowMs: AT_MS });
    assert.equal(
      renderDrain(plan, new Map(), AT),
      `Drain not completed yet (started at ${AT}):\n* Pods ns/a, ns/b, ns/c, ... (2 more): deletionTimestamp set, but still not removed from the Node`,
    );
  });

  it('tells those apart that may not go, by what the API said', () => {
    const plan = planDrain({ pods: ['a', 'b', 'c'].map((name) => pod({ name })), node: 'reachable', nowMs: AT_MS });
    const refusals = new Map([
      ['ns/a', 'the budget holds it'],
      ['ns/c', 'the budget holds it'],
    ]);
    assert.deepEqual(renderDrain(plan, refusals, AT).split('\n').slice(1), [
      '* Pods ns/a, ns/c: cannot evict pod: the budget holds it',
      '* Pod ns/b: eviction was asked for',
    ]);
  });
});
