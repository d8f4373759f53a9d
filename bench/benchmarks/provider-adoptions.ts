/**
 * B1: a thousand Macs from the wish to Ready, on the virtual clock, with the whole system in one process; then the same fleet
 * idle for ten minutes. B2: forty Macs whose bootstraps take a minute each, against one that is alone, who waits for nobody. The tables on stderr say what every adoption wrote and asked, so that a regression can be explained.
 */
import type { Benchmark, Sample } from '../benchmark.ts';

const MACS = 1_000;
const IDLE_MS = 600_000;
/** The tokens that the Macs joined with have ended and are gone by then. */
const SETTLE_MS = 18 * 60_000;
const INVENTORY_MS = 30_000;
const PAGE = 100;
const FORTY = 40;
const BOOTSTRAP_MS = 60_000;

/** How much longer forty take than one. */
const measureMakespan = async (): Promise<number> => {
  const { adoptFleet, withBootstrapsOf } = await import('../provider/adoptions.ts');
  const adjust = withBootstrapsOf(BOOTSTRAP_MS);
  const alone = await adoptFleet(1, { adjust });
  const { makespanMs } = await adoptFleet(FORTY, { adjust });
  return makespanMs / alone.makespanMs;
};

const measureAdoptions = async (macs: number, idleMs: number): Promise<Sample> => {
  const { adoptFleet, boundMs } = await import('../provider/adoptions.ts');
  const { renderCounts, sumOf } = await import('../../src/world/cost-meter.ts');
  const report = (what: string, table: string): void => void process.stderr.write(`${what}\n${table}\n`);
  const makespan = await measureMakespan();
  const alone = await adoptFleet(1);
  const { world, meter, makespanMs, writes, events, calls } = await adoptFleet(macs);
  report(`${macs} adoptions in ${makespanMs / 1_000} s; writes, each:`, renderCounts(writes, macs));
  report('calls to the cloud, each:', renderCounts(calls, macs));
  await world.kernel.run({ maxEvents: 100_000_000, maxVirtualMs: SETTLE_MS });
  meter.reset(world);
  await world.kernel.run({ maxEvents: 100_000_000, maxVirtualMs: idleMs });
  const idle = meter.allWrites();
  const { list = 0, ...other } = meter.cloudCalls(world);
  report(`idle for ${idleMs / 60_000} min; writes but Leases, in all:`, renderCounts(idle, 1));
  const lists = (idleMs / INVENTORY_MS) * Math.ceil(macs / PAGE);
  return {
    '1,000 adoptions in the time of the lower bound, times': makespanMs / boundMs(macs, alone),
    '40 adoptions with bootstraps of a minute, in times of one alone': makespan,
    'writes to Kubernetes for each, with its identity': sumOf(writes) / macs,
    'Events for each': sumOf(events) / macs,
    'calls to the cloud for each': sumOf(calls) / macs,
    'writes but Leases in ten idle minutes': sumOf(idle),
    'pages of the list in ten idle minutes, times one list per interval': list / lists,
    'other calls to the cloud in ten idle minutes': sumOf(other),
  };
};

export const providerAdoptions: Benchmark = {
  id: 'provider-adoptions',
  about:
    '1,000 Macs adopted and then idle, on the virtual clock: time, writes and calls (the original: minutes per Mac)',
  figures: [
    { name: '1,000 adoptions in the time of the lower bound, times', goal: { of: 'ours', is: '<=', value: 1.5 } },
    {
      name: '40 adoptions with bootstraps of a minute, in times of one alone',
      goal: { of: 'ours', is: '<=', value: 1.05 },
    },
    { name: 'writes to Kubernetes for each, with its identity', goal: { of: 'ours', is: '<=', value: 14 } },
    { name: 'Events for each' },
    { name: 'calls to the cloud for each', goal: { of: 'ours', is: '<=', value: 6 } },
    { name: 'writes but Leases in ten idle minutes', goal: { of: 'ours', is: '<=', value: 0 } },
    {
      name: 'pages of the list in ten idle minutes, times one list per interval',
      goal: { of: 'ours', is: '<=', value: 1.1 },
    },
    { name: 'other calls to the cloud in ten idle minutes', goal: { of: 'ours', is: '<=', value: 0 } },
  ],
  ours: () => measureAdoptions(MACS, IDLE_MS),
};
