/**
 * The queue between "something may have changed" and a reconcile. A key is worked on by one worker at a time, however
 * often it is added; a key that failed waits out its backoff although its status changes; a hot key waits its turn
 * behind the others. This is where the error table of src/base/errors.ts becomes a retry.
 */
import { type BackoffPolicy, backoffDelayMs, DEFAULT_BACKOFF } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import { ERROR_BEHAVIOUR, type FleetError, type QueueBehaviour, toFleetError, unreachable } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';

export type AddReason =
  /** The wish changed (spec, labels, annotations, deletion): now, and an earlier failure is forgiven. */
  | 'wish'
  /** Something the key depends on changed: now, unless the key waits out a failure. */
  | 'change'
  /** A periodic look: when nothing fresher waits. */
  | 'resync';

/** How one pass over a key ended. */
export type Verdict =
  | { readonly next: 'rest' }
  | { readonly next: 'again'; readonly afterMs: number }
  /** There was no pass: whoever held the key back adds it again. What is known of earlier failures stays. */
  | { readonly next: 'held-back' }
  | { readonly next: 'failed'; readonly error: FleetError };

export interface WorkQueue {
  add(key: string, reason: AddReason): void;
  /** Wakes the key no later than this; an earlier wish to wake it stays. */
  addAfter(key: string, afterMs: number): void;
  /** Works until the signal is aborted, then settles when the passes under way are over. */
  run(work: (key: string) => Promise<Verdict>, signal: AbortSignal): Promise<void>;
  /** Keys ready to be worked on. */
  readonly depth: number;
  /** Keys of which anything is remembered: ready, under work, waiting, or failed. A key at rest costs nothing. */
  readonly remembered: number;
}

export interface QueueMetrics {
  added(): void;
  depth(keys: number): void;
  started(waitedSeconds: number): void;
  finished(workedSeconds: number): void;
  retried(): void;
}

export interface WorkQueueOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly workers: number;
  readonly backoff?: BackoffPolicy;
  readonly metrics?: QueueMetrics;
}

/** A conflict is tried again at once, but a key that only ever conflicts is failing like any other. */
const CONFLICTS_AT_ONCE_MAX = 5;

/** After so many fresh keys in a row one resync key gets its turn, so that a busy fleet is still looked over. */
const FRESH_IN_A_ROW_MAX = 8;

interface Entry {
  running: boolean;
  /** Added while running: goes back in line when the pass is over. */
  dirty: AddReason | undefined;
  readySinceMs: number;
  wakeAtMs: number;
  cancelWake: (() => void) | undefined;
  failures: number;
  conflicts: number;
  /** Monotonic time before which only a changed wish wakes the key. */
  notBeforeMs: number;
}

export const createWorkQueue = (options: WorkQueueOptions): WorkQueue => new KeyedQueue(options);

class KeyedQueue implements WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #entries = new Map<string, Entry>();
  /** Insertion order is turn order. */
  readonly #fresh = new Set<string>();
  readonly #resync = new Set<string>();
  #freshInARow = 0;
  #running = 0;
  #stopped = false;
  #work: ((key: string) => Promise<Verdict>) | undefined;
  #onIdle: (() => void) | undefined;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  get depth(): number {
    return this.#fresh.size + this.#resync.size;
  }

  get remembered(): number {
    return this.#entries.size;
  }

  add(key: string, reason: AddReason): void {
    this.#options.metrics?.added();
    const entry = this.#entry(key);
    if (entry.running) {
      entry.dirty = stronger(entry.dirty, reason);
      return;
    }
    this.#admit(key, entry, reason);
  }

  addAfter(key: string, afterMs: number): void {
    if (this.#stopped) return;
    const entry = this.#entry(key);
    const wakeAtMs = this.#options.clock.elapsed() + afterMs;
    if (entry.wakeAtMs <= wakeAtMs) return;
    entry.cancelWake?.();
    entry.wakeAtMs = wakeAtMs;
    entry.cancelWake = this.#options.clock.schedule(afterMs, () => {
      clearWake(entry);
      this.add(key, 'change');
    });
  }

  async run(work: (key: string) => Promise<Verdict>, signal: AbortSignal): Promise<void> {
    this.#work = work;
    this.#pump();
    if (!signal.aborted) {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    }
    this.#work = undefined;
    this.#stopped = true;
    for (const entry of this.#entries.values()) clearWake(entry);
    if (this.#running > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
  }

  #entry(key: string): Entry {
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const entry: Entry = {
      running: false,
      dirty: undefined,
      readySinceMs: 0,
      wakeAtMs: Number.POSITIVE_INFINITY,
      cancelWake: undefined,
      failures: 0,
      conflicts: 0,
      notBeforeMs: 0,
    };
    this.#entries.set(key, entry);
    return entry;
  }

  /** Puts an idle key in line, or leaves it to the end of its backoff. */
  #admit(key: string, entry: Entry, reason: AddReason): void {
    if (reason === 'wish') forgive(entry);
    const nowMs = this.#options.clock.elapsed();
    if (entry.notBeforeMs > nowMs) {
      this.addAfter(key, entry.notBeforeMs - nowMs);
      return;
    }
    if (this.#fresh.has(key)) return;
    if (reason !== 'resync') {
      this.#resync.delete(key);
      this.#fresh.add(key);
    } else if (!this.#resync.has(key)) this.#resync.add(key);
    else return;
    entry.readySinceMs = nowMs;
    this.#options.metrics?.depth(this.depth);
    this.#pump();
  }

  #pump(): void {
    while (this.#work !== undefined && this.#running < this.#options.workers) {
      const key = this.#next();
      if (key === undefined) return;
      this.#start(key, this.#work);
    }
  }

  #next(): string | undefined {
    const turnOfResync = this.#fresh.size === 0 || this.#freshInARow >= FRESH_IN_A_ROW_MAX;
    const line = turnOfResync && this.#resync.size > 0 ? this.#resync : this.#fresh;
    this.#freshInARow = line === this.#fresh ? this.#freshInARow + 1 : 0;
    const [key] = line;
    if (key !== undefined) line.delete(key);
    return key;
  }

  #start(key: string, work: (key: string) => Promise<Verdict>): void {
    const { clock, metrics } = this.#options;
    const entry = this.#entry(key);
    clearWake(entry);
    entry.running = true;
    this.#running += 1;
    const startedMs = clock.elapsed();
    metrics?.depth(this.depth);
    metrics?.started((startedMs - entry.readySinceMs) / 1_000);
    const end = (verdict: Verdict): void => {
      metrics?.finished((clock.elapsed() - startedMs) / 1_000);
      this.#finish(key, entry, verdict);
    };
    work(key).then(end, (thrown: unknown) => end({ next: 'failed', error: toFleetError(thrown) }));
  }

  #finish(key: string, entry: Entry, verdict: Verdict): void {
    entry.running = false;
    this.#running -= 1;
    const dirty = entry.dirty;
    entry.dirty = undefined;
    if (this.#work === undefined) {
      if (this.#running === 0) this.#onIdle?.();
      return;
    }
    this.#settle(key, entry, verdict);
    if (dirty !== undefined) this.#admit(key, entry, dirty);
    this.#forgetIfIdle(key, entry);
    this.#pump();
  }

  #settle(key: string, entry: Entry, verdict: Verdict): void {
    switch (verdict.next) {
      case 'rest':
        forgive(entry);
        return;
      case 'again':
        forgive(entry);
        this.addAfter(key, verdict.afterMs);
        return;
      case 'failed':
        this.#punish(key, entry, verdict.error);
        return;
      case 'held-back':
        return;
      default:
        unreachable(verdict);
    }
  }

  /** What the error's kind asks for, as a time before which the key rests. */
  #punish(key: string, entry: Entry, error: FleetError): void {
    const behaviour = ERROR_BEHAVIOUR[error.kind].queue;
    this.#options.metrics?.retried();
    const restMs = this.#restMs(entry, behaviour, error);
    entry.notBeforeMs = this.#options.clock.elapsed() + restMs;
    if (behaviour.do !== 'wait-for-change') this.addAfter(key, restMs);
  }

  #restMs(entry: Entry, behaviour: QueueBehaviour, error: FleetError): number {
    switch (behaviour.do) {
      case 'at-once':
        entry.conflicts += 1;
        return entry.conflicts <= CONFLICTS_AT_ONCE_MAX ? 0 : this.#backoffMs(entry);
      case 'after-stated-delay':
        return Math.max(error.retryAfterMs ?? 0, this.#backoffMs(entry));
      case 'steady':
        return behaviour.everyMs;
      case 'back-off':
      case 'wait-for-change':
        return this.#backoffMs(entry);
      default:
        return unreachable(behaviour);
    }
  }

  #backoffMs(entry: Entry): number {
    entry.failures += 1;
    return backoffDelayMs(this.#options.backoff ?? DEFAULT_BACKOFF, entry.failures, this.#options.random);
  }

  #forgetIfIdle(key: string, entry: Entry): void {
    const waits = entry.cancelWake !== undefined || this.#fresh.has(key) || this.#resync.has(key);
    if (!waits && !entry.running && entry.notBeforeMs === 0) this.#entries.delete(key);
  }
}

const STRENGTH: Readonly<Record<AddReason, number>> = { resync: 0, change: 1, wish: 2 };

const stronger = (left: AddReason | undefined, right: AddReason): AddReason =>
  left !== undefined && STRENGTH[left] >= STRENGTH[right] ? left : right;

const forgive = (entry: Entry): void => {
  entry.failures = 0;
  entry.conflicts = 0;
  entry.notBeforeMs = 0;
};

const clearWake = (entry: Entry): void => {
  entry.cancelWake?.();
  entry.cancelWake = undefined;
  entry.wakeAtMs = Number.POSITIVE_INFINITY;
};
