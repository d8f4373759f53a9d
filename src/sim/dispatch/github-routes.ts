/**
 * What an actions runner says to GitHub, as far as it matters: I begin, I am still there, I am done. The JIT config is its proof.
 * The paths are our own; nobody but the simulated guest speaks to them.
 */
import { knownJob } from './dispatch-core.ts';
import { drawFault } from './faults.ts';
import { endJob, renewLock, startJob } from './github-side.ts';
import { type Reply, type Route, type RouteCall, refusal } from './route.ts';
import type { Registration, SimJob } from './sim-job.ts';

export const GITHUB_PATHS = { start: '/github/start', renew: '/github/renew', end: '/github/end' } as const;

const find = ({ core, body }: RouteCall): Registration | undefined =>
  core.state.registrations.get(String(body['encoded_jit_config']));

const start = (call: RouteCall): Reply => {
  const { core } = call;
  const registration = find(call);
  if (registration === undefined) throw refusal(401, 'there is no such runner');
  const { job: id, pod } = registration;
  const job = knownJob(core, id);
  // Its answer was lost.
  if (job.state === 'running') return { status: 200, body: toTask(call, job) };
  const fault = drawFault(core, 'begin', { verb: 'start', pod });
  if (fault?.id === 'taken') return { status: 204 };
  if (fault?.id !== 'F98e') return { status: 200, body: toTask(call, startJob(core, registration)) };
  endJob(core, id, 'cancelled');
  return { status: 410, body: { message: 'the job was cancelled' } };
};

const toTask = ({ core: { times, timeScale } }: RouteCall, { id, durationMs, exitCode }: SimJob): object => ({
  workflow_job_id: id,
  run_ms: Math.round(durationMs * timeScale),
  renew_ms: Math.round(times.renewMs * timeScale),
  exit_code: exitCode,
});

const renew = (call: RouteCall): Reply => {
  const registration = find(call);
  if (registration === undefined) return OVER;
  renewLock(call.core, registration.job);
  return { status: 204 };
};

const end = (call: RouteCall): Reply => {
  const registration = find(call);
  if (registration === undefined) return OVER;
  endJob(call.core, registration.job, call.body['exit_code'] === 0 ? 'success' : 'failure');
  return { status: 204 };
};

const OVER: Reply = { status: 410, body: { message: 'the job is over' } };

export const GITHUB_ROUTES: readonly Route[] = [
  { method: 'POST', path: GITHUB_PATHS.start, verb: 'start', needs: 'anybody', since: 1, handle: start },
  { method: 'POST', path: GITHUB_PATHS.renew, verb: 'renew', needs: 'anybody', since: 1, handle: renew },
  { method: 'POST', path: GITHUB_PATHS.end, verb: 'end', needs: 'anybody', since: 1, handle: end },
];
