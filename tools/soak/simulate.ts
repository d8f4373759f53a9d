/**
 * `npm run soak -- simulate`: tens of thousands of schedules on all processors. It can be stopped at any time and goes on where
 * it was, as long as the code is the same; a long run without a violation is put on record, for docs/correctness.md.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { unreached } from '../../src/world/simulate/marks.ts';
import type { Job } from '../simulate/job.ts';
import { runTasks } from '../simulate/pool.ts';
import { addSummary, NO_SCHEDULES, renderUnreached, type SwarmTotal, splitSeeds } from '../simulate/swarm.ts';
import { RECORD_FILE, renderSoakRecord, type SoakRecord } from './simulation-record.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const CHUNK = 100;
/** Fewer prove too little to be put on record. */
const RECORDED_FROM = 10_000;
const SHRINK_TRIES = 100;

export interface SoakOptions {
  readonly seeds: number;
  readonly workers?: number;
  readonly print: (text: string) => void;
  readonly signal: AbortSignal;
}

export interface SoakPorts {
  readonly run: typeof runTasks;
  /** The commit, and what was changed since. */
  readonly code: () => { readonly commit: string; readonly changes: string };
  readonly progressFile: string;
  readonly recordFile: string;
}

/** What is done so far; chunks may be done out of order. */
interface Progress {
  readonly code: string;
  readonly seeds: number;
  /** The first seed of each chunk that is done. */
  readonly done: readonly number[];
  readonly total: SwarmTotal;
  readonly tookMs: number;
}

/** True when no promise was broken. */
export const soakSimulation = async (options: SoakOptions, ports: SoakPorts = REAL_PORTS): Promise<boolean> => {
  const { seeds, print, signal, workers: cores = availableParallelism() } = options;
  const { commit, changes } = ports.code();
  let progress = readProgress(ports.progressFile, { code: `${commit} ${changes}`, seeds });
  const startedMs = performance.now() - progress.tookMs;
  if (progress.done.length > 0) print(`goes on after ${progress.total.schedules} schedules\n`);
  const left = splitSeeds(1, seeds, CHUNK).filter(({ from }) => !progress.done.includes(from));
  const tasks = left.map((chunk): SeedsTask => ({ job: { do: 'seeds', ...chunk, shrink: SHRINK_TRIES } }));
  await ports.run(tasks, {
    ...{ workers: cores, signal },
    onLine: (line, { job }) => {
      if (line.is === 'found') print(`${line.table}\nreplay: npm run simulate -- --seed ${line.seed} --trace\n`);
      if (line.is !== 'swarm') return;
      const total = addSummary(progress.total, line.summary, line.cpuMs);
      progress = { ...progress, done: [...progress.done, job.from], total, tookMs: performance.now() - startedMs };
      keepProgress(ports.progressFile, progress);
    },
  });
  const record = toRecord(progress, { commit, isChanged: changes !== '', cores });
  print(`${renderUnreached(record.unreached, 'all')}${JSON.stringify(record)}\n`);
  rmSync(ports.progressFile, { force: true });
  if (record.violations === 0 && seeds >= RECORDED_FROM) writeFileSync(ports.recordFile, renderSoakRecord(record));
  return record.violations === 0;
};

interface SeedsTask {
  readonly job: Extract<Job, { readonly do: 'seeds' }>;
}

const toRecord = (
  { total, tookMs }: Progress,
  code: Pick<SoakRecord, 'commit' | 'isChanged' | 'cores'>,
): SoakRecord => {
  const { marks, cpuMs, ...counts } = total;
  const minutes = Math.round(tookMs / 60_000);
  const ratePerCoreMinute = Math.round((counts.schedules * 60_000) / Math.max(1, cpuMs));
  const day = new Date().toISOString().slice(0, 10);
  return { ...counts, minutes, ratePerCoreMinute, ...code, day, unreached: [...unreached(marks, counts.schedules)] };
};

const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();

const REAL_PORTS: SoakPorts = {
  run: runTasks,
  code: () => ({
    commit: git('rev-parse', 'HEAD'),
    changes: git('status', '--porcelain', '--', 'src', 'tools', 'test'),
  }),
  progressFile: join(ROOT, 'node_modules', '.cache', 'macfleet-soak-simulate.json'),
  recordFile: join(ROOT, RECORD_FILE),
};

const keepProgress = (file: string, progress: Progress): void => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(progress));
};

/** Nothing is done yet when the code is another one, or the last run came to its end. */
const readProgress = (file: string, wanted: Pick<Progress, 'code' | 'seeds'>): Progress => {
  const kept = existsSync(file) ? parseProgress(readFileSync(file, 'utf8')) : undefined;
  if (kept?.code === wanted.code && kept.seeds === wanted.seeds) return kept;
  return { ...wanted, done: [], total: NO_SCHEDULES, tookMs: 0 };
};

const parseProgress = (text: string): Progress => JSON.parse(text) as Progress;
