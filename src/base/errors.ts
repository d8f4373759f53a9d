/**
 * One error class for the whole product, and the one table that says what each kind of error means to the queue, to
 * conditions, to events, to the log and to a shell. To learn where a retry is decided, read ERROR_BEHAVIOUR, then
 * the queue that obeys it (src/kube/queue/work-queue.ts).
 */

export const ERROR_KINDS = [
  'invalid',
  'not-found',
  'exists',
  'conflict',
  'unavailable',
  'throttled',
  'no-capacity',
  'denied',
  'contract',
  'cancelled',
  'bug',
] as const;

export type ErrorKind = (typeof ERROR_KINDS)[number];

/** What the work queue does with a key whose reconcile ended in an error of this kind. */
export type QueueBehaviour =
  /** Nothing helps but a change: no timer of its own, and an event about the key wakes it, after its backoff. */
  | { readonly do: 'wait-for-change' }
  /** Again with exponential backoff and jitter. */
  | { readonly do: 'back-off' }
  /** Again at once, a few times; then backoff. Somebody else wrote first. */
  | { readonly do: 'at-once' }
  /** Again after the delay the other side asked for, or else backoff. */
  | { readonly do: 'after-stated-delay' }
  /** Again every `everyMs`, never slower: the answer may change at any time. */
  | { readonly do: 'steady'; readonly everyMs: number };

export type ConditionEffect = 'false' | 'unknown' | 'unchanged';
export type EventEffect = 'warning' | 'normal' | 'none';
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface ErrorBehaviour {
  readonly queue: QueueBehaviour;
  readonly condition: ConditionEffect;
  readonly event: EventEffect;
  readonly logLevel: LogLevel;
  readonly exitCode: number;
}

export const ERROR_BEHAVIOUR: Readonly<Record<ErrorKind, ErrorBehaviour>> = {
  invalid: { queue: { do: 'wait-for-change' }, condition: 'false', event: 'warning', logLevel: 'info', exitCode: 2 },
  'not-found': { queue: { do: 'back-off' }, condition: 'unchanged', event: 'none', logLevel: 'debug', exitCode: 4 },
  exists: { queue: { do: 'back-off' }, condition: 'unchanged', event: 'none', logLevel: 'debug', exitCode: 4 },
  conflict: { queue: { do: 'at-once' }, condition: 'unchanged', event: 'none', logLevel: 'debug', exitCode: 5 },
  unavailable: { queue: { do: 'back-off' }, condition: 'unknown', event: 'warning', logLevel: 'warn', exitCode: 69 },
  throttled: {
    queue: { do: 'after-stated-delay' },
    condition: 'unknown',
    event: 'none',
    logLevel: 'info',
    exitCode: 69,
  },
  'no-capacity': {
    queue: { do: 'steady', everyMs: 30_000 },
    condition: 'false',
    event: 'normal',
    logLevel: 'info',
    exitCode: 75,
  },
  denied: {
    queue: { do: 'steady', everyMs: 60_000 },
    condition: 'false',
    event: 'warning',
    logLevel: 'error',
    exitCode: 77,
  },
  contract: { queue: { do: 'back-off' }, condition: 'unknown', event: 'warning', logLevel: 'error', exitCode: 76 },
  // A queue that stops starts nothing anyway; one that does not must not lose the key.
  cancelled: { queue: { do: 'back-off' }, condition: 'unchanged', event: 'none', logLevel: 'debug', exitCode: 130 },
  bug: { queue: { do: 'back-off' }, condition: 'unknown', event: 'warning', logLevel: 'error', exitCode: 70 },
};

export interface FleetErrorOptions {
  /** Permanent, searchable name of this very failure, PascalCase. Never reused for another meaning. */
  readonly code: string;
  /** What happened and why, one sentence. Never holds a secret. */
  readonly message: string;
  /** What to do next, one sentence. */
  readonly hint?: string;
  /** Machine-readable facts for the log. Never holds a secret. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
  /** How long the other side asked us to wait (`throttled`). */
  readonly retryAfterMs?: number;
}

export class FleetError extends Error {
  readonly kind: ErrorKind;
  readonly code: string;
  readonly hint: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;
  readonly retryAfterMs: number | undefined;

  constructor(kind: ErrorKind, options: FleetErrorOptions) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'FleetError';
    this.kind = kind;
    this.code = options.code;
    this.hint = options.hint;
    this.details = options.details ?? {};
    this.retryAfterMs = options.retryAfterMs;
  }
}

export const isKind = (error: unknown, ...kinds: readonly ErrorKind[]): boolean =>
  error instanceof FleetError && kinds.includes(error.kind);

/** Anything thrown becomes a FleetError; what is not one already is a bug of ours, except an aborted signal. */
export const toFleetError = (thrown: unknown): FleetError => {
  if (thrown instanceof FleetError) return thrown;
  if (thrown instanceof Error && thrown.name === 'AbortError') {
    return new FleetError('cancelled', { code: 'Cancelled', message: 'the work was cancelled', cause: thrown });
  }
  return new FleetError('bug', { code: 'InternalError', message: messageOf(thrown), cause: thrown });
};

export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

export const cancelled = (message = 'the work was cancelled'): FleetError =>
  new FleetError('cancelled', { code: 'Cancelled', message });

/** Our own assertion. It never ends the process: the object is isolated, counted and reported. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new FleetError('bug', { code: 'AssertionFailed', message });
}

/** The end of every switch over a closed union: a missing case does not compile. */
export const unreachable = (value: never): never => {
  throw new FleetError('bug', { code: 'Unreachable', message: `unexpected value ${JSON.stringify(value)}` });
};
