/** What the parts of one kernel share: the engine and the few things that call, pipe and actor need from the kernel. */
import type { FleetError } from '../../base/errors.ts';
import type { Engine, Process } from './engine.ts';
import type { Network } from './network.ts';
import type { Trace } from './trace.ts';

export const CRASH_KINDS = ['before-effect', 'after-effect', 'before-delivery'] as const;

/**
 * Where to kill an actor: right before or right after the effect of its n-th call, or instead of the n-th event it would
 * have received (an answer, a timer, bytes). Between two such points its code runs without interruption anyway.
 */
export type CrashKind = (typeof CRASH_KINDS)[number];

export interface Wiring {
  readonly engine: Engine;
  readonly network: Network;
  readonly trace: Trace;
  process(name: string): Process;
  /** Kills the process if the run's crash point is its `index`-th of this kind; says whether it did. */
  crashHere(process: Process, kind: CrashKind, index: number): boolean;
  /** Ends the run with this failure. */
  fail(error: FleetError): void;
}

/** One life of a process: what an actor's handles are bound to. */
export interface Life {
  readonly process: Process;
  readonly epoch: number;
}

export const isAlive = ({ process, epoch }: Life): boolean => process.epoch === epoch && process.isUp;
