/**
 * One budget of requests for the whole account, because Scaleway counts them per account: a bucket that refills steadily,
 * from which those who change something are served before those who only look. A 429 closes it for the stated time.
 *
 * A write follows a look that has just been paid for, and is worth nothing once that look is old (R13). So it does not wait
 * for the bucket: it runs into debt, as deep as a burst at most, and the looks after it wait longer. Whatever the rate, a look
 * that was let through can be acted on.
 */
import type { Clock } from '../../base/clock.ts';
import { cancelled } from '../../base/errors.ts';

export interface RequestBudget {
  /** Resolves when a request may be sent. */
  take(use: 'read' | 'write', signal: AbortSignal): Promise<void>;
  /** Nothing is sent for so long. */
  closeFor(delayMs: number): void;
  readonly waiting: number;
}

export interface BudgetOptions {
  /** So many may be sent at once after a quiet time. */
  readonly burst: number;
  readonly perSecond: number;
}

export const createRequestBudget = (clock: Clock, { burst, perSecond }: BudgetOptions): RequestBudget => {
  const writers = new Set<() => void>();
  const readers = new Set<() => void>();
  let tokens = burst;
  let filledAtMs = clock.elapsed();
  let closedUntilMs = Number.NEGATIVE_INFINITY;
  let cancelTimer: (() => void) | undefined;

  const refill = (): void => {
    const nowMs = clock.elapsed();
    tokens = Math.min(burst, tokens + ((nowMs - filledAtMs) * perSecond) / 1_000);
    filledAtMs = nowMs;
  };
  const delayMs = (use: 'read' | 'write'): number => {
    const lacking = (use === 'write' ? 1 - burst : 1) - tokens;
    return Math.max(closedUntilMs - clock.elapsed(), (lacking * 1_000) / perSecond, 0);
  };

  const serve = (): void => {
    cancelTimer?.();
    cancelTimer = undefined;
    refill();
    while (writers.size + readers.size > 0) {
      const waitMs = delayMs(writers.size > 0 ? 'write' : 'read');
      if (waitMs > 0) {
        cancelTimer = clock.schedule(Math.ceil(waitMs), serve);
        return;
      }
      const line = writers.size > 0 ? writers : readers;
      const [next] = line;
      if (next === undefined) return;
      line.delete(next);
      tokens -= 1;
      next();
    }
  };

  return {
    take: (use, signal) => {
      const turn = standInLine(use === 'write' ? writers : readers, signal);
      serve();
      return turn;
    },
    closeFor: (forMs) => {
      closedUntilMs = Math.max(closedUntilMs, clock.elapsed() + forMs);
      serve();
    },
    get waiting() {
      return writers.size + readers.size;
    },
  };
};

/** Settles when somebody calls what was put into the line, or the signal is aborted. */
const standInLine = (line: Set<() => void>, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(cancelled());
      return;
    }
    const onAbort = (): void => {
      line.delete(go);
      reject(cancelled());
    };
    const go = (): void => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    };
    line.add(go);
    signal.addEventListener('abort', onAbort, { once: true });
  });
