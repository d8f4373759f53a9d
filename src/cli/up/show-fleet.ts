/** What a person sees of `up`: the Macs and the work on them, until what was asked for is reached, or until the person stops it. */
import { linkedController } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { cancelled, FleetError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { Random } from '../../base/random.ts';
import type { SimDispatch } from '../../sim/dispatch/sim-dispatch.ts';
import { RUNNER_POOL } from '../../world/demo-fleet.ts';
import { diagnose } from './diagnose.ts';
import type { Display } from './display.ts';
import type { Fleet } from './fleet-parts.ts';
import type { FleetPicture } from './fleet-picture.ts';
import { createFleetView, type FleetView } from './fleet-view.ts';
import { followFleet } from './follow-fleet.ts';
import { createJobFlow, type JobFlow } from './job-flow.ts';
import type { UpFlags } from './up-flags.ts';

/** What is looked at of a fleet. */
export interface ShownFleet extends Pick<Fleet, 'client' | 'ended'> {
  readonly runners?: { readonly dispatch: SimDispatch };
}

export interface Showing {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly flags: UpFlags;
  readonly fleet: ShownFleet;
  readonly display: Display;
  /** What to try next; shown once all Macs are there. */
  readonly hints: string;
  /** Of a kept fleet: when this run began, in wall time. What its Nodes said before does not count. */
  readonly heardSinceMs?: number;
}

const TICK_MS = 1_000;

/** Rejects when what was asked for is not reached, and says why. */
export const showFleet = async (showing: Showing, signal: AbortSignal): Promise<void> => {
  const { clock, flags, fleet, display } = showing;
  const watching = linkedController(signal);
  const view = createFleetView({ ...showing, client: fleet.client });
  const running = view.run(watching.signal);
  const { runners, ended } = fleet;
  const count = flags.until === undefined ? 'endless' : flags.jobs;
  const work = runners && createJobFlow({ dispatch: runners.dispatch, clock, pool: RUNNER_POOL, count });
  const shown = showWork(view, work, showing);
  try {
    const how = await followFleet(
      {
        ...{ ...shown, clock, ended, ...(display.isLive && { lookEveryMs: TICK_MS }) },
        ...(flags.until !== undefined && { timeoutMs: flags.timeout }),
      },
      signal,
    );
    if (how !== 'reached') giveUp(how, showing, shown.diagnosis());
    const failures = flags.until === 'jobs-done' ? shown.failures() : [];
    display.say(describeEnd(flags, work, failures));
    if (failures.length > 0) throw jobsFailed(failures.length);
  } finally {
    work?.stop();
    watching.abort();
    await running;
  }
};

/** The Macs, and below them the work on them; jobs of runners begin when all Macs are there. */
const showWork = (view: FleetView, work: JobFlow | undefined, { flags, display, hints }: Showing) => {
  const picture = (): FleetPicture => ({ ...view.picture(), jobs: work?.rows() ?? [] });
  let hasHinted = flags.until !== undefined;
  const isDone = (): boolean => (!flags.fleet.includes('macos') || view.areJobsOver()) && (work?.isDone() ?? true);
  return {
    diagnosis: (): readonly string[] =>
      diagnose(picture(), {
        ...view.standing(),
        others: flags.until === 'jobs-done' ? (work?.remains() ?? []) : [],
      }),
    failures: (): readonly string[] => [
      ...view.failedJobs().map(({ job, why }) => `Job ${job} failed: ${why === '' ? 'it says no more.' : why}`),
      ...(work?.failures() ?? []),
    ],
    look: () => {
      const areUp = view.areMacsReady();
      if (areUp) work?.begin();
      display.show(picture(), areUp && flags.until === undefined ? hints : '');
      if (areUp && !hasHinted && !display.isLive) display.say(hints);
      hasHinted ||= areUp;
    },
    isReached: (): boolean => {
      if (flags.until === undefined || !view.areMacsReady()) return false;
      return flags.until === 'ready' || isDone();
    },
    onChange: (run: () => void) => {
      const stops = [view.onChange(run), work?.onChange(run) ?? (() => undefined)];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
};

/** A person who asked for nothing in particular may stop at any time. */
const giveUp = (how: 'stopped' | 'too late', { flags, display }: Showing, diagnosis: readonly string[]): void => {
  if (flags.until === undefined) return;
  display.say([`Not ${flags.until} yet:`, ...diagnosis.map((line) => `  ${line}`)].join('\n'));
  if (how === 'stopped') throw stoppedBefore(flags.until);
  throw new FleetError('unavailable', {
    code: 'NotReached',
    message: `the fleet was not ${flags.until} within ${flags.timeout / 1_000} s`,
    hint: 'What it waits for is listed above; --timeout gives it longer, --log shows what the controllers say.',
  });
};

export const stoppedBefore = (until: NonNullable<UpFlags['until']>): FleetError =>
  cancelled(`stopped before it was ${until}`);

const jobsFailed = (count: number): FleetError =>
  new FleetError('unavailable', {
    code: 'JobsFailed',
    message: `${count === 1 ? 'a job' : `${count} jobs`} did not succeed`,
    hint: 'Which and why is listed above; the same without --until keeps the fleet, for kubectl describe and kubectl logs.',
  });

export const STOPPING =
  'Stopping: the controllers, the Macs, the dispatcher of jobs, the API server. Ctrl-C again stops at once.';

const describeEnd = ({ until, fleet }: UpFlags, work: JobFlow | undefined, failures: readonly string[]): string => {
  if (until === undefined) return STOPPING;
  if (until === 'ready') return 'All Macs are ready.';
  const summary = work === undefined ? [] : [work.summary()];
  if (failures.length > 0) return [...summary, 'Not all is well:', ...failures.map((line) => `  ${line}`)].join('\n');
  return [...(fleet.includes('macos') ? ['The Job is done.'] : []), ...summary].join('\n');
};
