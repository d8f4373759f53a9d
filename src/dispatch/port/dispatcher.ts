/** The little that the runners controller asks of the job dispatcher. */
import type { RunnerState } from './wire.ts';

/** What a pool has to do, as the dispatcher sees it. */
export interface ScalingSignals {
  readonly claimed: number;
  readonly occupied: number;
  readonly queued: number;
  readonly withheld: number;
  readonly p95: number;
}

/** Whose end is told, and when it was. */
export interface StopReport {
  readonly podName: string;
  /** RFC 3339. */
  readonly endedAt: string;
}

export interface RunnerRef {
  readonly podName: string;
  readonly podUid: string;
}

/** How a runner stands, or that the server has no word for it: it knows only the original protocol. */
export type Standing =
  | { readonly protocol: 2; readonly state: RunnerState; readonly refused: boolean }
  | { readonly protocol: 1 };

/**
 * Every call rejects with `denied` (401, 403), `unavailable` (no answer, 5xx, 429 as `throttled`) or `contract` (an answer
 * that is none of ours: HTML, negative numbers, another fleet or Pod than asked about). An error says nothing about runners.
 */
export interface Dispatcher {
  /** Which protocol its last answer showed; undefined before the first. */
  readonly protocol: 1 | 2 | undefined;
  signals(fleet: string, signal: AbortSignal): Promise<ScalingSignals>;
  /** May be repeated: the server keeps the earliest end. */
  reportStop(report: StopReport, signal: AbortSignal): Promise<void>;
  /** No job for this Pod UID from now on; may be repeated. */
  drain(runner: RunnerRef, signal: AbortSignal): Promise<Standing>;
  /** The same without the change. */
  look(runner: RunnerRef, signal: AbortSignal): Promise<Standing>;
}
