/** Jobs that are over and asked to be deleted some time after that: deleted then, with what belongs to them. */
import { parseTimestamp } from '../../../base/clock.ts';
import type { Cache } from '../../../kube/cache/cache.ts';
import { type Controller, createController, watchPrimary } from '../../../kube/controller/controller.ts';
import { keyOf } from '../../../kube/types/meta.ts';
import { findEnd, JOBS, type Job } from './job.ts';

export const createJobExpiry = ({ jobs }: { readonly jobs: Cache<Job> }): Controller =>
  createController({
    name: 'jobs.expiry',
    watches: [watchPrimary(jobs)],
    reconcile: async ({ key, kube, clock, signal }) => {
      const job = jobs.get(key);
      const atMs = job?.metadata.deletionTimestamp === undefined ? expiryMs(job) : undefined;
      if (job === undefined || atMs === undefined) return { next: 'rest' };
      const leftMs = atMs - clock.now();
      if (leftMs > 0) return { next: 'again', afterMs: leftMs };
      const { uid = '', resourceVersion = '' } = job.metadata;
      const preconditions = { uid, resourceVersion };
      await kube.delete(JOBS, keyOf(job), { preconditions, propagationPolicy: 'Background', signal });
      return { next: 'rest' };
    },
  });

/** When it shall be deleted; undefined when never, or not over yet. */
const expiryMs = (job: Job | undefined): number | undefined => {
  const endedMs = parseTimestamp(findEnd(job?.status)?.lastTransitionTime);
  const seconds = job?.spec.ttlSecondsAfterFinished;
  return seconds === undefined || endedMs === undefined ? undefined : endedMs + seconds * 1_000;
};
