/** The GitHub behind the dispatcher: registrations of runners, and what becomes of their jobs there. */
import { changeJob, type DispatchCore, knownJob, note } from './dispatch-core.ts';
import type { Conclusion, RunnerName } from './dispatch-record.ts';
import type { Registration, SimJob } from './sim-job.ts';

/** A JIT config: it names one runner, which may take one job. */
export const register = (core: DispatchCore, { pod, uid }: RunnerName, job: number): Registration => {
  core.state.lastRunner += 1;
  const id = core.state.lastRunner;
  const jit = Buffer.from(JSON.stringify({ runner_id: id, runner_name: pod })).toString('base64');
  const registration = { id, jit, pod, uid, job };
  core.state.registrations.set(jit, registration);
  note(core, { event: 'registered', runnerId: id, pod, uid });
  return registration;
};

export const deregister = (core: DispatchCore, uid: string): void => {
  for (const { id, jit, pod } of [...core.state.registrations.values()].filter((known) => known.uid === uid)) {
    core.state.registrations.delete(jit);
    note(core, { event: 'deregistered', runnerId: id, pod, uid });
  }
};

/** The runner takes its job, and has to say from then on that it is still there. */
export const startJob = (core: DispatchCore, { job, pod, uid }: Registration): SimJob => {
  note(core, { event: 'started', job, pod, uid });
  const started = changeJob(core, job, { state: 'running', startedAtMs: core.clock.now() });
  renewLock(core, job);
  return started;
};

export const renewLock = (core: DispatchCore, job: number): void => {
  const { locks } = core.state;
  locks.get(job)?.();
  const expire = (): void => endJob(core, job, 'lost');
  locks.set(job, core.clock.schedule(Math.round(core.times.lockMs * core.timeScale), expire));
};

/** An ephemeral runner is forgotten with its job. What is over stays as it is. */
export const endJob = (core: DispatchCore, id: number, conclusion: Conclusion): void => {
  const { state, runner } = knownJob(core, id);
  if (state !== 'running' && state !== 'claimed') return;
  core.state.locks.get(id)?.();
  core.state.locks.delete(id);
  if (runner === undefined) return;
  const isStopped = core.state.lives.get(runner.uid)?.stoppedAtMs !== undefined;
  changeJob(core, id, { state: isStopped ? 'done' : 'finishing', endedAtMs: core.clock.now(), conclusion });
  note(core, { event: 'ended', job: id, ...runner, conclusion });
  deregister(core, runner.uid);
};

/** Of a person or of a workflow; a job that has not started never does. */
export const cancelJob = (core: DispatchCore, id: number): void => {
  if (knownJob(core, id).state !== 'queued') {
    endJob(core, id, 'cancelled');
    return;
  }
  changeJob(core, id, { state: 'done', endedAtMs: core.clock.now(), conclusion: 'cancelled' });
  note(core, { event: 'withdrawn', job: id });
};
