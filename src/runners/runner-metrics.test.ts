import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Registry from 'prom-client/lib/registry.js';
import { toTimestamp } from '../base/clock.ts';
import { silentLogger } from '../base/logger.ts';
import { createManualClock } from '../base/testing/manual-clock.ts';
import { RUNNER_POOLS, type RunnerPool } from '../kinds/runner-pool.ts';
import { createCache } from '../kube/cache/cache.ts';
import { createHarness } from '../kube/testing/harness.ts';
import { NODES, PODS, SERVICE_ACCOUNTS } from '../kube/types/core.ts';
import type { Pod } from '../kube/types/pod.ts';
import type { RunnersCaches } from './ports.ts';
import { measurePools, measureScaling } from './runner-metrics.ts';
import { poolOf } from './runner-pod.ts';
import { BUSY, node, OLD_IMAGE, poolWith, ROLLING, runner } from './testing/runner-pods.ts';

const open = async (pools: readonly RunnerPool[], pods: readonly Pod[]) => {
  const { client, clock, random, stop, advance } = createHarness();
  const common = { client, clock, random, logger: silentLogger };
  const caches: RunnersCaches = {
    pools: createCache({ ...common, resource: RUNNER_POOLS }),
    pods: createCache({
      ...{ ...common, resource: PODS },
      indexes: { pool: (pod) => [`${pod.metadata.namespace ?? ''}/${poolOf(pod)}`] },
    }),
    accounts: createCache({ ...common, resource: SERVICE_ACCOUNTS }),
    nodes: createCache({ ...common, resource: NODES }),
  };
  const { signal } = stop;
  for (const pool of pools) await client.create(RUNNER_POOLS, pool, { signal });
  for (const pod of pods) await client.create(PODS, pod, { signal });
  for (const one of [node('a'), node('b', { not: 'ready' }), node('c', { not: 'roomy' })])
    await client.create(NODES, one, { signal });
  const running = Object.values(caches).map((cache) => cache.run(signal));
  await Promise.all(Object.values(caches).map((cache) => cache.whenSynced(signal)));
  const registry = new Registry();
  const wall = createManualClock();
  measurePools(registry, caches, wall);
  const read = async (): Promise<readonly string[]> =>
    (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const close = async (): Promise<void> => {
    stop.abort();
    await Promise.all(running);
  };
  return { read, client, signal, advance, close, wall };
};

const has = (lines: readonly string[], line: string): void =>
  assert.ok(lines.includes(`tuist_runners_${line}`), `${line} in\n${lines.join('\n')}`);

describe('metrics of pools (§3.14, §9.8-9)', () => {
  it('count runners by phase, by image, and as idle only those that run on a Node (§7-37)', async () => {
    const { read, close } = await open(
      [poolWith({ replicas: 4, rollout: { maxConcurrentPercent: 50 } }), poolWith({}, { name: 'empty' })],
      [
        runner('a'),
        runner('b', { labels: BUSY }),
        runner('c', { is: 'unbound' }),
        runner('d', { image: OLD_IMAGE, labels: ROLLING }),
        runner('e', { is: 'succeeded' }),
      ],
    );
    const lines = await read();
    has(lines, 'pool_phase_replicas{pool="ci",phase="Pending"} 1');
    has(lines, 'pool_phase_replicas{pool="ci",phase="Running"} 3');
    has(lines, 'pool_phase_replicas{pool="ci",phase="Unknown"} 0');
    has(lines, 'pool_idle_replicas{pool="ci"} 1');
    has(lines, 'pool_stale_pods{pool="ci"} 1');
    has(lines, 'pool_rolling_pods{pool="ci"} 2');
    has(lines, 'pool_roll_concurrency_cap{pool="ci"} 2');
    has(lines, 'pool_phase_replicas{pool="empty",phase="Running"} 0');
    has(lines, 'pool_oldest_pending_pod_age_seconds{pool="empty"} 0');
    has(lines, 'fleet_ready_nodes{fleet_selector="m2",operating_system="darwin"} 1');
    has(lines, 'fleet_filtered_nodes{fleet_selector="m2",operating_system="darwin",reason="not_ready"} 1');
    has(lines, 'fleet_filtered_nodes{fleet_selector="m2",operating_system="darwin",reason="disk_pressure"} 1');
    await close();
  });

  it('tell the age of the runner that waits longest, and forget it when it is gone', async () => {
    const { read, client, signal, advance, close, wall } = await open(
      [poolWith({ replicas: 3 })],
      [runner('a', { is: 'unbound' }), runner('b', { is: 'starting' }), runner('c')],
    );
    const age = async (): Promise<string | undefined> =>
      (await read()).find((line) => line.includes('oldest_pending'))?.split(' ')[1];
    const named = (name: string) => ({ namespace: 'tuist-runners', name });
    const bornEarlier = { metadata: { creationTimestamp: toTimestamp(wall.now() - 30_000) } };
    await client.patch(PODS, named('b'), { type: 'merge', body: bornEarlier }, { signal });
    wall.advance(60_000);
    const ages: (string | undefined)[] = [];
    for (const name of ['b', 'a', 'c']) {
      await advance(0);
      ages.push(await age());
      await client.patch(PODS, named(name), { type: 'merge', body: { metadata: { finalizers: [] } } }, { signal });
      await client.delete(PODS, named(name), { signal, gracePeriodSeconds: 0 });
    }
    assert.deepEqual(ages, ['90', '60', '0']);
    await close();
  });

  it('are of pools for Macs alone', async () => {
    const { read, close } = await open([poolWith({ os: 'linux', fleetSelector: 'kata' })], [runner('a')]);
    assert.deepEqual(
      (await read()).filter((line) => /pool="ci"|kata/.test(line)),
      [],
    );
    await close();
  });

  it('of a pool that is gone are gone', async () => {
    const { read, client, signal, advance, close } = await open([poolWith()], [runner('a')]);
    assert.ok((await read()).some((line) => line.includes('pool="ci"')));
    await client.delete(RUNNER_POOLS, { namespace: 'tuist-runners', name: 'ci' }, { signal });
    await advance(0);
    assert.deepEqual(
      (await read()).filter((line) => line.includes('pool="ci"')),
      [],
    );
    await close();
  });

  it('of the autoscaler are set, zeros too, and dropped when a pool opts out', async () => {
    const registry = new Registry();
    const meter = measureScaling(registry);
    const pool = poolWith({ autoscaling: { enabled: true, maxReplicas: 9, minWarmPoolFloor: 2 } });
    meter.scaled(pool, { claimed: 2, occupied: 3, queued: 0, withheld: 0, p95: 0 }, { wanted: 5, allocated: 3 });
    const lines = (await registry.metrics()).split('\n');
    has(lines, 'autoscaler_target_replicas{pool="ci"} 5');
    has(lines, 'autoscaler_allocated_replicas{pool="ci"} 3');
    has(lines, 'autoscaler_warm_deficit_replicas{pool="ci"} 2');
    has(lines, 'autoscaler_queued_jobs{pool="ci"} 0');
    meter.forget('ci');
    assert.doesNotMatch(await registry.metrics(), /pool="ci"/);
  });
});
