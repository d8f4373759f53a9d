/**
 * Looks at the Mac now and then, each concern in a loop of its own, so that a `tart` that hangs delays neither the others nor any
 * heartbeat (K10). What it finds is kept here and told when it changes.
 */
import { withDeadline } from '../../base/abort.ts';
import { type Clock, pause } from '../../base/clock.ts';
import { toFleetError } from '../../base/errors.ts';
import { isEqualJson } from '../../base/json.ts';
import type { Logger } from '../../base/logger.ts';
import { NEEDED } from './node-conditions.ts';
import { CONCERNS, type Concern, type Finding, type NodeState } from './node-facts.ts';

/** Looks once. What it throws means that nobody could look. */
export type Probe = (signal: AbortSignal) => Promise<Finding>;

export interface HostWatchOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly probes: Readonly<Record<Concern, Probe>>;
  readonly measureDisk: () => Promise<number | undefined>;
  /** Asked anew whenever the state is; each source by itself, so that one that fails takes no other with it. */
  readonly labelSources: Readonly<Record<string, LabelSource>>;
  /** How many VMs run now, as far as is known without asking. */
  readonly runningVms: () => number;
}

/** Labels that come and go; throws when they are not known now. */
export type LabelSource = () => Readonly<Record<string, string>>;

export interface HostWatch {
  state(): NodeState;
  /** Calls back after a change. */
  subscribe(onChange: () => void): () => void;
  /** Something that the state is made of may have changed: VMs, images. */
  touch(): void;
  /** The Mac shuts down or restarts, and there is no way back. */
  goDown(): void;
  /** Looks at everything once. Settles when all looks have ended or were given up. */
  lookOnce(signal: AbortSignal): Promise<void>;
  /** Goes on looking until the signal is aborted. */
  run(signal: AbortSignal): Promise<void>;
}

/** What changes seldom, or costs several programs, is looked at less often. */
const LOOK_EVERY_MS: Readonly<Record<Concern, number>> = {
  ...{ disk: 30_000, memory: 30_000, guiSession: 20_000, tart: 30_000, pids: 60_000, autoLogin: 300_000 },
};
const LOOK_AROUND_MS = 30_000;
/** An illness that was not seen before is looked at again before it is believed. */
const CONFIRM_AFTER_MS = 5_000;
/** Looks that go on for half a minute by themselves: with another one a Node would be called Ready for longer than a minute (S29). */
const SURE_AT_ONCE: readonly Concern[] = ['guiSession'];
const LOOK_TIMEOUT_MS = 45_000;
const FIRST_LOOK_TIMEOUT_MS = 5_000;

interface Memory {
  readonly findings: Record<Concern, Finding>;
  readonly suspects: Set<Concern>;
  readonly handlers: Set<() => void>;
  readonly labels: Map<string, Readonly<Record<string, string>>>;
  diskTotalBytes: number | undefined;
  goesDown: boolean;
}

export const createHostWatch = (options: HostWatchOptions): HostWatch => {
  const unknown: Finding = { is: 'unknown', message: 'not looked at yet' };
  const memory: Memory = {
    findings: { disk: unknown, memory: unknown, pids: unknown, guiSession: unknown, tart: unknown, autoLogin: unknown },
    suspects: new Set(),
    handlers: new Set(),
    labels: new Map(),
    diskTotalBytes: undefined,
    goesDown: false,
  };
  const tell = (): void => {
    for (const handler of memory.handlers) handler();
  };
  const note = (concern: Concern, finding: Finding): void => {
    const before = memory.findings[concern];
    memory.findings[concern] = finding;
    if (isEqualJson(before, finding)) return;
    if (finding.is !== 'well') {
      const { message: why, ...more } = finding;
      options.logger.warn('Something is wrong with the Mac', { concern, ...more, why });
    }
    tell();
  };
  return {
    state: () => ({
      findings: { ...memory.findings },
      dynamicLabels: gatherLabels(options, memory),
      diskTotalBytes: memory.diskTotalBytes,
      runningVms: options.runningVms(),
      ...(memory.goesDown && { goesDown: true }),
    }),
    subscribe: (onChange) => {
      memory.handlers.add(onChange);
      return () => void memory.handlers.delete(onChange);
    },
    touch: tell,
    goDown: () => {
      memory.goesDown = true;
      tell();
    },
    lookOnce: async (signal) => {
      await measure(options, memory);
      const looks = CONCERNS.map(async (concern) =>
        note(concern, await look(options, { concern, timeoutMs: FIRST_LOOK_TIMEOUT_MS }, signal)),
      );
      await Promise.all(looks);
    },
    run: async (signal) => {
      await Promise.all([
        ...CONCERNS.map((concern) => watchConcern(options, { concern, memory, note }, signal)),
        watchOthers(options, { memory, tell }, signal),
      ]);
    },
  };
};

interface Watching {
  readonly concern: Concern;
  readonly memory: Memory;
  readonly note: (concern: Concern, finding: Finding) => void;
}

const watchConcern = async (options: HostWatchOptions, watching: Watching, signal: AbortSignal): Promise<void> => {
  const { concern, memory, note } = watching;
  while (!signal.aborted) {
    const isSuspect = memory.suspects.has(concern);
    const waited = await pause(options.clock, isSuspect ? CONFIRM_AFTER_MS : LOOK_EVERY_MS[concern], signal);
    if (waited === 'aborted') return;
    if (concern === 'disk') await measure(options, memory);
    const finding = await look(options, { concern, timeoutMs: LOOK_TIMEOUT_MS }, signal);
    if (signal.aborted) return;
    const isSure = isSuspect || (finding.is === 'ill' && SURE_AT_ONCE.includes(concern));
    if (isTold(finding) && !isTold(memory.findings[concern]) && !isSure) {
      memory.suspects.add(concern);
      continue;
    }
    memory.suspects.delete(concern);
    note(concern, finding);
  }
};

/** Contradicts what a condition says while all is well. */
const isTold = (finding: Finding): boolean =>
  finding.is === 'ill' || (finding.is === 'unknown' && finding.reason !== undefined);

/** Nobody tells of images and VMs that came or went. */
const watchOthers = async (
  options: HostWatchOptions,
  { memory, tell }: { readonly memory: Memory; readonly tell: () => void },
  signal: AbortSignal,
): Promise<void> => {
  const see = (): unknown => [gatherLabels(options, memory), options.runningVms(), memory.diskTotalBytes];
  let before = see();
  while ((await pause(options.clock, LOOK_AROUND_MS, signal)) === 'passed') {
    const now = see();
    if (!isEqualJson(before, now)) tell();
    before = now;
  }
};

const look = async (
  { clock, probes }: HostWatchOptions,
  { concern, timeoutMs }: { readonly concern: Concern; readonly timeoutMs: number },
  signal: AbortSignal,
): Promise<Finding> => {
  try {
    return await withDeadline({ clock, timeoutMs, signal, doing: `looking at ${concern}` }, probes[concern]);
  } catch (thrown) {
    const { code, message } = toFleetError(thrown);
    // What does not answer starts no VM either.
    if (code === 'DeadlineExceeded' && NEEDED.includes(concern)) return { is: 'ill', reason: 'NoAnswer', message };
    return { is: 'unknown', message };
  }
};

const measure = async ({ measureDisk, logger }: HostWatchOptions, memory: Memory): Promise<void> => {
  try {
    memory.diskTotalBytes = await measureDisk();
  } catch (error) {
    logger.warn('The disk cannot be measured', { error });
  }
};

/** A source that fails is answered for by what it said last. */
const gatherLabels = (
  { labelSources, logger }: HostWatchOptions,
  { labels }: Memory,
): Readonly<Record<string, string>> => {
  for (const [name, source] of Object.entries(labelSources)) {
    try {
      labels.set(name, source());
    } catch (error) {
      logger.warn('A source of labels failed', { source: name, error });
    }
  }
  return Object.assign({}, ...labels.values());
};
