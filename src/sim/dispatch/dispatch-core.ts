/** The state of the simulated dispatcher and of the GitHub behind it. All of it changes in single steps, each on record. */
import type { Clock } from '../../base/clock.ts';
import { FleetError } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import type { DispatchEntry, DispatchEvent, RunnerName } from './dispatch-record.ts';
import type { DispatchFault } from './fault-switch.ts';
import type { Registration, RunnerLife, Session, SimJob } from './sim-job.ts';

export interface DispatchTimes {
  /** A runner that GitHub hears nothing of for so long has lost communication. */
  readonly lockMs: number;
  /** How often a runner says that it is still there. */
  readonly renewMs: number;
  /** What the autoscaler's percentile looks back on. */
  readonly windowMs: number;
}

export const LIFE_TIMES: DispatchTimes = { lockMs: 600_000, renewMs: 60_000, windowMs: 3_600_000 };

/** How many runners had a job since when. */
export interface Load {
  readonly atMs: number;
  readonly busy: number;
}

export interface DispatchState {
  readonly jobs: Map<number, SimJob>;
  /** By Pod UID. */
  readonly lives: Map<string, RunnerLife>;
  readonly sessions: Map<string, Session>;
  /** By JIT config. */
  readonly registrations: Map<string, Registration>;
  /** By job: how to take back that it counts as lost. */
  readonly locks: Map<number, () => void>;
  /** How many jobs an account may run at once; those without an entry as many as they like. */
  readonly limits: Map<string, number>;
  readonly loads: Map<string, Load[]>;
  readonly record: DispatchEntry[];
  readonly listeners: Set<(entry: DispatchEntry) => void>;
  readonly faults: DispatchFault[];
  /** Pod UIDs whose job is on its way to them. */
  readonly underWay: Set<string>;
  /** How many samples of metrics each Pod sent. */
  readonly samples: Map<string, number>;
  awayUntilMs: number;
  /** The latest of jobs, and of runners at GitHub. */
  lastJob: number;
  lastRunner: number;
}

export interface DispatchCore {
  readonly clock: Clock;
  readonly random: Random;
  readonly times: DispatchTimes;
  /** 1 is life; 0.01 lets jobs take a hundredth of their time. */
  readonly timeScale: number;
  /** 1: a server of the original, without the drain handshake. */
  readonly protocol: 1 | 2;
  readonly state: DispatchState;
}

export const emptyState = (): DispatchState => ({
  jobs: new Map(),
  lives: new Map(),
  sessions: new Map(),
  registrations: new Map(),
  locks: new Map(),
  limits: new Map(),
  loads: new Map(),
  record: [],
  listeners: new Set(),
  faults: [],
  underWay: new Set(),
  samples: new Map(),
  awayUntilMs: 0,
  lastJob: 1_000,
  lastRunner: 0,
});

export const note = ({ state, clock }: DispatchCore, event: DispatchEvent): void => {
  const entry = { ...event, number: state.record.length + 1, atMs: clock.now() };
  state.record.push(entry);
  for (const listener of state.listeners) listener(entry);
};

/** Throws `bug`: only the simulator itself names jobs here. */
export const knownJob = ({ state }: DispatchCore, id: number): SimJob => {
  const job = state.jobs.get(id);
  if (job === undefined) throw new FleetError('bug', { code: 'NoSuchJob', message: `there is no simulated job ${id}` });
  return job;
};

export const changeJob = (core: DispatchCore, id: number, fields: Partial<SimJob>): SimJob => {
  const job = { ...knownJob(core, id), ...fields };
  putJob(core, job);
  return job;
};

export const putJob = (core: DispatchCore, job: SimJob): void => {
  core.state.jobs.set(job.id, job);
  noteLoad(core, job.pool);
};

/** Of a runner that nobody heard of before it begins here. Whoever only speaks about it may not know its pool. */
export const lifeOf = ({ state }: DispatchCore, { pod, uid }: RunnerName, pool = ''): RunnerLife => {
  const known = state.lives.get(uid) ?? { pod, uid, pool, isRefused: false, isHanded: false };
  const life = known.pool === '' ? { ...known, pool } : known;
  state.lives.set(uid, life);
  return life;
};

export const changeLife = ({ state }: DispatchCore, life: RunnerLife, fields: Partial<RunnerLife>): RunnerLife => {
  const changed = { ...life, ...fields };
  state.lives.set(life.uid, changed);
  return changed;
};

export const isActive = ({ state }: Pick<SimJob, 'state'>): boolean => state === 'claimed' || state === 'running';

const noteLoad = ({ state, clock }: DispatchCore, pool: string): void => {
  const loads = state.loads.get(pool) ?? [];
  state.loads.set(pool, loads);
  const busy = [...state.jobs.values()].filter((job) => job.pool === pool && isActive(job)).length;
  if (loads.at(-1)?.busy !== busy) loads.push({ atMs: clock.now(), busy });
};
