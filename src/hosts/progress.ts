/** How far a list of steps is, told anew at every change, in the shape of a MacHost's `status.operation.steps`. */
import { type Clock, toTimestamp } from '../base/clock.ts';
import type { StepProgress } from './port.ts';

export interface Progress {
  running(ids: readonly string[]): void;
  ended(id: string, state: 'done' | 'skipped'): void;
  /** They were found as wanted, without any of our doing. */
  skipped(ids: readonly string[]): void;
  /** `message` says what went wrong. */
  failed(ids: readonly string[], message: string): void;
  /** Neither done nor failed: the next run looks again. */
  interrupted(ids: readonly string[]): void;
}

export interface ProgressDeps {
  readonly clock: Clock;
  readonly onProgress: (steps: readonly StepProgress[]) => void;
}

/** The API refuses longer ones. */
const MESSAGE_LENGTH_MAX = 4_096;

export const createProgress = (ids: readonly string[], { clock, onProgress }: ProgressDeps): Progress => {
  let steps: readonly StepProgress[] = ids.map((id) => ({ id, state: 'pending' }));
  const now = (): string => toTimestamp(clock.now());
  const change = (changing: readonly string[], changed: (step: StepProgress) => StepProgress): void => {
    if (changing.length === 0) return;
    steps = steps.map((step) => (changing.includes(step.id) ? changed(step) : step));
    onProgress(steps);
  };
  onProgress(steps);
  return {
    running: (started) => change(started, ({ id }) => ({ id, state: 'running', startedAt: now() })),
    ended: (id, state) => change([id], (step) => ({ ...step, state, finishedAt: now() })),
    skipped: (found) => change(found, (step) => ({ ...step, state: 'skipped', finishedAt: now() })),
    failed: (failed, message) =>
      change(failed, (step) => ({
        ...step,
        ...{ state: 'failed', finishedAt: now(), message: message.slice(0, MESSAGE_LENGTH_MAX) },
      })),
    interrupted: (stopped) => change(stopped, ({ id }) => ({ id, state: 'pending', message: 'interrupted' })),
  };
};
