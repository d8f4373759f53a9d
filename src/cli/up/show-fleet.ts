/** What a person sees of `up`: the Macs, and the work on them. */
import { linkedController } from '../../base/abort.ts';
import { createSystemClock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { createSystemRandom } from '../../base/random.ts';
import { RUNNER_POOL } from '../../world/runners-in-process.ts';
import { createFleetView, type FleetView, renderTable } from './fleet-view.ts';
import { type Following, followFleet } from './follow-fleet.ts';
import { createJobFlow, type JobFlow } from './job-flow.ts';
import type { Fleet } from './start-fleet.ts';
import type { UpFlags } from './up-flags.ts';

interface Showing {
  readonly flags: UpFlags;
  readonly fleet: Fleet;
  readonly logger: Logger;
  readonly say: (text: string) => void;
  readonly draw: (picture: string) => void;
}

/** Until what was asked for is reached, or until the person stops it. */
export const showFleet = async ({ flags, fleet, logger, say, draw }: Showing, signal: AbortSignal): Promise<void> => {
  const watching = linkedController(signal);
  const clock = createSystemClock();
  const view = createFleetView({ client: fleet.client, clock, random: createSystemRandom(), logger });
  const running = view.run(watching.signal);
  const { runners, ended } = fleet;
  const work = runners && createJobFlow({ dispatch: runners.dispatch, clock, pool: RUNNER_POOL, count: flags.jobs });
  const shown = showWork(view, work, flags);
  try {
    const how = await followFleet({ ...shown, clock, draw, ended }, signal);
    say(how === 'stopped' ? 'Stopping.' : describeEnd(flags, work));
  } finally {
    work?.stop();
    watching.abort();
    await running;
  }
};

/** The Macs, and below them the Job or the jobs of runners; these begin when all Macs are there. */
const showWork = (
  view: FleetView,
  work: JobFlow | undefined,
  flags: UpFlags,
): Pick<Following, 'render' | 'isReached' | 'onChange'> => {
  const tail = (): string => (work === undefined ? `Job ${view.jobProgress()}, ` : '');
  const isDone = (): boolean => (work === undefined ? view.isJobDone() : work.isDone());
  return {
    render: () => {
      if (view.readyNodes() >= flags.macs) work?.begin();
      const jobs = work === undefined ? '' : `\n${work.render()}\n`;
      return `${renderTable(view.rows())}\n${tail()}${view.readyNodes()} Nodes ready\n${jobs}`;
    },
    isReached: () => {
      if (flags.until === 'ready') return view.readyNodes() >= flags.macs && view.boundMachines() >= flags.macs;
      return flags.until === 'jobs-done' && isDone();
    },
    onChange: (run) => {
      const stops = [view.onChange(run), work?.onChange(run) ?? (() => undefined)];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
};

const describeEnd = ({ until }: UpFlags, work: JobFlow | undefined): string => {
  if (until !== 'jobs-done') return 'All Macs are ready.';
  return work === undefined ? 'The Job is done.' : work.summary();
};
