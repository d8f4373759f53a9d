/**
 * An actor: one process of the simulated system, seen from inside. Its clock, randomness, identifiers, log and I/O are
 * bound to one life of it. When the kernel kills the actor, every timer and every answer of that life is forgotten:
 * the code that waits for them never runs again, and handles it may still hold have no effect.
 */
import type { Clock } from '../../base/clock.ts';
import { FleetError, messageOf } from '../../base/errors.ts';
import { createIds, type Ids } from '../../base/ids.ts';
import { createLoggerTo, type Logger } from '../../base/logger.ts';
import type { Random } from '../../base/random.ts';
import { type Call, startCall } from './call.ts';
import { openPipe, type Pipe, type PipeOptions } from './pipe.ts';
import { isAlive, type Life, type Wiring } from './wiring.ts';

export interface Actor {
  readonly name: string;
  /** Which life of the actor this handle belongs to, from 0. */
  readonly epoch: number;
  isAlive(): boolean;
  /** `now` follows the actor's skew; `elapsed` does not. */
  readonly clock: Clock;
  readonly random: Random;
  readonly ids: Ids;
  /** Lines go into the trace. */
  readonly logger: Logger;
  /** Starts work that must finish: a run that falls silent before that fails and names it. A rejection fails the run. */
  task(name: string, run: () => Promise<void>): void;
  /** Starts work that may wait for ever. A rejection fails the run. */
  daemon(name: string, run: () => Promise<void>): void;
  call<T>(call: Call<T>): Promise<T>;
  pipe(options: PipeOptions): Pipe;
  /** Adds a line to the trace, and so to the hash. */
  note(text: string): void;
}

/** Work that must finish, for as long as it has not. */
export interface UnfinishedTask {
  readonly actor: string;
  readonly name: string;
  /** Where it was started. */
  readonly startedAt: Error;
}

export interface ActorDeps {
  readonly wiring: Wiring;
  readonly random: Random;
  readonly startWallMs: number;
  /** The kernel's list; a task of a life that ended is taken off it by `closers`. */
  readonly unfinished: Set<UnfinishedTask>;
}

export const createActor = (life: Life, { wiring, random, startWallMs, unfinished }: ActorDeps): Actor => {
  const { process, epoch } = life;
  const addLine = (label: string, fields?: Readonly<Record<string, unknown>>): void =>
    wiring.trace.add({ atMs: wiring.engine.nowMs, actor: process.name, label, ...(fields && { fields }) });

  const start = (name: string, run: () => Promise<void>, onDone: () => void): void => {
    const onError = (error: unknown): void => {
      if (isAlive(life)) wiring.fail(taskFailed(`${process.name}/${name}`, error));
    };
    const begin = (): void => {
      run().then(onDone, onError);
    };
    wiring.engine.schedule({ delayMs: 0, label: `start ${name}`, owner: process, epoch, run: begin });
  };

  const task = (name: string, run: () => Promise<void>): void => {
    if (!isAlive(life)) return;
    const entry: UnfinishedTask = { actor: process.name, name, startedAt: new Error(`started ${name}`) };
    const forget = (): void => {
      unfinished.delete(entry);
      process.closers.delete(forget);
    };
    unfinished.add(entry);
    process.closers.add(forget);
    start(name, run, forget);
  };

  return {
    name: process.name,
    epoch,
    isAlive: () => isAlive(life),
    clock: createActorClock(life, { wiring, startWallMs }),
    random,
    ids: createIds(random.stream('ids')),
    logger: createLoggerTo((level, message, fields) => addLine(`${level}: ${message}`, fields)),
    task,
    daemon: (name, run) => start(name, run, () => undefined),
    call: (call) => startCall(wiring, life, call),
    pipe: (options) => openPipe(wiring, life, options),
    note: (text) => addLine(text),
  };
};

const createActorClock = (
  { process, epoch }: Life,
  { wiring, startWallMs }: Pick<ActorDeps, 'wiring' | 'startWallMs'>,
): Clock => {
  const { engine } = wiring;
  return {
    now: () => Math.floor(startWallMs + engine.nowMs + process.skewMs),
    elapsed: () => engine.nowMs,
    schedule: (delayMs, run) => engine.schedule({ delayMs, label: 'timer', owner: process, epoch, run }),
  };
};

const taskFailed = (name: string, cause: unknown): FleetError =>
  new FleetError('bug', { code: 'SimulatedTaskFailed', message: `${name} failed: ${messageOf(cause)}`, cause });
