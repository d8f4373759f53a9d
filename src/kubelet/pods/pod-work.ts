/** The long work on Pods' VMs, one piece at a time per Pod, beside the queue: a slow pull never delays another's deletion. */

import { afterFailure, type BackoffPolicy } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import { ERROR_BEHAVIOUR } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { Random } from '../../base/random.ts';
import { createOperations, type Operations } from '../../kube/controller/operations.ts';
import type { MadeVm } from './make-vm.ts';
import { forgetRun, type PodMemory, type Work } from './pod-memory.ts';
import type { Waiting } from './render-status.ts';

export type PodOperations = Operations<Waiting, MadeVm | undefined>;

/** Pulls have their own limits, and so has a guest's end; this one is for what nobody thought of. */
const WORK_TIMEOUT_MS = 2 * 3_600_000;
const WORK_AT_ONCE_MAX = 64;

/** How long work that failed waits for the next try. */
const RETRY: BackoffPolicy = { initialMs: 1_000, factor: 2, maxMs: 60_000, minMs: 500 };

export const createPodOperations = (clock: Clock, onChange: (key: string) => void): PodOperations =>
  createOperations({ clock, concurrency: WORK_AT_ONCE_MAX, onChange });

export interface BeginWork {
  readonly what: Work;
  /** How long it may take by what a Pod says, beyond our own limit. */
  readonly graceMs?: number;
  readonly run: (handle: {
    readonly signal: AbortSignal;
    report(progress: Waiting): void;
  }) => Promise<MadeVm | undefined>;
}

export const beginWork = (
  operations: PodOperations,
  memory: PodMemory,
  { what, graceMs = 0, run }: BeginWork,
): void => {
  memory.work = what;
  const { key } = memory;
  const timeoutMs = WORK_TIMEOUT_MS + graceMs;
  operations.ensure(memory.uid, { key, doing: `${what} the VM of ${key}`, timeoutMs, run });
};

/** Takes in how the work stands, an end once. Gives the VM that was made. */
export const foldWork = (
  operations: PodOperations,
  memory: PodMemory,
  deps: { readonly clock: Clock; readonly random: Random; readonly logger: Logger },
): MadeVm | undefined => {
  const state = operations.state(memory.uid);
  const { work } = memory;
  if (state?.state === 'running') {
    if (state.progress !== undefined) memory.progress = state.progress;
    return undefined;
  }
  delete memory.work;
  delete memory.progress;
  operations.forget(memory.uid);
  if (state === undefined || work === undefined) return undefined;
  if (state.state === 'failed') {
    const earlier = memory.stumble?.work === work ? memory.stumble.retry : undefined;
    const retry = afterFailure(earlier, deps.clock.now(), { policy: RETRY, random: deps.random });
    memory.stumble = { work, error: state.error, retry };
    deps.logger.log(ERROR_BEHAVIOUR[state.error.kind].logLevel, 'Work on a VM failed', { work, error: state.error });
    return undefined;
  }
  delete memory.stumble;
  if (state.result?.digest !== undefined) memory.imageDigest = state.result.digest;
  if (state.result !== undefined) forgetRun(memory);
  return state.result;
};
