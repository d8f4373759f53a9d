import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAC_HOSTS } from '../kinds/mac-host.ts';
import { createCostMeter, renderCounts, sumOf } from './cost-meter.ts';
import { BOUNDS, readyMachines, runUntil, scale, startWorld } from './testing/fleet-run.ts';

const MACS = 8;
const INVENTORY_MS = 30_000;
const HOUR_MS = 3_600_000;

/** What a Node's certificate of an hour costs when it is renewed, and its token when it has run out (R23). */
const RENEWALS: ReadonlySet<string> = new Set([
  'node create certificatesigningrequests',
  'manager update certificatesigningrequests/approval',
  'manager patch machosts',
  'manager patch machosts/status',
  'certificate-controller create subjectaccessreviews',
  'certificate-controller patch certificatesigningrequests/status',
  'certificate-controller delete certificatesigningrequests',
  'token-cleaner delete secrets',
  'manager delete secrets',
]);

const startFleet = async (macs: number) => {
  const meter = createCostMeter();
  const world = startWorld({ seed: 1, macs, callsKept: 100_000, observer: { onRequest: meter.onRequest } }, 0);
  await runUntil(world, 'a pool on record', () => {
    const hosts = world.operator.list(MAC_HOSTS);
    return hosts.length === macs && hosts.every(({ status }) => status?.state === 'free');
  });
  return { world, meter };
};

describe('what a fleet costs, on the virtual clock', () => {
  it('adopts a Mac with at most 14 writes, with its identity, 5 Events and 6 calls to the cloud', async () => {
    const { world, meter } = await startFleet(MACS);
    const { 'create machosts': created = 0, ...more } = meter.managerWrites();
    assert.equal(created, MACS);
    assert.ok(sumOf(more) <= 2 * MACS + 2, `to put it on record:\n${renderCounts(more, MACS)}`);
    meter.reset(world);
    scale(world, MACS);
    await runUntil(world, 'all ready', () => readyMachines(world) === MACS);
    // The tokens they joined with have ended and are gone by then.
    await world.kernel.run({ ...BOUNDS, maxVirtualMs: 20 * 60_000 });
    // Once for the cluster, not for each Mac: its kubeconfig.
    const { 'create serviceaccounts/token': _token, ...writes } = meter.managerWrites();
    assert.ok(sumOf(writes) <= 14 * MACS + 1, `writes per adoption:\n${renderCounts(writes, MACS)}`);
    const events = meter.managerEvents();
    assert.ok(sumOf(events) <= 5 * MACS, `events per adoption:\n${renderCounts(events, MACS)}`);
    const { list: _list, ...calls } = meter.cloudCalls(world);
    assert.ok(sumOf(calls) <= 6 * MACS, `calls per adoption:\n${renderCounts(calls, MACS)}`);
  });

  it('writes nothing but Leases when it is idle, and renewed identities; and lists its servers once per interval', async () => {
    const macs = 2;
    const { world, meter } = await startFleet(macs);
    scale(world, macs);
    await runUntil(world, 'all ready', () => readyMachines(world) === macs);
    await world.kernel.run({ ...BOUNDS, maxVirtualMs: 120_000 });
    meter.reset(world);
    await world.kernel.run({ ...BOUNDS, maxVirtualMs: HOUR_MS });
    const writes = Object.entries(meter.allWrites());
    assert.deepEqual(
      writes.filter(([what]) => !RENEWALS.has(what)),
      [],
    );
    for (const [what, times] of writes) assert.ok(times <= 2 * macs, `${what}: ${times} times for ${macs} renewals`);
    const { list = 0, ...others } = meter.cloudCalls(world);
    assert.deepEqual(others, {});
    assert.ok(Math.abs(list - HOUR_MS / INVENTORY_MS) <= 2, `${list} lists`);
  });
});
