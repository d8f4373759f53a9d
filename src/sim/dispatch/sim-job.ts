/** A job of the simulated GitHub, and a runner's life with the dispatcher. */
import type { RunnerState } from '../../dispatch/port/wire.ts';
import type { Conclusion, RunnerName } from './dispatch-record.ts';

/** `finishing`: over at GitHub, while its runner is still held; `done` once the runner's end was told. */
export type JobState = 'queued' | 'claimed' | 'running' | 'finishing' | 'done';

export interface SimJob {
  /** GitHub's `workflow_job_id`. */
  readonly id: number;
  /** The RunnerPool that its `runs-on` means. */
  readonly pool: string;
  readonly account: string;
  /** In life; a compressed simulation runs it shorter. */
  readonly durationMs: number;
  /** What its steps end with. */
  readonly exitCode: number;
  readonly state: JobState;
  readonly queuedAtMs: number;
  readonly startedAtMs?: number;
  readonly endedAtMs?: number;
  readonly runner?: RunnerName;
  readonly conclusion?: Conclusion;
}

/** What the dispatcher knows of one Pod UID. */
export interface RunnerLife extends RunnerName {
  readonly pool: string;
  /** No job from now on, for ever. */
  readonly isRefused: boolean;
  /** The one job of this life. */
  readonly job?: number;
  /** Its answer left: there will be no other job. */
  readonly isHanded: boolean;
  /** When its end was told. */
  readonly stoppedAtMs?: number;
}

/** A billed time on a host. */
export interface Session extends RunnerName {
  readonly openedAtMs: number;
  readonly endedAtMs?: number;
}

/** A runner as GitHub knows it: it may take one job, by the JIT config that names it. */
export interface Registration extends RunnerName {
  readonly id: number;
  readonly jit: string;
  readonly job: number;
}

/** What the autoscaler is told of a pool. */
export interface Signals {
  readonly fleet: string;
  readonly claimed: number;
  readonly occupied: number;
  readonly queued: number;
  readonly withheld: number;
  readonly p95_concurrent_last_hour: number;
}

export const standingOf = (life: RunnerLife | undefined, job: SimJob | undefined): RunnerState => {
  if (life === undefined) return 'idle';
  if (life.stoppedAtMs !== undefined) return 'finished';
  if (job === undefined) return 'idle';
  switch (job.state) {
    case 'queued':
      return 'idle';
    case 'claimed':
    case 'running':
    case 'finishing':
      return job.state;
    case 'done':
      return 'finished';
  }
};
