import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FleetError } from '../../base/errors.ts';
import { silentLogger } from '../../base/logger.ts';
import { createHarness, type Harness, type HarnessOptions } from '../testing/harness.ts';
import { LEASES, type Lease } from '../types/coordination.ts';
import { createLeaderLease, decideLease, type LeaderLease } from './leader-lease.ts';

const KEY = { namespace: 'kube-system', name: 'macfleet' };
const leaseHeldBy = (holderIdentity: string, leaseDurationSeconds = 15): Lease => ({
  metadata: { ...KEY, resourceVersion: '7' },
  spec: { holderIdentity, leaseDurationSeconds },
});

describe('decideLease', () => {
  const rows = [
    { story: 'nobody made the lease yet', lease: undefined, seenForMs: 0, move: 'create' },
    { story: 'it is ours', lease: leaseHeldBy('me'), seenForMs: 60_000, move: 'renew' },
    { story: 'it was given back', lease: leaseHeldBy(''), seenForMs: 0, move: 'take' },
    { story: 'another one holds it and renewed lately', lease: leaseHeldBy('other'), seenForMs: 14_999, move: 'wait' },
    {
      story: 'another one holds it and did not renew in time',
      lease: leaseHeldBy('other'),
      seenForMs: 15_000,
      move: 'take',
    },
    { story: 'a lease without spec', lease: { metadata: KEY }, seenForMs: 0, move: 'take' },
  ] as const;
  for (const { story, lease, seenForMs, move } of rows) {
    it(`says ${move} when ${story}`, () =>
      assert.equal(decideLease({ lease, seenSinceMs: 1_000 }, 'me', 1_000 + seenForMs), move));
  }
});

const candidate = (harness: Harness, identity: string): LeaderLease =>
  createLeaderLease({
    client: harness.client,
    clock: harness.clock,
    random: harness.random,
    logger: silentLogger,
    lease: KEY,
    identity,
  });

const settle = async (harness: Harness, seconds: number): Promise<void> => {
  for (let second = 0; second < seconds; second += 1) await harness.advance(1_000);
};

/** Two candidates on one API; whether each is away is switched by the test. */
const twoCandidates = async (options: HarnessOptions = {}) => {
  const harness = createHarness(options);
  const [a, b] = [candidate(harness, 'a'), candidate(harness, 'b')];
  await a.acquire(harness.stop.signal);
  const keptA = a.keep(harness.stop.signal).then(
    () => 'ended',
    (error: FleetError) => error.code,
  );
  b.acquire(harness.stop.signal).then(
    () => b.keep(harness.stop.signal),
    () => undefined,
  );
  return { harness, a, b, keptA };
};

describe('leader lease', () => {
  it('lets one of two lead, for as long as that one renews', async () => {
    const { harness, a, b } = await twoCandidates();
    await settle(harness, 120);
    assert.deepEqual([a.isHeld(), b.isHeld()], [true, false]);
  });

  it('passes at once when it is given back', async () => {
    const { harness, a, b } = await twoCandidates();
    await settle(harness, 5);
    await a.release(harness.stop.signal);
    await settle(harness, 3);
    assert.deepEqual([a.isHeld(), b.isHeld()], [false, true]);
    const lease = harness.api.objects('/apis/coordination.k8s.io/v1/leases')[0];
    assert.deepEqual((lease as Lease | undefined)?.spec?.leaseTransitions, 1);
  });

  it('is given back although a renewal, whose answer nobody waited for, was stored last', async () => {
    const { harness, a } = await twoCandidates();
    await settle(harness, 5);
    const { client } = harness;
    const { signal } = harness.stop;
    const stored = await client.get(LEASES, KEY, { signal });
    await client.update(LEASES, { ...stored, spec: { ...stored.spec, renewTime: 'later' } }, { signal });
    await a.release(signal);
    assert.equal((await client.get(LEASES, KEY, { signal })).spec?.holderIdentity, '');
  });

  it('that somebody else took is left alone by who gives back', async () => {
    const { harness, a } = await twoCandidates();
    await settle(harness, 5);
    const { client } = harness;
    const { signal } = harness.stop;
    const stored = await client.get(LEASES, KEY, { signal });
    await client.update(LEASES, { ...stored, spec: { ...stored.spec, holderIdentity: 'c' } }, { signal });
    await a.release(signal);
    assert.equal((await client.get(LEASES, KEY, { signal })).spec?.holderIdentity, 'c');
  });

  it('is never held by two at any instant, although the leader cannot reach the API any more', async () => {
    let isAway = false;
    const { harness, a, b, keptA } = await twoCandidates({
      intercept: ({ method, body }) => {
        if (isAway && method !== 'GET' && String(body).includes('"holderIdentity":"a"')) {
          throw new FleetError('unavailable', { code: 'ConnectionReset', message: 'reset' });
        }
      },
    });
    await settle(harness, 5);
    isAway = true;
    for (let tenth = 0; tenth < 300; tenth += 1) {
      await harness.advance(100);
      assert.ok(!(a.isHeld() && b.isHeld()), `two leaders after ${tenth / 10} s`);
    }
    assert.equal(b.isHeld(), true);
    assert.equal(await keptA, 'LeaderLeaseLost');
  });

  it('permits nothing to a process that was frozen past its lease', async () => {
    const harness = createHarness();
    const lease = candidate(harness, 'a');
    await lease.acquire(harness.stop.signal);
    lease.permit();
    harness.clock.advance(10_001);
    assert.throws(() => lease.permit(), { kind: 'cancelled', code: 'LeaderLeaseLost' });
  });

  it('does not trust the wall clock of the holder', async () => {
    const { harness, a, b } = await twoCandidates();
    await settle(harness, 5);
    harness.clock.shiftWall(86_400_000);
    await settle(harness, 30);
    assert.deepEqual([a.isHeld(), b.isHeld()], [true, false]);
  });

  it('survives an API that is away for less than the renew deadline', async () => {
    let isAway = false;
    const { harness, a } = await twoCandidates({
      intercept: () => {
        if (isAway) throw new FleetError('unavailable', { code: 'ConnectionReset', message: 'reset' });
      },
    });
    await settle(harness, 4);
    isAway = true;
    await settle(harness, 6);
    isAway = false;
    await settle(harness, 30);
    assert.equal(a.isHeld(), true);
  });

  it('is kept by one whose renewal took effect although the answer was lost', async () => {
    let renewals = 0;
    const harness = createHarness({
      wrap: (inner) => ({
        ...inner,
        send: async (request) => {
          const response = await inner.send(request);
          if (request.method === 'PUT') renewals += 1;
          if (request.method === 'PUT' && renewals % 3 === 0) {
            throw new FleetError('unavailable', { code: 'ConnectionReset', message: 'reset' });
          }
          return response;
        },
      }),
    });
    const lease = candidate(harness, 'a');
    await lease.acquire(harness.stop.signal);
    lease.keep(harness.stop.signal).catch(() => undefined);
    for (let second = 0; second < 60; second += 1) {
      await harness.advance(1_000);
      assert.equal(lease.isHeld(), true, `lost after ${second} s`);
    }
  });

  it('costs one request per renewal', async () => {
    let requests = 0;
    const harness = createHarness({
      intercept: () => {
        requests += 1;
      },
    });
    const lease = candidate(harness, 'a');
    await lease.acquire(harness.stop.signal);
    const before = requests;
    const kept = lease.keep(harness.stop.signal);
    await settle(harness, 60);
    harness.stop.abort();
    await kept;
    assert.ok(requests - before <= 40, `${requests - before} requests in a minute`);
  });
});
