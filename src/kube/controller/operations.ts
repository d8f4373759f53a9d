/**
 * Long work outside the queue's workers (design D2): one operation per object UID, with progress, a deadline and
 * cancellation. Nothing of it is stored: after a restart the reconcile looks at the world and starts it again.
 */
import { linkedController, neverAborted, withTimeLimit } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { cancelled, type FleetError, toFleetError } from '../../base/errors.ts';
import { createLimiter } from '../../base/limiter.ts';

export type OperationState<P, R> =
  | { readonly state: 'running'; readonly sinceMs: number; readonly progress?: P }
  | { readonly state: 'succeeded'; readonly result: R }
  | { readonly state: 'failed'; readonly error: FleetError };

export interface OperationRequest<P, R> {
  /** The key to wake on progress and at the end. */
  readonly key: string;
  /** What is done, for errors: "bootstrapping". */
  readonly doing: string;
  readonly timeoutMs: number;
  readonly run: (handle: { readonly signal: AbortSignal; report(progress: P): void }) => Promise<R>;
}

export interface Operations<P, R> {
  /** Starts the operation unless one of this UID is known, and tells how it stands. */
  ensure(uid: string, request: OperationRequest<P, R>): OperationState<P, R>;
  state(uid: string): OperationState<P, R> | undefined;
  /** Asks it to end (delete, pause). It counts as running until it has; then it is forgotten. */
  cancel(uid: string): void;
  /** Drops the result of an ended one, once it was folded into the object. */
  forget(uid: string): void;
  /** Cancels all and settles when all have ended. */
  stop(): Promise<void>;
}

export interface OperationsOptions {
  readonly clock: Clock;
  /** Operations under way at once; the others wait their turn inside their deadline. */
  readonly concurrency: number;
  readonly onChange: (key: string) => void;
}

interface Entry<P, R> {
  state: OperationState<P, R>;
  readonly abort: (reason: unknown) => void;
  readonly ended: Promise<void>;
}

export const createOperations = <P, R>({ clock, concurrency, onChange }: OperationsOptions): Operations<P, R> => {
  const entries = new Map<string, Entry<P, R>>();
  const limiter = createLimiter(concurrency);

  const start = (uid: string, request: OperationRequest<P, R>): Entry<P, R> => {
    const controller = linkedController(neverAborted());
    const sinceMs = clock.now();
    const report = (progress: P): void => {
      if (entry.state.state !== 'running') return;
      entry.state = { state: 'running', sinceMs, progress };
      onChange(request.key);
    };
    const deadline = { clock, timeoutMs: request.timeoutMs, signal: controller.signal, doing: request.doing };
    const work = (): Promise<R> => withTimeLimit(deadline, (signal) => request.run({ signal, report }));
    const settle = (state: OperationState<P, R>): void => {
      if (controller.signal.aborted) entries.delete(uid);
      entry.state = state;
      onChange(request.key);
    };
    const entry: Entry<P, R> = {
      state: { state: 'running', sinceMs },
      abort: controller.abort,
      ended: limiter.run(work, controller.signal).then(
        (result) => settle({ state: 'succeeded', result }),
        (thrown: unknown) => settle({ state: 'failed', error: toFleetError(thrown) }),
      ),
    };
    return entry;
  };

  const isRunning = (uid: string): boolean => entries.get(uid)?.state.state === 'running';

  return {
    ensure: (uid, request) => {
      const known = entries.get(uid);
      if (known !== undefined) return known.state;
      const entry = start(uid, request);
      entries.set(uid, entry);
      return entry.state;
    },
    state: (uid) => entries.get(uid)?.state,
    cancel: (uid) => {
      if (isRunning(uid)) entries.get(uid)?.abort(cancelled('the operation was cancelled'));
      else entries.delete(uid);
    },
    forget: (uid) => {
      if (!isRunning(uid)) entries.delete(uid);
    },
    stop: async () => {
      const all = [...entries.values()];
      for (const entry of all) entry.abort(cancelled('the process is stopping'));
      await Promise.all(all.map(({ ended }) => ended));
    },
  };
};
