/** Does one job of a worker process. */
import { unreachable } from '../../src/base/errors.ts';
import { playRunnerDay } from '../../src/world/runner-hunt.ts';
import { runExhaustive } from '../../src/world/simulate/exhaustive.ts';
import { renderSchedule } from '../../src/world/simulate/render-schedule.ts';
import { runSchedule, runSeed, type SeedResult } from '../../src/world/simulate/run-seed.ts';
import { runSwarm } from '../../src/world/simulate/run-swarm.ts';
import { runSystematic } from '../../src/world/simulate/run-systematic.ts';
import { parseSavedSchedule, renderSavedSchedule } from '../../src/world/simulate/saved-schedule.ts';
import { SCENARIOS } from '../../src/world/simulate/scenarios.ts';
import { shrinkSeed } from '../../src/world/simulate/shrink-seed.ts';
import { type Day, readDays } from './days.ts';
import type { Found, Job, Line } from './job.ts';

type Say = (line: Line) => void;
type JobOf<D extends Job['do']> = Extract<Job, { readonly do: D }>;

export const runJob = async (job: Job, say: Say): Promise<void> => {
  switch (job.do) {
    case 'seeds':
      return runSeeds(job, say);
    case 'hunt':
      return hunt(job, say);
    case 'hunt-runners':
      return huntInRunners(job, say);
    case 'replay':
      return replay(job, say);
    case 'systematic':
      return say({ is: 'systematic', ...(await runSystematic({ ...job, scenarios: SCENARIOS })) });
    case 'exhaustive':
      return exhaust(job, say);
    default:
      return unreachable(job);
  }
};

const exhaust = async ({ steps, minutes, share }: JobOf<'exhaustive'>, say: Say): Promise<void> => {
  const endMs = performance.now() + minutes * 60_000;
  const isTimeUp = (): boolean => performance.now() > endMs;
  const { states, ...summary } = await runExhaustive({ stepsMax: steps, share, isTimeUp });
  say({ is: 'exhaustive', ...summary, states: [...states] });
};

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

const runSeeds = async ({ from, count, shrink }: JobOf<'seeds'>, say: Say): Promise<void> => {
  const onViolation = async (result: SeedResult): Promise<void> => say(await toFound(result, { shrink }));
  const summary = await runSwarm({ firstSeed: from, seeds: count, cpuMs, onViolation });
  say({ is: 'swarm', summary, cpuMs: cpuMs() });
};

/** Other promises that break on the way are named; whether they should be on the list is for a person to judge. */
const hunt = async ({ from, budget, properties, shrink, mutant }: JobOf<'hunt'>, say: Say): Promise<void> => {
  const others = new Set<string>();
  const days = readDays(mutant);
  for (let at = from; at <= budget; at += 1) {
    const day = days[at - 1];
    const result = await (day === undefined ? runSeed(at - days.length) : runDay(day));
    const isMeant = result.violations.some(({ property }) => properties.includes(property));
    if (isMeant) {
      say(await toFound(result, { shrink, mutant, properties }));
      return say({ is: 'hunt', schedules: at, others: [...others] });
    }
    for (const { property } of result.violations) others.add(property);
  }
  say({ is: 'hunt', schedules: budget, others: [...others] });
};

const huntInRunners = async ({ from, budget, properties }: JobOf<'hunt-runners'>, say: Say): Promise<void> => {
  const others = new Set<string>();
  for (let seed = from; seed <= budget; seed += 1) {
    const breaches = await playRunnerDay(seed);
    const meant = breaches.find(({ property }) => properties.includes(property));
    if (meant !== undefined) {
      say({ is: 'found', seed, ...meant, table: meant.message, saved: '' });
      return say({ is: 'hunt', schedules: seed, others: [...others] });
    }
    for (const { property } of breaches) others.add(property);
  }
  say({ is: 'hunt', schedules: budget, others: [...others] });
};

const runDay = async ({ name, schedule }: Day): Promise<SeedResult> => ({
  ...(await runSchedule(schedule)),
  seed: name,
});

const replay = async ({ saved }: JobOf<'replay'>, say: Say): Promise<void> => {
  const { violations } = await runSchedule(parseSavedSchedule(saved).schedule);
  say({ is: 'replay', broken: violations.map(({ property }) => property) });
};

interface FindOptions {
  readonly shrink: number;
  readonly mutant?: string;
  /** Of several promises that broke at the end, one of these is told. */
  readonly properties?: readonly string[];
}

const toFound = async (result: SeedResult, { shrink, mutant, properties }: FindOptions): Promise<Found> => {
  const meant = result.violations.find(({ property }) => properties?.includes(property)) ?? result.violations[0];
  const shrunk = await shrinkSeed(result, shrink, meant?.property);
  const violation = shrunk.violations.find(({ property }) => property === meant?.property);
  const { property = 'S0', message = '' } = violation ?? {};
  const saved = renderSavedSchedule({
    ...{ story: message, broke: property, schedule: shrunk.schedule },
    ...(mutant !== undefined && { mutant }),
  });
  return { is: 'found', seed: result.seed, property, message, table: renderSchedule(shrunk), saved };
};
