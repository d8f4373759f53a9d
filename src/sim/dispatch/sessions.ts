/** Billed sessions: opened with a job, closed when the end of the Pod is told, once; later words only make the end earlier. */
import { release } from './claims.ts';
import { changeJob, changeLife, type DispatchCore, note } from './dispatch-core.ts';
import type { RunnerName } from './dispatch-record.ts';
import { deregister } from './github-side.ts';
import type { RunnerLife } from './sim-job.ts';

export const openSession = (core: DispatchCore, { pod, uid }: RunnerName): void => {
  core.state.sessions.set(uid, { pod, uid, openedAtMs: core.clock.now() });
  note(core, { event: 'session-opened', pod, uid });
};

/** The end of a Pod: its session, its registration at GitHub, and its claim on a job that never started. */
export const reportStop = (core: DispatchCore, pod: string, endedAtMs: number): void => {
  for (const life of [...core.state.lives.values()].filter((known) => known.pod === pod)) stop(core, life, endedAtMs);
};

const stop = (core: DispatchCore, life: RunnerLife, endedAtMs: number): void => {
  const { uid } = life;
  changeLife(core, life, { stoppedAtMs: Math.min(life.stoppedAtMs ?? endedAtMs, endedAtMs) });
  closeSession(core, life, endedAtMs);
  release(core, life, 'its runner ended');
  if (life.job !== undefined && core.state.jobs.get(life.job)?.state === 'finishing')
    changeJob(core, life.job, { state: 'done' });
  deregister(core, uid);
};

const closeSession = (core: DispatchCore, { pod, uid }: RunnerName, endedAtMs: number): void => {
  const session = core.state.sessions.get(uid);
  if (session === undefined) return;
  const keptMs = Math.min(session.endedAtMs ?? endedAtMs, endedAtMs);
  core.state.sessions.set(uid, { ...session, endedAtMs: keptMs });
  note(core, {
    event: session.endedAtMs === undefined ? 'session-closed' : 'stop-repeated',
    ...{ pod, uid, endedAtMs: keptMs },
  });
};
