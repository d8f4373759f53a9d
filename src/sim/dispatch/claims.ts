/** Who gets which job: claims, their release, and the refusal of the drain handshake. Each is one step that nothing comes between. */
import type { RunnerState } from '../../dispatch/port/wire.ts';
import { changeJob, changeLife, type DispatchCore, isActive, knownJob, lifeOf, note, putJob } from './dispatch-core.ts';
import type { RunnerName } from './dispatch-record.ts';
import { type RunnerLife, type SimJob, standingOf } from './sim-job.ts';

export interface NewJob {
  readonly pool: string;
  readonly account?: string;
  readonly durationMs?: number;
  readonly exitCode?: number;
}

const ORDINARY_JOB_MS = 300_000;

export const queueJob = (core: DispatchCore, { pool, account = 'acme', durationMs, exitCode = 0 }: NewJob): SimJob => {
  core.state.lastJob += 1;
  const job: SimJob = {
    ...{ id: core.state.lastJob, pool, account, exitCode, durationMs: durationMs ?? ORDINARY_JOB_MS },
    ...{ state: 'queued', queuedAtMs: core.clock.now() },
  };
  putJob(core, job);
  note(core, { event: 'queued', job: job.id, pool, account });
  return job;
};

/** Queued jobs of a pool that their accounts may run now, and those that wait for a limit; oldest first. */
export const splitQueue = (
  core: DispatchCore,
  pool: string,
): Readonly<Record<'free' | 'withheld', readonly SimJob[]>> => {
  const jobs = [...core.state.jobs.values()];
  const room = new Map<string, number>();
  for (const [account, limit] of core.state.limits) {
    room.set(account, limit - jobs.filter((job) => job.account === account && isActive(job)).length);
  }
  const free: SimJob[] = [];
  const withheld: SimJob[] = [];
  for (const job of jobs.filter(({ state, pool: wanted }) => state === 'queued' && wanted === pool)) {
    const left = room.get(job.account) ?? Number.POSITIVE_INFINITY;
    room.set(job.account, left - 1);
    (left > 0 ? free : withheld).push(job);
  }
  return { free, withheld };
};

/** The job that is now reserved for this runner; undefined when there is none for it. */
export const claim = (core: DispatchCore, life: RunnerLife): SimJob | undefined => {
  if (life.stoppedAtMs !== undefined || life.isHanded) return undefined;
  // What was reserved for it before it was refused is its own.
  if (life.job !== undefined) return knownJob(core, life.job);
  if (life.isRefused) return undefined;
  const [job] = splitQueue(core, life.pool).free;
  if (job === undefined) return undefined;
  const { pod, uid } = life;
  changeLife(core, life, { job: job.id });
  note(core, { event: 'claimed', job: job.id, pod, uid });
  return changeJob(core, job.id, { state: 'claimed', runner: { pod, uid } });
};

/** A job that did not start goes back to the queue; others keep their runner. */
export const release = (core: DispatchCore, { pod, uid }: RunnerName, why: string): void => {
  const life = core.state.lives.get(uid);
  if (life?.job === undefined) return;
  const { state, id, runner: _, ...job } = knownJob(core, life.job);
  if (state !== 'claimed') return;
  const { job: __, ...free } = life;
  // Whoever was handed a job once gets no other.
  core.state.lives.set(uid, life.isHanded ? life : free);
  putJob(core, { ...job, id, state: 'queued' });
  note(core, { event: 'released', job: id, pod, uid, why });
};

/** The answer is about to leave: false when the runner ended meanwhile, and the job goes to somebody else. */
export const hand = (core: DispatchCore, { pod, uid }: RunnerName): boolean => {
  const life = core.state.lives.get(uid);
  if (life?.job === undefined || life.stoppedAtMs !== undefined) {
    release(core, { pod, uid }, 'its runner is gone');
    return false;
  }
  changeLife(core, life, { isHanded: true });
  note(core, { event: 'handed', job: life.job, pod, uid });
  return true;
};

export interface Standing {
  readonly state: RunnerState;
  readonly isRefused: boolean;
}

/** How a runner stands; one that never asked for a job is idle. */
export const look = ({ state }: DispatchCore, uid: string): Standing => {
  const life = state.lives.get(uid);
  const job = life?.job === undefined ? undefined : state.jobs.get(life.job);
  return { state: standingOf(life, job), isRefused: life?.isRefused ?? false };
};

/** No job for this UID from now on, and how it stands at this very moment. */
export const refuse = (core: DispatchCore, runner: RunnerName): Standing => {
  const life = lifeOf(core, runner);
  const { state } = look(core, runner.uid);
  if (!life.isRefused) {
    changeLife(core, life, { isRefused: true });
    note(core, { event: 'refused', pod: life.pod, uid: life.uid, state });
  }
  return { state, isRefused: true };
};
