/** Systematic crashes: one reference run to count the points, then one run per point with a crash exactly there. */
import { assert, FleetError, messageOf } from '../../base/errors.ts';
import type { CrashPoint } from './actors.ts';
import type { Kernel } from './kernel.ts';
import { CRASH_KINDS, type CrashKind } from './wiring.ts';

export interface CrashPlan {
  readonly actor: string;
  readonly restartAfterMs: number;
  /** All kinds unless given. */
  readonly kinds?: readonly CrashKind[];
  /** Tries only every n-th point: for scenarios with thousands of them. */
  readonly every?: number;
}

/**
 * Builds a kernel with the crash it is given (none the first time), runs it to its end, asserts what must hold, and
 * returns the kernel. Until the crash every run must be the same, so the seed must not change.
 */
export type CrashScenario = (crash: CrashPoint | undefined) => Promise<Kernel>;

/** How many crash points were tried. Rejects at the first point after which the scenario does not hold, naming it. */
export const forEachCrashPoint = async (plan: CrashPlan, scenario: CrashScenario): Promise<number> => {
  const reference = await scenario(undefined);
  const { effects, deliveries } = reference.counts(plan.actor);
  const points = (plan.kinds ?? CRASH_KINDS).flatMap((kind) =>
    Array.from({ length: kind === 'before-delivery' ? deliveries : effects }, (_, index): CrashPoint => {
      const { actor, restartAfterMs } = plan;
      return { actor, kind, index, restartAfterMs };
    }),
  );
  const tried = points.filter((_, at) => at % (plan.every ?? 1) === 0);
  for (const point of tried) await tryPoint(point, scenario);
  return tried.length;
};

const tryPoint = async (point: CrashPoint, scenario: CrashScenario): Promise<void> => {
  try {
    const kernel = await scenario(point);
    assert(kernel.hasCrashed(), 'the run never came to this point: it differs from the reference run before it');
  } catch (cause) {
    throw new FleetError('bug', {
      code: 'CrashNotSurvived',
      message: `${point.actor} killed ${point.kind} ${point.index}: ${messageOf(cause)}`,
      hint: 'Run the scenario with this crash point alone and read its trace.',
      details: { point },
      cause,
    });
  }
};
