import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FleetError } from '../../base/errors.ts';
import { silentLogger } from '../../base/logger.ts';
import { createCache } from '../cache/cache.ts';
import { createController, watchPrimary } from '../controller/controller.ts';
import { createHarness, type Harness, type HarnessOptions, WIDGETS, type Widget } from '../testing/harness.ts';
import { createLeaderLease } from './leader-lease.ts';
import { createManager, type ManagerOptions } from './manager.ts';
import { createRuntimeMetrics } from './metrics.ts';

const LEASE = { namespace: 'kube-system', name: 'macfleet' };

/** A manager whose only controller notes which keys it saw. */
const startManager = (harness: Harness, identity: string, more: Pick<ManagerOptions, 'prepare'> = {}) => {
  const { client, clock, random } = harness;
  const metrics = createRuntimeMetrics();
  const stop = new AbortController();
  const seen: string[] = [];
  const cache = createCache<Widget>({
    client,
    clock,
    random,
    logger: silentLogger,
    resource: WIDGETS,
    metrics: metrics.cache,
  });
  const controller = createController({
    name: 'widgets',
    watches: [watchPrimary(cache)],
    reconcile: async ({ key }) => {
      seen.push(key);
      return { next: 'rest' };
    },
  });
  const lease = createLeaderLease({ client, clock, random, logger: silentLogger, lease: LEASE, identity });
  const manager = createManager({
    name: 'test',
    client,
    clock,
    random,
    logger: silentLogger,
    caches: [cache],
    controllers: [controller],
    lease,
    metrics,
    ...more,
  });
  const ended = manager.run(stop.signal).then(
    () => 'clean',
    (error: FleetError) => error.code,
  );
  return { manager, seen, stop, ended, lease, metrics, cache };
};

const settle = async (harness: Harness, seconds: number): Promise<void> => {
  for (let second = 0; second < seconds; second += 1) await harness.advance(1_000);
};

const withHarness = (options: HarnessOptions = {}) => createHarness(options);

describe('manager', () => {
  it('works only while it leads; a standby is warm and ready, and takes over when the leader stops', async () => {
    const harness = withHarness();
    await harness.create('a');
    const first = startManager(harness, 'first');
    await settle(harness, 1);
    const second = startManager(harness, 'second');
    await settle(harness, 5);
    assert.deepEqual([first.seen, second.seen], [['ns/a'], []]);
    assert.equal(second.manager.notReadyBecause(), undefined);
    assert.equal(second.cache.size, 1);
    first.stop.abort();
    await settle(harness, 4);
    assert.equal(await first.ended, 'clean');
    assert.deepEqual(second.seen, ['ns/a']);
  });

  it('says what it waits for until its caches are warm', async () => {
    let isAway = true;
    const harness = withHarness({
      intercept: ({ path }) => {
        if (isAway && path.includes('widgets'))
          throw new FleetError('unavailable', { code: 'Reset', message: 'reset' });
      },
    });
    const { manager } = startManager(harness, 'first');
    await settle(harness, 2);
    assert.match(manager.notReadyBecause() ?? '', /widgets/);
    isAway = false;
    await settle(harness, 60);
    assert.equal(manager.notReadyBecause(), undefined);
  });

  it('fills its caches while what has to be known first is found out, and works only then', async () => {
    const harness = withHarness();
    await harness.create('a');
    const known = Promise.withResolvers<void>();
    const { seen, cache } = startManager(harness, 'first', { prepare: () => known.promise });
    await settle(harness, 3);
    assert.deepEqual([cache.size, seen], [1, []]);
    known.resolve();
    await settle(harness, 1);
    assert.deepEqual(seen, ['ns/a']);
  });

  it('ends when what has to be known first cannot be found out', async () => {
    const prepare = async (): Promise<void> => {
      throw new FleetError('unavailable', { code: 'NobodyKnows', message: 'nobody knows' });
    };
    const { ended, seen } = startManager(withHarness(), 'first', { prepare });
    assert.equal(await ended, 'NobodyKnows');
    assert.deepEqual(seen, []);
  });

  it('ends with an error when it loses the lease', async () => {
    let isAway = false;
    const harness = withHarness({
      intercept: ({ path }) => {
        if (isAway && path.includes('leases')) throw new FleetError('unavailable', { code: 'Reset', message: 'reset' });
      },
    });
    const { ended, seen } = startManager(harness, 'first');
    await settle(harness, 3);
    isAway = true;
    await settle(harness, 20);
    await harness.create('late');
    await settle(harness, 20);
    assert.equal(await ended, 'LeaderLeaseLost');
    assert.deepEqual(seen, []);
  });

  it('gives the lease back and leaves no timer behind when it is stopped', async () => {
    const harness = withHarness();
    const { stop, ended } = startManager(harness, 'first');
    await settle(harness, 3);
    stop.abort();
    await settle(harness, 1);
    assert.equal(await ended, 'clean');
    assert.equal(harness.clock.timers, 0);
    const lease = harness.api.objects('/apis/coordination.k8s.io/v1/leases')[0];
    assert.deepEqual((lease?.['spec'] as { holderIdentity?: string } | undefined)?.holderIdentity, '');
  });

  it('stops before it ever led, cleanly', async () => {
    const harness = withHarness();
    startManager(harness, 'first');
    await settle(harness, 2);
    const second = startManager(harness, 'second');
    await settle(harness, 2);
    second.stop.abort();
    await settle(harness, 1);
    assert.equal(await second.ended, 'clean');
  });

  it("counts under controller-runtime's names", async () => {
    const harness = withHarness();
    const { metrics } = startManager(harness, 'first');
    await harness.create('a');
    await settle(harness, 2);
    const text = await metrics.registry.metrics();
    assert.match(text, /controller_runtime_reconcile_total\{controller="widgets",result="success"\} 1/);
    assert.match(text, /workqueue_adds_total\{name="widgets"\} \d/);
    assert.match(text, /leader_election_master_status\{name="test"\} 1/);
    assert.match(text, /macfleet_cache_relists_total\{resource="widgets",cause="start"\} 1/);
  });
});
