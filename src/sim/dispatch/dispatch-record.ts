/**
 * Everything that ever changed at the simulated dispatcher, in order, and what the world tells it of Pods. Checkers judge runners
 * by it (check-record.ts); nobody who is judged can see it.
 */
import type { RunnerState } from '../../dispatch/port/wire.ts';

/** One life of a runner: a Pod by name and UID. */
export interface RunnerName {
  readonly pod: string;
  readonly uid: string;
}

/** How a job ended. `lost`: GitHub heard nothing of its runner for too long. */
export type Conclusion = 'success' | 'failure' | 'cancelled' | 'lost';

export type DispatchEvent =
  | { readonly event: 'queued'; readonly job: number; readonly pool: string; readonly account: string }
  /** It was cancelled before anybody got it. */
  | { readonly event: 'withdrawn'; readonly job: number }
  /** A job is reserved for a runner, in the same step in which the runner was found to be free. */
  | ({ readonly event: 'claimed'; readonly job: number } & RunnerName)
  /** It goes back to the queue. */
  | ({ readonly event: 'released'; readonly job: number; readonly why: string } & RunnerName)
  /** The answer with the job left. */
  | ({ readonly event: 'handed'; readonly job: number } & RunnerName)
  | ({ readonly event: 'started'; readonly job: number } & RunnerName)
  | ({ readonly event: 'ended'; readonly job: number; readonly conclusion: Conclusion } & RunnerName)
  | ({ readonly event: 'session-opened' } & RunnerName)
  | ({ readonly event: 'session-closed'; readonly endedAtMs: number } & RunnerName)
  /** Told once more; the earliest end is kept. */
  | ({ readonly event: 'stop-repeated'; readonly endedAtMs: number } & RunnerName)
  | ({ readonly event: 'registered'; readonly runnerId: number } & RunnerName)
  | ({ readonly event: 'deregistered'; readonly runnerId: number } & RunnerName)
  /** By the handshake: no job from now on. */
  | ({ readonly event: 'refused'; readonly state: RunnerState } & RunnerName)
  /** Sent home with 410. */
  | ({ readonly event: 'drained'; readonly why: string } & RunnerName)
  | ({ readonly event: 'stamped' | 'stamp-lost'; readonly label: string } & RunnerName)
  | PodNote;

/** What the world tells: a Pod was made, is over, was deleted by somebody, is gone. A VM is gone when its Pod is over. */
export type PodNote = {
  readonly event: 'pod-made' | 'pod-over' | 'pod-deleted' | 'pod-gone';
  readonly pool: string;
  /** Who did it; whoever is no part of the fleet may do anything. */
  readonly by?: string;
} & RunnerName;

export type DispatchEntry = DispatchEvent & {
  /** Counts from 1. */
  readonly number: number;
  readonly atMs: number;
};
