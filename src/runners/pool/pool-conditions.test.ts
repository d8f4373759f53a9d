import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FleetError } from '../../base/errors.ts';
import { createManualClock } from '../../base/testing/manual-clock.ts';
import type { RunnerPool } from '../../kinds/runner-pool.ts';
import { createStreak } from '../streak.ts';
import { node, poolWith } from '../testing/runner-pods.ts';
import { describePool, judgePool, type PoolSurroundings } from './pool-conditions.ts';

const GOOD: PoolSurroundings = { nodes: [node('a')], dispatcher: { state: 'good', protocol: 2 }, signals: 'good' };
const trouble = (kind: 'denied' | 'contract' | 'unavailable') =>
  new FleetError(kind, { code: 'X', message: 'it says no' });
const scaling = (autoscaling: object): RunnerPool =>
  poolWith({ autoscaling: { enabled: true, maxReplicas: 9, ...autoscaling } });

describe('bad input and trouble, told by a condition', () => {
  const rows: readonly {
    readonly story: string;
    readonly pool?: RunnerPool;
    readonly around?: Partial<PoolSurroundings>;
    /** `Type=Status Reason`. */
    readonly is: string;
  }[] = [
    { story: 'all is well', is: 'FleetReady=True NodesReady' },
    {
      story: 'a fleet that does not exist',
      around: { nodes: [node('a', { fleet: 'm4' })] },
      is: 'FleetReady=False FleetNotFound',
    },
    {
      story: 'a fleet in trouble',
      around: { nodes: [node('a', { not: 'ready' })] },
      is: 'FleetReady=False NoReadyNode',
    },
    {
      story: 'runners that no Mac holds',
      pool: poolWith({ podMemoryMB: 99_999 }),
      is: 'FleetReady=False RunnerTooLarge',
    },
    { story: 'an image with a digest', is: 'ImagePinned=True Digest' },
    {
      story: 'an image without',
      pool: poolWith({ image: 'ghcr.test/runner:latest' }),
      is: 'ImagePinned=False NoDigest',
    },
    { story: 'a dispatcher that answers', is: 'DispatcherReady=True Answering' },
    {
      story: 'one that was not asked yet',
      around: { dispatcher: { state: 'untried', protocol: undefined } },
      is: 'DispatcherReady=Unknown NotAskedYet',
    },
    {
      story: 'one that says 401 for an hour',
      around: { dispatcher: { state: trouble('denied'), protocol: 2 } },
      is: 'DispatcherReady=False DispatcherDenied',
    },
    {
      story: 'one that answers with HTML',
      around: { dispatcher: { state: trouble('contract'), protocol: 1 } },
      is: 'DispatcherReady=False DispatcherStrange',
    },
    {
      story: 'one that is down',
      around: { dispatcher: { state: trouble('unavailable'), protocol: 2 } },
      is: 'DispatcherReady=False DispatcherUnreachable',
    },
    { story: 'none', around: { dispatcher: undefined }, is: 'DispatcherReady=Unknown NoSessionsURL' },
    { story: 'the drain handshake', is: 'DrainHandshake=True Known' },
    {
      story: 'a server that knows the original protocol only',
      around: { dispatcher: { state: 'good', protocol: 1 } },
      is: 'DrainHandshake=False OriginalProtocol',
    },
    {
      story: 'a server that was not asked yet',
      around: { dispatcher: { state: 'untried', protocol: undefined } },
      is: 'DrainHandshake=Unknown NotAskedYet',
    },
    { story: 'a fixed number', is: 'Scaling=True Fixed' },
    { story: 'automatic', pool: scaling({}), is: 'Scaling=True Automatic' },
    {
      story: 'a maximum below the floor',
      pool: scaling({ maxReplicas: 2, minWarmPoolFloor: 3 }),
      is: 'Scaling=False MaxReplicasBelowFloor',
    },
    {
      story: 'a maximum of zero',
      pool: scaling({ maxReplicas: 0, minWarmPoolFloor: 0 }),
      is: 'Scaling=False MaxReplicasZero',
    },
    { story: 'a floor of zero that stays zero', pool: scaling({ minWarmPoolFloor: 0 }), is: 'Scaling=True Automatic' },
    { story: 'nobody to ask', pool: scaling({}), around: { signals: undefined }, is: 'Scaling=False NoSignalsURL' },
    {
      story: 'signals that are HTML, negative or stale',
      pool: scaling({}),
      around: { signals: trouble('contract') },
      is: 'Scaling=False SignalsStrange',
    },
    {
      story: 'signals that are refused',
      pool: scaling({}),
      around: { signals: trouble('denied') },
      is: 'Scaling=False SignalsDenied',
    },
    {
      story: 'no signals',
      pool: scaling({}),
      around: { signals: trouble('unavailable') },
      is: 'Scaling=False SignalsUnavailable',
    },
  ];
  for (const { story, pool = poolWith(), around = {}, is } of rows) {
    it(`${story}: ${is}`, () => {
      const told = describePool(pool, { ...GOOD, ...around });
      assert.ok(told.map(({ type, status, reason }) => `${type}=${status} ${reason}`).includes(is));
      for (const { status, reason, message } of told)
        assert.ok(status !== 'False' || message !== '', `${reason} explains itself`);
    });
  }

  it('a linux pool is refused', () => {
    const { status, reason, message } = judgePool(poolWith({ os: 'linux' }));
    assert.deepEqual([status, reason], ['False', 'UnsupportedOS']);
    assert.match(message, /Macs only/);
  });

  it('a name that labels do not hold is refused', () =>
    assert.equal(judgePool(poolWith({}, { name: 'x'.repeat(64) })).reason, 'NameTooLong'));
});

describe('trouble', () => {
  it('is told when it lasts for a minute, and no longer than it lasts', () => {
    const clock = createManualClock();
    const streak = createStreak(clock, 60_000);
    assert.equal(streak.state, 'untried');
    streak.succeeded();
    streak.failed(trouble('denied'));
    clock.advance(59_999);
    streak.failed(trouble('denied'));
    assert.equal(streak.state, 'good');
    clock.advance(1);
    streak.failed(trouble('denied'));
    assert.notEqual(streak.state, 'good');
    streak.succeeded();
    assert.equal(streak.state, 'good');
  });
});
