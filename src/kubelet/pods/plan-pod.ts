/**
 * A Pod's life on this Mac as one total table: what it wishes, where its VM is, and the next move. Pure. Deletion comes
 * before a Pod's own end, so that a finished Pod that is deleted goes at once (seed 003).
 */
import { parseTimestamp } from '../../base/clock.ts';
import { unreachable } from '../../base/errors.ts';
import { FINALIZERS } from '../../kinds/labels.ts';
import type { Pod } from '../../kube/types/pod.ts';
import type { JournalEntry } from './journal-entry.ts';

export const WISHES = [
  /** It should run, or have run. */
  'run',
  /** It should run, but asks for what a VM cannot do. */
  'refused',
  /** It runs, and a liveness probe says that this run must end. */
  'unwell',
  /** Its command has ended; what is left is a VM that idles. */
  'done',
  /** It was active for longer than it may be. */
  'expired',
  /** It is told to run, and this Mac has no trace of it: it ran on another that had the name of this Node. */
  'lost',
  /** Its Mac shuts down. */
  'leaving',
  /** Its phase says that it is over, whoever wrote that. */
  'over',
  /** Somebody deleted it, whatever its phase. */
  'end',
  /** There is no such Pod any more. */
  'gone',
] as const;

export type Wish = (typeof WISHES)[number];

export const STAGES = [
  'nothing',
  /** A VM is being made and started. */
  'making',
  /** Making was given up or cut short; a clone that never ran may be there. */
  'half-made',
  /** The journal says that it was started; this life of the agent has not looked yet. */
  'unseen',
  'running',
  /** Its process is over and its outcome is not yet written down. */
  'exited',
  /** Its outcome is written down; its disk is still there. */
  'ended',
  'stopping',
  'removing',
  /** Nothing is left of it but its outcome. */
  'cleared',
] as const;

export type Stage = (typeof STAGES)[number];

export const MOVES = [
  /** Claim the Pod (finalizer and status in one write) and begin to make its VM, once its time has come. */
  'create',
  /** Say that it is refused, and why. */
  'reject',
  /** Look for the run that an earlier life started. */
  'look',
  /** Tell how it is, where that differs from what was told. */
  'report',
  /** Find the outcome and write it down. */
  'settle',
  /** Start it anew if its policy says so; otherwise tell its end. */
  'conclude',
  'cancel',
  'stop',
  /** See to it that a stop takes no longer than it may now. */
  'hasten',
  'remove',
  /** Tell the end if nobody did, take our finalizer off, and let a deleted Pod go. */
  'release',
  'forget',
  'wait',
] as const;

export type Move = (typeof MOVES)[number];

const RUN: Readonly<Record<Stage, Move>> = {
  nothing: 'create',
  making: 'report',
  'half-made': 'create',
  unseen: 'look',
  running: 'report',
  exited: 'settle',
  ended: 'conclude',
  stopping: 'wait',
  removing: 'wait',
  cleared: 'conclude',
};

/** A run that goes on for none of these. */
const STOP = { running: 'stop', stopping: 'hasten' } as const;

const END: Readonly<Record<Stage, Move>> = {
  nothing: 'release',
  making: 'cancel',
  'half-made': 'remove',
  unseen: 'look',
  ...STOP,
  exited: 'settle',
  ended: 'remove',
  removing: 'wait',
  cleared: 'release',
};

export const MOVE_FOR: Readonly<Record<Wish, Readonly<Record<Stage, Move>>>> = {
  run: RUN,
  // One that runs already was accepted by an earlier version of the agent: it may go on.
  refused: { ...RUN, nothing: 'reject' },
  unwell: { ...RUN, ...STOP },
  done: { ...RUN, ...STOP },
  expired: { ...RUN, ...STOP, nothing: 'reject', making: 'cancel', 'half-made': 'remove' },
  // The other may run on, and nobody knows how it ended: a second run is for another Pod.
  lost: { ...RUN, nothing: 'reject' },
  // What is not begun waits for the Mac to come back.
  leaving: { ...RUN, ...STOP, nothing: 'wait', making: 'cancel', 'half-made': 'wait' },
  over: END,
  end: END,
  gone: { ...END, nothing: 'forget', exited: 'remove', cleared: 'forget' },
};

/** What this life of the agent knows of a Pod's VM besides the journal. */
export interface Seen {
  /** Work under way for it. */
  readonly work?: 'making' | 'stopping' | 'removing';
  readonly process?: 'alive' | 'over';
  /** An earlier life claimed the Pod, and nobody has listed yet what VMs it left. */
  readonly mayHaveVm?: true;
}

export const stageOf = (entry: JournalEntry | undefined, seen: Seen): Stage => {
  if (seen.work !== undefined) return seen.work;
  if (entry === undefined) return seen.mayHaveVm === true ? 'unseen' : 'nothing';
  switch (entry.stage) {
    case 'making':
      return 'half-made';
    case 'started':
      if (seen.process === undefined) return 'unseen';
      return seen.process === 'alive' ? 'running' : 'exited';
    case 'ended':
    case 'cleared':
      return entry.stage;
    default:
      return unreachable(entry.stage);
  }
};

export const isOver = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

export interface WishFacts {
  readonly nowMs: number;
  /** Why it cannot run here, if so. */
  readonly refusal?: string;
  /** A liveness probe gave it up. */
  readonly isUnwell?: boolean;
  /** The guest left the exit code of its command. */
  readonly isDone?: boolean;
  /** This Mac has no trace of it. */
  readonly isUntraced?: boolean;
  /** The Mac shuts down. */
  readonly isLeaving?: boolean;
}

/** Of the Pod as it is stored; undefined when there is none. */
export const wishOf = (pod: Pod | undefined, facts: WishFacts): Wish => {
  const { nowMs, refusal, isUnwell, isDone, isLeaving, isUntraced } = facts;
  if (pod === undefined) return 'gone';
  if (pod.metadata.deletionTimestamp !== undefined) return 'end';
  if (isOver(pod)) return 'over';
  const deadlineMs = deadlineOf(pod);
  if (deadlineMs !== undefined && deadlineMs <= nowMs) return 'expired';
  if (isUntraced === true && isToldToRun(pod)) return 'lost';
  // What it did is done, whatever becomes of its Mac. Only of one that runs are these two known, so it was accepted once.
  if (isDone === true) return 'done';
  if (isLeaving === true) return 'leaving';
  if (isUnwell === true) return 'unwell';
  return refusal === undefined ? 'run' : 'refused';
};

const isToldToRun = ({ status }: Pod): boolean =>
  status?.containerStatuses?.some(({ state }) => state?.running !== undefined) === true;

/** When the Pod has been active for as long as it may be. */
export const deadlineOf = ({ spec, status }: Pod): number | undefined => {
  const sinceMs = parseTimestamp(status?.startTime);
  if (spec.activeDeadlineSeconds === undefined || sinceMs === undefined) return undefined;
  return sinceMs + spec.activeDeadlineSeconds * 1_000;
};

export const holdsFinalizer = ({ metadata }: Pod): boolean => metadata.finalizers?.includes(FINALIZERS.pod) === true;
