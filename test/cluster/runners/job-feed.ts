/** Short jobs for a pool, a few at a time: a new one comes when one has ended, up to as many as are allowed. */
import type { SimDispatch } from '../../../src/sim/dispatch/sim-dispatch.ts';
import type { SimJob } from '../../../src/sim/dispatch/sim-job.ts';

export interface JobFeed {
  /** So many in all, those before counted. */
  allow(total: number): void;
  /** One that lasts so long, now. It counts too. */
  queueLong(durationMs: number): SimJob;
}

const DURATIONS_MS = [200, 500, 300, 900, 400];

/** Fewer than there are runners, so that some are idle and some are busy at any time. */
export const createJobFeed = (dispatch: SimDispatch, options: { readonly pool: string; readonly atOnce: number }) => {
  const { pool, atOnce } = options;
  let allowed = 0;
  const open = (): number => dispatch.jobs().filter(({ endedAtMs }) => endedAtMs === undefined).length;
  const fill = (): void => {
    for (let made = dispatch.jobs().length; made < allowed && open() < atOnce; made += 1)
      dispatch.queue({ pool, durationMs: DURATIONS_MS[made % DURATIONS_MS.length] ?? 0 });
  };
  dispatch.onEntry(({ event }) => {
    if (event === 'ended') fill();
  });
  const feed: JobFeed = {
    allow: (total) => {
      allowed = total;
      fill();
    },
    queueLong: (durationMs) => dispatch.queue({ pool, durationMs }),
  };
  return feed;
};
