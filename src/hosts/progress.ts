/** How far a list of steps is, told anew at every change, in the shape of a MacHost's `status.operation.steps`. */
import { type Clock, toTimestamp } from '../base/clock.ts';
import type { StepProgress } from './port.ts';

export interface Progress {
  running(id: string): void;
  /** `message` says what went wrong, or what was found. */
  ended(id: string, state: 'done' | 'failed' | 'skipped', message?: string): void;
  /** Neither done nor failed: the next run looks again. */
  interrupted(id: string): void;
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
  const change = (id: string, changed: (step: StepProgress) => StepProgress): void => {
    steps = steps.map((step) => (step.id === id ? changed(step) : step));
    onProgress(steps);
  };
  onProgress(steps);
  return {
    running: (id) => change(id, () => ({ id, state: 'running', startedAt: now() })),
    ended: (id, state, message) =>
      change(id, (step) => ({
        ...step,
        ...{ state, finishedAt: now() },
        ...(message !== undefined && { message: message.slice(0, MESSAGE_LENGTH_MAX) }),
      })),
    interrupted: (id) => change(id, () => ({ id, state: 'pending', message: 'interrupted' })),
  };
};
