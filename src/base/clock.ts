/**
 * Time as a port. Product code asks a Clock and never the platform, so that the whole system runs on the virtual
 * clock of src/sim/kernel from a seed.
 */
import { cancelled } from './errors.ts';

export interface Clock {
  /** Wall clock in milliseconds since the epoch. May jump. */
  now(): number;
  /** Monotonic milliseconds; only differences mean something. */
  elapsed(): number;
  /** Calls `run` once after `delayMs`; the returned function takes that back. */
  schedule(delayMs: number, run: () => void): () => void;
}

/** `setTimeout` treats anything past this as "now". */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const createSystemClock = (): Clock => ({
  now: () => Date.now(),
  elapsed: () => performance.now(),
  // A fleet in one process has thousands of these at a time, and hardly ever one that is too long for the platform.
  schedule: (delayMs, run) => {
    if (delayMs > LONGEST_TIMER_MS) return scheduleInSteps(delayMs, run);
    const timer = setTimeout(run, Math.max(delayMs, 0));
    return () => clearTimeout(timer);
  },
});

const scheduleInSteps = (delayMs: number, run: () => void): (() => void) => {
  let timer: NodeJS.Timeout;
  const arm = (leftMs: number): void => {
    const stepMs = Math.min(leftMs, LONGEST_TIMER_MS);
    timer = setTimeout(() => (leftMs > stepMs ? arm(leftMs - stepMs) : run()), stepMs);
  };
  arm(delayMs);
  return () => clearTimeout(timer);
};

/** Resolves after `delayMs`; rejects with `cancelled` as soon as the signal is aborted. */
export const sleep = (clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(cancelled());
      return;
    }
    const onAbort = (): void => {
      cancelTimer();
      reject(cancelled());
    };
    const cancelTimer = clock.schedule(delayMs, () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
    signal.addEventListener('abort', onAbort, { once: true });
  });

/** As `sleep` where an abort is a reason to look up, not an error: says which of the two it was. */
export const pause = (clock: Clock, delayMs: number, signal: AbortSignal): Promise<'passed' | 'aborted'> =>
  sleep(clock, delayMs, signal).then(
    () => 'passed',
    () => 'aborted',
  );

/** RFC 3339 with seconds, as Kubernetes writes `metav1.Time`. */
export const toTimestamp = (atMs: number): string => `${new Date(atMs).toISOString().slice(0, 19)}Z`;

/** RFC 3339 with microseconds, as Kubernetes writes `metav1.MicroTime`. */
export const toMicroTimestamp = (atMs: number): string => `${new Date(atMs).toISOString().slice(0, 23)}000Z`;

/** `Date.parse` alone also takes "1" for a year, and a time without a zone for one of this machine's zone. */
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** Milliseconds since the epoch, or undefined when the text is no RFC 3339 time. */
export const parseTimestamp = (text: string | undefined): number | undefined => {
  if (text === undefined || !RFC_3339.test(text)) return undefined;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : atMs;
};
