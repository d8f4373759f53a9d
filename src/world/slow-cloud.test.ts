/** Fleets on a cloud that takes few requests: everything takes longer, nothing waits for ever, and nothing is asked twice. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAC_HOSTS, type MacHost } from '../kinds/mac-host.ts';
import { MACHINES } from '../kinds/machine.ts';
import type { ProviderPorts } from '../provider/create-manager.ts';
import { type Counts, createCostMeter, renderCounts, sumOf } from './cost-meter.ts';
import { TRUE_PACE } from './fleet-pace.ts';
import type { FleetWorld } from './fleet-world.ts';
import { BOUNDS, checkOf, freeHosts, readyMachines, runUntil, scale, startWorld } from './testing/fleet-run.ts';

/** As many Macs as the host controller works on at once. */
const AT_ONCE = 16;
const MANY = 200;

const withoutLimit = (ports: ProviderPorts): ProviderPorts => {
  const limits = { ...ports.settings.limits, reinstallsPerHour: 1_000 };
  return { ...ports, settings: { ...ports.settings, limits } };
};

const start = (options: { readonly macs: number; readonly burst: number; readonly perSecond: number }, wanted = 0) => {
  const { macs, ...cloudRequests } = options;
  const meter = createCostMeter();
  const world = startWorld(
    {
      ...{ seed: 1, macs, adjust: withoutLimit, callsKept: 100_000 },
      pace: { ...TRUE_PACE, cloudRequests },
      observer: { onRequest: meter.onRequest },
    },
    wanted,
  );
  return { world, meter };
};

const SLOW = [
  { macs: 24, burst: 4, perSecond: 2 },
  { macs: 5, burst: 1, perSecond: 0.1 },
];

describe('a cloud that takes few requests', () => {
  for (const options of SLOW) {
    const { macs, perSecond } = options;
    it(`R13 lets ${macs} Macs be adopted and given back with ${perSecond} requests a second`, async () => {
      const { world, meter } = start(options, macs);
      await runUntil(world, 'all ready', () => readyMachines(world) === macs);
      const adopting = looks(meter.cloudCalls(world), macs);
      assert.ok(adopting <= 9, `${adopting} looks per adoption`);
      meter.reset(world);
      scale(world, 0);
      await runUntil(world, 'all free', () => freeHosts(world) === macs && onRecord(world, macs));
      assert.deepEqual(world.operator.list(MACHINES), []);
      const left = world.operator.list(MAC_HOSTS).flatMap(({ status }) => status?.configHash ?? []);
      assert.deepEqual(left, [], 'nothing is on a Mac that was wiped');
      const releasing = looks(meter.cloudCalls(world), macs);
      assert.ok(releasing <= 12, `${releasing} looks per return`);
    });
  }
});

const looks = ({ get = 0 }: Counts, macs: number): number => get / macs;

/** A look at all records costs as much as many writes. */
const LOOK_EVERY = 5;

/** How many Macs stand between the record of a write and the write, at the worst. */
const watchRecords = (world: FleetWorld): { readonly most: () => number } => {
  let most = 0;
  let writes = 0;
  world.onWrite(({ what }) => {
    writes += what === MAC_HOSTS.plural ? 1 : 0;
    if (what !== MAC_HOSTS.plural || writes % LOOK_EVERY !== 0) return;
    const open = world.operator.list(MAC_HOSTS).filter((host) => isUnsent(world, host)).length;
    most = Math.max(most, open);
  });
  return { most: () => most };
};

/** On record, and not to be seen at the server. */
const isUnsent = ({ cloud }: FleetWorld, { metadata, spec }: MacHost): boolean => {
  const server = cloud.server(metadata.name);
  const { lastWrite, assignedName, reinstall } = spec;
  if (lastWrite?.verb === 'rename') return assignedName?.next !== undefined && server?.name !== assignedName.next;
  return lastWrite?.verb === 'reinstall' && reinstall?.acceptedAt === undefined && server?.status === 'ready';
};

/** Looks at so large a fleet now and then only. */
const stepUntil = async (world: FleetWorld, what: string, until: () => boolean): Promise<void> => {
  const check = checkOf(world);
  for (let step = 0; step < 240; step += 1) {
    await world.kernel.run({ ...BOUNDS, maxVirtualMs: 15_000 });
    check();
    if (until()) return;
  }
  assert.fail(`never: ${what}`);
};

const onRecord = (world: FleetWorld, macs: number): boolean => {
  const hosts = world.operator.list(MAC_HOSTS);
  return hosts.length === macs && hosts.every(({ status }) => status?.state === 'free');
};

describe('Macs, many at once, with 4 requests a second', () => {
  const options = { macs: MANY, burst: 4, perSecond: 4 };

  it(`R13 are claimed ${AT_ONCE} at a time: a record is made once, and its rename follows on one look`, async () => {
    const claims = MANY / 4;
    const { world, meter } = start({ ...options, macs: claims });
    await stepUntil(world, 'a pool on record', () => onRecord(world, claims));
    meter.reset(world);
    const records = watchRecords(world);
    scale(world, claims);
    const isTaken = ({ name }: { readonly name: string }): boolean => !name.startsWith('tuist-pool-');
    await stepUntil(world, 'all taken', () => world.cloud.servers().every(isTaken));
    assert.ok(records.most() > 1 && records.most() <= AT_ONCE, `${records.most()} at a time`);
    const { get = 0, rename = 0 } = meter.cloudCalls(world);
    // One more before the work on each that has its final name by now.
    assert.ok(get <= 1.5 * rename + AT_ONCE, `${get} looks for ${rename} renames`);
  });

  it(`R11 R13 ${MANY} of them end ${AT_ONCE} at a time, with few calls and writes each`, async () => {
    const { world, meter } = start(options);
    await stepUntil(world, 'a pool on record', () => onRecord(world, MANY));
    meter.reset(world);
    const records = watchRecords(world);
    for (const { metadata } of world.operator.list(MAC_HOSTS)) {
      const release = { intentID: `i-${metadata.name}`, reason: 'NotNeeded', by: 'ann' };
      world.operator.merge(MAC_HOSTS, metadata.name, { spec: { release } });
    }
    const isBack = ({ spec }: MacHost): boolean => spec.release === undefined && spec.wipes === 1;
    await stepUntil(world, 'all back', () => world.operator.list(MAC_HOSTS).every(isBack));
    assert.ok(records.most() > 1 && records.most() <= AT_ONCE, `${records.most()} at a time`);
    const { list: _list, images = 0, ...calls } = meter.cloudCalls(world);
    assert.deepEqual({ rename: calls['rename'], reinstall: calls['reinstall'] }, { rename: 2 * MANY, reinstall: MANY });
    assert.ok(images <= 4, `${images} lists of images`);
    assert.ok(sumOf(calls) <= 9 * MANY, `calls per return:\n${renderCounts(calls, MANY)}`);
    const writes = meter.managerWrites();
    assert.ok(sumOf(writes) <= 11 * MANY, `writes per return:\n${renderCounts(writes, MANY)}`);
  });
});
