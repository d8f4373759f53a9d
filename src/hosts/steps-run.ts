/** What a run of steps is made of: given to run-steps.ts, and handed on to each of its batches. */
import type { Clock } from '../base/clock.ts';
import type { Secret } from '../base/secret.ts';
import type { Artefact, Epoch, HostSession, StepProgress } from './port.ts';
import type { Progress } from './progress.ts';
import type { Step } from './step.ts';

export interface StepsRun {
  readonly session: HostSession;
  readonly steps: readonly Step[];
  readonly epoch: Epoch;
  /** Who works, while it lasts; without one nobody is kept out. */
  readonly lockOwner?: string;
  readonly inputs: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, Secret<string>>>;
  readonly artefacts: Readonly<Record<string, Artefact>>;
  /** What each step is recorded under; nothing for one that leaves no record. */
  readonly digests: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly onProgress: (steps: readonly StepProgress[]) => void;
  /** Asked before steps that change something are sent; what it throws ends the run. */
  readonly beforeWave?: (ids: readonly string[], signal: AbortSignal) => Promise<void>;
}

/** A run under way. */
export interface Work {
  readonly run: StepsRun;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}
