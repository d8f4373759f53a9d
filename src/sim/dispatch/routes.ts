/** The endpoints of the dispatcher, and those of GitHub that a runner speaks to, as data. */
import type { z } from 'zod';
import { parseTimestamp } from '../../base/clock.ts';
import { drainBody, RUNNERS_PATH, SESSION_PATHS, type StandingBody, stopBody } from '../../dispatch/port/wire.ts';
import { describeIssues } from '../http/describe-issues.ts';
import { claim, look, refuse, type Standing } from './claims.ts';
import type { DispatchFault } from './fault-switch.ts';
import { drawFault } from './faults.ts';
import { GITHUB_ROUTES } from './github-routes.ts';
import { poll } from './poll.ts';
import { type Reply, type Route, type RouteCall, refusal } from './route.ts';
import { reportStop } from './sessions.ts';
import { signalsOf } from './signals.ts';
import type { Signals } from './sim-job.ts';

export const SCALING_PATH = `${RUNNERS_PATH}/desired_replicas`;
export const SESSIONS_PATH = RUNNERS_PATH;
export const DISPATCH_PATH = `${RUNNERS_PATH}/dispatch`;

const takeMetrics = ({ core, who, pod, body }: RouteCall): Reply => {
  if (who.is !== 'runner' || who.pod !== pod) throw refusal(403, `the token is not that of ${pod}`);
  if (!Array.isArray(body['samples'])) throw refusal(400, 'samples must be a list');
  core.state.samples.set(pod, (core.state.samples.get(pod) ?? 0) + body['samples'].length);
  return { status: 204 };
};

const tellSignals = ({ core, query }: RouteCall): Reply => {
  const pool = query.get('fleet') ?? '';
  if (pool === '') throw refusal(400, 'fleet is required');
  const told = signalsOf(core, pool);
  const fault = drawFault(core, 'told', { verb: 'signals', pod: '' });
  switch (fault?.id) {
    case 'negative':
      return { status: 200, body: negate(told) };
    case 'other-fleet':
      return { status: 200, body: { ...told, fleet: `not-${pool}` } };
    case 'stale':
      return tellAgain(core.clock.now(), fault, told);
    default:
      return { status: 200, body: told };
  }
};

/** As a cache in between would. */
const tellAgain = (nowMs: number, { told }: DispatchFault, signals: Signals): Reply => {
  const first = told.get(signals.fleet) ?? { atMs: nowMs, signals };
  told.set(signals.fleet, first);
  return { status: 200, body: first.signals, headers: { age: String(Math.floor((nowMs - first.atMs) / 1_000)) } };
};

const negate = (signals: Signals): Signals => ({ ...signals, queued: -1 - signals.queued, claimed: -1 });

const takeStop = ({ core, body }: RouteCall): Reply => {
  const { pod_name, ended_at } = read(stopBody, body);
  const endedAtMs = parseTimestamp(ended_at);
  if (endedAtMs === undefined) throw refusal(400, 'ended_at must be an RFC 3339 time');
  reportStop(core, pod_name, endedAtMs);
  return { status: 204 };
};

const tellStanding = (call: RouteCall): Reply => {
  const { core, pod, query } = call;
  const uid = query.get('uid') ?? '';
  if (uid === '') throw refusal(400, 'uid is required');
  const standing = look(core, uid);
  const life = core.state.lives.get(uid);
  // The claim that comes between a look and what somebody does after it.
  if (life !== undefined && drawFault(core, 'looked', { verb: 'look', pod }) !== undefined) claim(core, life);
  return { status: 200, body: toBody(uid, standing) };
};

const takeDrain = ({ core, pod, body }: RouteCall): Reply => {
  const { pod_uid: uid } = read(drainBody, body);
  return { status: 200, body: toBody(uid, refuse(core, { pod, uid })) };
};

const toBody = (uid: string, { state, isRefused }: Standing): StandingBody => ({
  pod_uid: uid,
  state,
  refused: isRefused,
});

const read = <T>(schema: z.ZodType<T>, body: unknown): T => {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  throw refusal(400, describeIssues(result.error));
};

export const ROUTES: readonly Route[] = [
  {
    ...{ method: 'POST', path: DISPATCH_PATH, verb: 'dispatch', needs: 'runner', since: 1 },
    handle: (call) => {
      if (call.who.is !== 'runner') throw refusal(401, 'not a runner');
      return poll(call, call.who);
    },
  },
  {
    ...{ method: 'POST', path: `${RUNNERS_PATH}/pods/{pod}/metrics`, verb: 'metrics', needs: 'runner', since: 1 },
    handle: takeMetrics,
  },
  { method: 'GET', path: SCALING_PATH, verb: 'signals', needs: 'controller', since: 1, handle: tellSignals },
  {
    ...{ method: 'POST', path: `${SESSIONS_PATH}${SESSION_PATHS.stopped}`, verb: 'stopped', needs: 'controller' },
    ...{ since: 1, handle: takeStop },
  },
  {
    ...{ method: 'POST', path: `${SESSIONS_PATH}/pods/{pod}/drain`, verb: 'drain', needs: 'controller', since: 2 },
    handle: takeDrain,
  },
  {
    ...{ method: 'GET', path: `${SESSIONS_PATH}/pods/{pod}`, verb: 'look', needs: 'controller', since: 2 },
    handle: tellStanding,
  },
  ...GITHUB_ROUTES,
];
