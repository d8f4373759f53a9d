/** `--seeds`: many schedules, in several processes when there are many. */
import { writeFileSync } from 'node:fs';
import { unreached } from '../../src/world/simulate/marks.ts';
import type { SwarmSummary } from '../../src/world/simulate/run-swarm.ts';
import type { Found, Job } from './job.ts';
import type { Mode, ModeContext } from './mode.ts';
import { runTasks } from './pool.ts';

const SEEDS = 100;
/** Fewer are not worth a second process. */
const SHARED_FROM = 50;
/** So many schedules are one job: enough to be worth a process, few enough that none waits long for the last. */
const CHUNK_MAX = 100;

export interface SwarmTotal {
  readonly schedules: number;
  readonly violations: number;
  readonly events: number;
  readonly virtualHours: number;
  readonly cpuMs: number;
  readonly marks: Readonly<Record<string, number>>;
}

export const NO_SCHEDULES: SwarmTotal = {
  schedules: 0,
  violations: 0,
  events: 0,
  virtualHours: 0,
  cpuMs: 0,
  marks: {},
};

export const addSummary = (total: SwarmTotal, summary: SwarmSummary, cpuMs: number): SwarmTotal => {
  const marks = { ...total.marks };
  for (const [mark, count] of Object.entries(summary.marks)) marks[mark] = (marks[mark] ?? 0) + count;
  return {
    schedules: total.schedules + summary.schedules,
    violations: total.violations + summary.violations,
    events: total.events + summary.events,
    virtualHours: total.virtualHours + summary.virtualHours,
    cpuMs: total.cpuMs + cpuMs,
    marks,
  };
};

/** Chunks of seeds, from one on. */
export const splitSeeds = (from: number, count: number, size: number): readonly { from: number; count: number }[] =>
  Array.from({ length: Math.ceil(count / size) }, (_, at) => ({
    from: from + at * size,
    count: Math.min(size, count - at * size),
  }));

export const runSeedsMode: Mode = async (context) => {
  const { flags, tell, signal, elapsedMs } = context;
  const { seeds = SEEDS } = flags;
  const workers = workersOf(context, seeds);
  const size = Math.max(1, Math.min(CHUNK_MAX, Math.ceil(seeds / workers)));
  const tasks = splitSeeds(flags.from, seeds, size).map((chunk): { readonly job: Job } => ({
    job: { do: 'seeds', ...chunk, shrink: flags.shrink },
  }));
  let total = NO_SCHEDULES;
  let saved = false;
  await runTasks(tasks, {
    ...{ workers, signal },
    onLine: (line) => {
      if (line.is === 'swarm') total = addSummary(total, line.summary, line.cpuMs);
      if (line.is !== 'found') return;
      tell(renderFound(line));
      if (flags.save !== undefined && !saved) writeFileSync(flags.save, line.saved);
      saved = true;
    },
  });
  showTotal(context, total, { workers, tookMs: elapsedMs() });
  return total.violations === 0;
};

const workersOf = ({ flags, cores }: ModeContext, seeds: number): number =>
  flags.workers ?? (seeds < SHARED_FROM ? 1 : cores);

const renderFound = ({ table, seed }: Found): string =>
  `${table}\nreplay: npm run simulate -- --seed ${seed} --trace\n`;

/** How many of those that were not reached are named where not all are asked for. */
const NAMED_MAX = 5;

/** L22: what is never reached is never tested. Empty when nothing was missed. */
export const renderUnreached = (missed: readonly string[], named: 'all' | 'some'): string => {
  if (missed.length === 0) return '';
  const head = `${missed.length} reached in fewer than one of 1,000 schedules`;
  if (named === 'all') return `${head}:\n${missed.map((one) => `  ${one}\n`).join('')}`;
  const more = missed.length > NAMED_MAX ? ', … (all of them: --unreached)' : '';
  return `${head}: ${missed.slice(0, NAMED_MAX).join(', ')}${more}\n`;
};

const perMinute = (count: number, ms: number): number => Math.round((count * 60_000) / Math.max(1, ms));

const showTotal = (
  { flags, print }: ModeContext,
  { marks, cpuMs, ...counts }: SwarmTotal,
  { workers, tookMs }: { readonly workers: number; readonly tookMs: number },
): void => {
  const { schedules } = counts;
  const missed = unreached(marks, schedules);
  if (flags.json !== true) {
    for (const [mark, count] of Object.entries(marks).sort()) print(`${String(count).padStart(6)}  ${mark}`);
    if (missed.length > 0) print(renderUnreached(missed, flags.unreached === true ? 'all' : 'some').trimEnd());
  }
  const rates = { ratePerMinute: perMinute(schedules, tookMs), ratePerCoreMinute: perMinute(schedules, cpuMs) };
  print(JSON.stringify({ ...counts, ...rates, workers, unreached: flags.unreached === true ? missed : missed.length }));
};
