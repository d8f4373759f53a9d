/** Runs jobs of the simulation in processes of their own, a few at a time: schedules share nothing, so two cores do twice as much. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { throwIfAborted } from '../../src/base/abort.ts';
import { FleetError } from '../../src/base/errors.ts';
import { type Job, type Line, parseLine } from './job.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const WORKER = join(import.meta.dirname, 'worker.ts');
/** Without it every worker strips the types of the whole product again. */
const COMPILED = join(ROOT, 'node_modules', '.cache', 'macfleet-compile');
const MUTANT_HOOK = join(ROOT, 'test/mutants/hook.ts');

export interface Task {
  readonly job: Job;
  /** Loads the code with this defect. */
  readonly mutant?: string;
}

export interface PoolOptions<T extends Task> {
  readonly workers: number;
  readonly signal: AbortSignal;
  /** Called as soon as a worker says it. */
  readonly onLine: (line: Line, task: T) => void;
  readonly onDone?: (task: T) => void;
}

/** In the order given; rejects when a worker fails, after which no further job is begun. */
export const runTasks = async <T extends Task>(tasks: Iterable<T>, options: PoolOptions<T>): Promise<void> => {
  const left = tasks[Symbol.iterator]();
  const work = async (): Promise<void> => {
    for (let next = left.next(); next.done !== true; next = left.next()) {
      await runTask(next.value, options);
      options.onDone?.(next.value);
    }
  };
  await Promise.all(Array.from({ length: options.workers }, work));
};

const runTask = async <T extends Task>(task: T, { signal, onLine }: PoolOptions<T>): Promise<void> => {
  throwIfAborted(signal);
  const { job, mutant } = task;
  const hook = mutant === undefined ? [] : ['--import', MUTANT_HOOK];
  const child = spawn(process.execPath, [...hook, WORKER, JSON.stringify(job)], {
    ...{ cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] },
    env: { NODE_COMPILE_CACHE: COMPILED, ...process.env, ...(mutant !== undefined && { MACFLEET_MUTANT: mutant }) },
  });
  const stop = (): void => void child.kill();
  signal.addEventListener('abort', stop);
  const ended = once(child, 'close');
  for await (const text of createInterface({ input: child.stdout })) onLine(parseLine(text), task);
  const [code] = await ended;
  signal.removeEventListener('abort', stop);
  throwIfAborted(signal);
  if (code !== 0) throw workerFailed(task, code);
};

const workerFailed = ({ job, mutant }: Task, code: unknown): FleetError =>
  new FleetError('bug', {
    code: 'WorkerFailed',
    message: `a worker ended with ${String(code)} at ${JSON.stringify(job)}${mutant === undefined ? '' : ` under ${mutant}`}`,
    hint: 'It said why above.',
  });
