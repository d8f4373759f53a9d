/** The control of a simulated dispatcher: jobs to queue, limits, faults, and the truth about sessions, runners and the record. */
import { z } from 'zod';
import { FleetError } from '../../base/errors.ts';
import { type ControlRoute, createControl, parseControl, parsePresent } from '../http/control-routes.ts';
import { DISPATCH_FAULTS } from './fault-list.ts';
import type { SimDispatch } from './sim-dispatch.ts';
import type { SimJob } from './sim-job.ts';

const JOBS_MAX = 10_000;
const NEW_JOBS = z.strictObject({
  pool: z.string().min(1),
  account: z.string().min(1).optional(),
  seconds: z.number().min(0).optional(),
  exitCode: z.int().min(0).max(255).optional(),
  count: z.int().min(1).max(JOBS_MAX).optional(),
});
const FAULT = z.strictObject({
  fault: z.string(),
  verb: z.enum(['dispatch', 'metrics', 'signals', 'stopped', 'drain', 'look', 'start', 'renew', 'end']).optional(),
  pod: z.string().optional(),
  count: z.int().min(1).optional(),
  probability: z.number().min(0).max(1).optional(),
  seconds: z.number().min(0).optional(),
});
const LIMIT = z.strictObject({ account: z.string().min(1), most: z.int().min(0) });
const AWAY = z.strictObject({ seconds: z.number().min(0) });
const LAST = z.strictObject({ last: z.coerce.number().int().min(0).optional() });

const showJob = ({ queuedAtMs, startedAtMs, endedAtMs, durationMs, ...job }: SimJob): object => ({
  ...job,
  seconds: durationMs / 1_000,
  queuedAt: new Date(queuedAtMs).toISOString(),
  ...(startedAtMs === undefined ? {} : { startedAt: new Date(startedAtMs).toISOString() }),
  ...(endedAtMs === undefined ? {} : { endedAt: new Date(endedAtMs).toISOString() }),
});

const queueJobs = (dispatch: SimDispatch, body: unknown): readonly SimJob[] => {
  const { count = 1, seconds, ...job } = parseControl(NEW_JOBS, body);
  const durationMs = seconds === undefined ? undefined : seconds * 1_000;
  return Array.from({ length: count }, () => dispatch.queue(parsePresent({ ...job, durationMs })));
};

const lastOf = <T>(entries: readonly T[], query: URLSearchParams): readonly T[] => {
  const { last } = parseControl(LAST, Object.fromEntries(query), 'BadQuery');
  return last === undefined ? entries : entries.slice(Math.max(entries.length - last, 0));
};

const findJob = (dispatch: SimDispatch, id: string): SimJob => {
  const job = dispatch.jobs().find((known) => String(known.id) === id);
  if (job === undefined) throw new FleetError('not-found', { code: 'NoSuchJob', message: `there is no job ${id}` });
  return job;
};

const ROUTES: readonly ControlRoute<SimDispatch>[] = [
  {
    ...{ method: 'GET', path: '/jobs', about: 'every job: where it is, who runs it, how it ended' },
    handle: ({ deps, query }) => ({ jobs: lastOf(deps.jobs(), query).map(showJob) }),
  },
  {
    ...{ method: 'POST', path: '/jobs', about: 'queues: {"pool": …, "account"?, "seconds"?, "exitCode"?, "count"?}' },
    handle: ({ deps, body }) => ({ jobs: queueJobs(deps, body).map(showJob) }),
  },
  {
    ...{ method: 'DELETE', path: '/jobs/*', about: 'cancels one, as a person at GitHub' },
    handle: ({ deps, id }) => {
      deps.cancel(findJob(deps, id).id);
      return showJob(findJob(deps, id));
    },
  },
  {
    ...{ method: 'GET', path: '/sessions', about: 'billed sessions, open and closed' },
    handle: ({ deps }) => ({ sessions: deps.sessions() }),
  },
  {
    ...{ method: 'GET', path: '/runners', about: 'runners that are registered at GitHub' },
    handle: ({ deps }) => ({ runners: deps.registrations().map(({ jit: _, ...runner }) => runner) }),
  },
  {
    ...{ method: 'POST', path: '/limits', about: 'how many jobs an account runs at once: {"account": …, "most": 2}' },
    handle: ({ deps, body }) => {
      const limit = parseControl(LIMIT, body);
      deps.setLimit(limit.account, limit.most);
      return limit;
    },
  },
  {
    ...{ method: 'GET', path: '/faults', about: 'what all faults are, and those that are on' },
    handle: ({ deps }) => ({
      faults: Object.fromEntries(Object.entries(DISPATCH_FAULTS).map(([id, { story }]) => [id, story])),
      on: deps.faults().map(({ row: _, told: __, left, untilMs, ...fault }) => ({
        ...{ ...fault, left: Number.isFinite(left) ? left : null },
        until: Number.isFinite(untilMs) ? new Date(untilMs).toISOString() : null,
      })),
    }),
  },
  {
    ...{ method: 'POST', path: '/faults' },
    about: 'switches one on: {"fault": "F98b", "verb"?, "pod"?, "count"?, "probability"?, "seconds"?}',
    handle: ({ deps, body }) => {
      const { fault, ...scope } = parseControl(FAULT, body);
      deps.switchOn(fault, parsePresent(scope));
      return { on: fault };
    },
  },
  {
    ...{ method: 'DELETE', path: '/faults', about: 'switches one off: {"fault": "F98b"}' },
    handle: ({ deps, body }) => {
      const { fault } = parseControl(FAULT, body);
      deps.switchOff(fault);
      return { off: fault };
    },
  },
  {
    ...{ method: 'GET', path: '/record', about: 'all that ever changed; ?last=20 for the last of it' },
    handle: ({ deps, query }) => ({ record: lastOf(deps.record(), query) }),
  },
  {
    ...{ method: 'GET', path: '/calls', about: 'the latest calls; ?last=20 for the last of them' },
    handle: ({ deps, query }) => {
      const { entries, dropped } = deps.calls();
      return { calls: lastOf(entries, query), dropped };
    },
  },
  {
    ...{ method: 'POST', path: '/away', about: 'nobody is answered for a while: {"seconds": 30}' },
    handle: ({ deps, body }) => {
      const { seconds } = parseControl(AWAY, body);
      deps.goAway(seconds * 1_000);
      return { awaySeconds: seconds };
    },
  },
];

export const answerDispatchControl = createControl(ROUTES);
