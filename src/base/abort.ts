/** Deadlines and cancellation, on the injected clock. Every asynchronous function of ours takes a signal. */
import type { Clock } from './clock.ts';
import { cancelled, FleetError } from './errors.ts';

/** A signal nobody aborts, for callers that have none of their own. */
export const neverAborted = (): AbortSignal => new AbortController().signal;

export const throwIfAborted = (signal: AbortSignal): void => {
  if (signal.aborted) throw reasonOf(signal);
};

/** Why it was aborted, as an error to end with. */
export const reasonOf = (signal: AbortSignal): FleetError =>
  signal.reason instanceof FleetError ? signal.reason : cancelled();

export interface LinkedController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
  /** Stops listening to the parent; call it when the work is over. */
  release(): void;
}

/** A controller that is aborted with its parent, and that leaves no listener behind once released. */
export const linkedController = (parent: AbortSignal): LinkedController => {
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(parent.reason);
  if (parent.aborted) onAbort();
  else parent.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    release: () => parent.removeEventListener('abort', onAbort),
  };
};

/** Settles as `work` does, or rejects as soon as the signal is aborted, whichever comes first. */
export const abortable = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
  if (signal.aborted) {
    work.catch(() => undefined);
    return Promise.reject(reasonOf(signal));
  }
  return new Promise<T>((resolve, reject) => {
    const onAbort = (): void => reject(reasonOf(signal));
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
};

export interface Deadline {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** What was being done, for the error: "listing pods". */
  readonly doing: string;
}

/**
 * Runs `work` with a signal that is aborted at the deadline, and settles when the work itself has ended: nothing of it
 * goes on behind the caller's back. What it throws after its deadline is told as `unavailable`.
 */
export const withTimeLimit = async <T>(deadline: Deadline, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
  throwIfAborted(deadline.signal);
  const linked = linkedController(deadline.signal);
  let late: FleetError | undefined;
  const cancelTimer = deadline.clock.schedule(deadline.timeoutMs, () => {
    late = timedOut(deadline);
    linked.abort(late);
  });
  try {
    return await work(linked.signal);
  } catch (thrown) {
    throw late ?? thrown;
  } finally {
    cancelTimer();
    linked.release();
  }
};

/** As withTimeLimit, but gives up on the work at once when the deadline or an abort comes: for reads. */
export const withDeadline = <T>(deadline: Deadline, work: (signal: AbortSignal) => Promise<T>): Promise<T> =>
  withTimeLimit(deadline, (signal) => abortable(work(signal), signal));

const timedOut = ({ doing, timeoutMs }: Deadline): FleetError =>
  new FleetError('unavailable', {
    code: 'DeadlineExceeded',
    message: `${doing} took longer than ${timeoutMs} ms`,
    details: { timeoutMs },
  });
