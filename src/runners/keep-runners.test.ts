import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LABELS } from '../kinds/labels.ts';
import type { Pod } from '../kube/types/pod.ts';
import { createAccountKeeping, createRunnerKeeping } from './keep-runners.ts';
import { planRunner } from './life/plan-runner.ts';
import { planPool } from './pool/plan-pool.ts';
import { renderAccount, renderRunner } from './pool/render-runner.ts';
import { endOf, isAbnormalEnd, isKnownBusy, isLeaving, isStale, mayHavePolled, terminationOf } from './runner-pod.ts';
import { BUSY, IMAGE, LEAVING, OLD_IMAGE, poolWith, ROLLING, runner } from './testing/runner-pods.ts';

const NOW = Date.parse('2026-08-01T12:00:00Z');

const container = (state: object): Pod['status'] => ({
  containerStatuses: [{ name: 'runner', image: 'i', imageID: 'j', ready: true, restartCount: 3, state }],
});

/** As the API gives them: with all that nobody reads. */
const whole = (pod: Pod): Pod => {
  const rendered = renderRunner(poolWith(), pod.metadata.name, { dispatchUrl: 'https://ci.test' });
  return {
    metadata: { ...rendered.metadata, ...pod.metadata, annotations: { 'cni.test/ip': '10.0.0.1' } },
    spec: { ...rendered.spec, ...pod.spec },
    ...(pod.status === undefined ? {} : { status: pod.status }),
  };
};

const PODS: readonly Pod[] = [
  ...(['unbound', 'bound', 'starting', 'running', 'succeeded', 'failed', 'deleting'] as const).map((is) =>
    runner(is, { is }),
  ),
  ...[runner('busy', { labels: BUSY }), runner('claimed', { labels: { [LABELS.runnerAccount]: '7' } })],
  ...[runner('leaving', { labels: LEAVING }), runner('rolling', { labels: ROLLING })],
  runner('old', { image: OLD_IMAGE }),
  runner('begun', { is: 'bound', status: container({ running: { startedAt: '2026-08-01T10:00:00Z' } }) }),
  runner('died', {
    is: 'failed',
    status: container({
      terminated: { exitCode: 137, signal: 9, reason: 'Error', finishedAt: '2026-08-01T10:59:00Z' },
    }),
  }),
].map(whole);

describe('what is kept of a runner', () => {
  const view = { account: undefined, isOnRecord: false, isEndKnown: false, pool: 'up', nowMs: NOW } as const;
  const readings: Readonly<Record<string, (pod: Pod) => unknown>> = {
    ...{ isAbnormalEnd, isKnownBusy, isLeaving, mayHavePolled, terminationOf },
    isStale: (pod) => isStale(pod, IMAGE),
    endOf: (pod) => endOf(pod, NOW),
    plan: (pod) => planRunner({ ...view, pod }),
    identity: ({ metadata: { name, namespace, uid, resourceVersion } }) => [name, namespace, uid, resourceVersion],
  };
  for (const pod of PODS) {
    it(`reads like all of it: ${pod.metadata.name}`, () => {
      const kept = createRunnerKeeping()(pod);
      for (const [name, read] of Object.entries(readings)) assert.deepEqual(read(kept), read(pod), name);
    });
  }

  it('leads a pool to the same plan', () => {
    const keep = createRunnerKeeping();
    const { spec } = poolWith({ replicas: 2 });
    const plan = (pods: readonly Pod[]) => {
      const { retire, ...rest } = planPool({
        ...{ spec, life: 'up', pods, creating: [], nowMs: NOW },
        isNodeDraining: () => false,
      });
      return { ...rest, retire: retire.map(({ pod, why }) => [pod.metadata.name, why]) };
    };
    assert.deepEqual(plan(PODS.map(keep)), plan(PODS));
  });

  it('is little, and what runners have in common is there once', () => {
    const keep = createRunnerKeeping();
    const [one, other] = [keep(whole(runner('a'))), keep(whole(runner('b')))];
    assert.ok(JSON.stringify(one).length < 500, JSON.stringify(one));
    assert.equal(one.metadata.labels, other.metadata.labels);
    assert.equal(one.metadata.finalizers, other.metadata.finalizers);
    assert.equal(one.spec.containers, other.spec.containers);
    assert.equal(one.status, other.status);
  });

  it('says since when it is up to the quarter of an hour, which many have in common', () => {
    const keep = createRunnerKeeping();
    const upAt = (startedAt: string): Pod => keep(runner('a', { status: container({ running: { startedAt } }) }));
    const one = upAt('2026-08-01T10:44:59Z');
    assert.equal(one.status?.containerStatuses?.[0]?.state?.running?.startedAt, '2026-08-01T10:30:00Z');
    assert.equal(one.status, upAt('2026-08-01T10:31:00Z').status);
  });

  it('of its account: whose it is, and since when', () => {
    const keep = createAccountKeeping();
    const account = renderAccount(poolWith(), 'a');
    const born = { ...account.metadata, uid: 'u', resourceVersion: '3', creationTimestamp: '2026-08-01T10:00:00Z' };
    const { namespace = '' } = born;
    assert.deepEqual(keep({ ...account, metadata: born }), {
      metadata: {
        ...{ name: 'a', namespace, uid: 'u', resourceVersion: '3', creationTimestamp: '2026-08-01T10:00:00Z' },
        labels: { [LABELS.runnerPool]: 'ci' },
      },
    });
  });
});
