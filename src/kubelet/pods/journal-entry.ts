/**
 * What this Mac remembers of a Pod, by its UID, across the agent's death and the Mac's own: which VM is its, that it was
 * started, and how it ended. Written before the thing it announces, so that a restart neither runs a finished job again
 * nor loses its exit code.
 */
import { isRecord } from '../../base/json.ts';

/** How a VM's run ended, as the Pod's container tells it. */
export interface Outcome {
  readonly exitCode: number;
  /** Of the container, one of the reasons that users and alerts know. */
  readonly reason: string;
  readonly message?: string;
  readonly startedMs: number;
  readonly finishedMs: number;
  /** Of the Pod, when it is not the container's end alone that ends it. */
  readonly podReason?: string;
}

export const JOURNAL_STAGES = ['making', 'started', 'ended', 'cleared'] as const;

export interface JournalEntry {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly vm: string;
  readonly image: string;
  /**
   * `making`: a VM may be there, and has never run. `started`: it may run at any moment. `ended`: its outcome is known.
   * `cleared`: nothing of it is left.
   */
  readonly stage: (typeof JOURNAL_STAGES)[number];
  readonly restarts: number;
  /** Where the run itself tells nothing better. */
  readonly startedMs?: number;
  /** Where in the log of its VM the run begins; earlier runs printed there too. */
  readonly logFromByte?: number;
  /** From `ended` on. */
  readonly outcome?: Outcome;
  /** Of the run before a restart. */
  readonly previous?: Outcome;
  /** Before this time it is not started again. */
  readonly notBeforeMs?: number;
  /** Why it was stopped before its own end. */
  readonly stopped?: StopReason;
}

export interface StopReason {
  /** Absent when the run was over anyway. */
  readonly message?: string;
  /** Set when the whole Pod is over with this run, whatever its restart policy. */
  readonly podReason?: string;
  /** When that was decided; what earlier versions wrote has none. */
  readonly sinceMs?: number;
  /** The guest's grace, where it is another than the Pod's. */
  readonly graceSeconds?: number;
}

/** Undefined when the text is none of ours: a half-written file of an old life, or somebody else's. */
export const parseJournalEntry = (text: string): JournalEntry | undefined => {
  const value = parseJson(text);
  if (!isRecord(value)) return undefined;
  const { uid, namespace, name, vm, image, stage, restarts } = value;
  const texts = [uid, namespace, name, vm, image];
  if (!texts.every((field) => typeof field === 'string') || typeof restarts !== 'number') return undefined;
  if (!JOURNAL_STAGES.some((known) => known === stage)) return undefined;
  if ((stage === 'ended' || stage === 'cleared') && !isOutcome(value['outcome'])) return undefined;
  return value as unknown as JournalEntry;
};

const isOutcome = (value: unknown): boolean =>
  isRecord(value) &&
  typeof value['exitCode'] === 'number' &&
  typeof value['reason'] === 'string' &&
  typeof value['startedMs'] === 'number' &&
  typeof value['finishedMs'] === 'number';

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
