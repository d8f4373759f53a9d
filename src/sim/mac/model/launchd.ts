/**
 * launchd of a simulated Mac: jobs by their property lists, really started, kept alive, throttled and counted.
 *
 * Background Task Management counts how often a job was registered since the boot. Past its cap launchd registers the job and
 * leaves it there: it neither starts at load nor comes back when it dies. `kickstart` registers nothing.
 */
import type { Clock } from '../../../base/clock.ts';
import type { MacFiles } from './files.ts';
import { type JobSpec, readJob } from './launchd-job.ts';

/** Registrations of one label that are honoured between two boots. */
export const BTM_REGISTRATIONS_MAX = 4;
const LETS_GO_MS = 500;
const PATIENCE_MS = 5000;
const DAEMONS = '/Library/LaunchDaemons';

/** A program of the Mac that runs. Everything about it settles; nothing throws. */
export interface RunningProcess {
  readonly pid: Promise<number>;
  readonly exited: Promise<ProcessEnd>;
  kill(signal: 'TERM' | 'KILL'): void;
}

export interface ProcessEnd {
  readonly code: number;
  readonly reason: 'exit' | 'signal' | 'signature';
}

export type StartProcess = (job: JobSpec) => RunningProcess;

export interface JobView {
  readonly spec: JobSpec;
  readonly state: 'running' | 'waiting' | 'leaving';
  readonly pid: number | undefined;
  readonly runs: number;
  readonly lastEnd: ProcessEnd | undefined;
  readonly isHeldBack: boolean;
}

/** Jobs of the graphical session are the user's, and end with it. */
export type Domain = 'system' | 'gui';

export type LaunchdAnswer = 'ok' | readonly [code: number, why: string];

export interface Launchd {
  jobs(): readonly JobView[];
  job(label: string): JobView | undefined;
  bootstrap(path: string, domain?: Domain): LaunchdAnswer;
  bootout(label: string): LaunchdAnswer;
  kickstart(label: string, mode: 'start' | 'restart'): LaunchdAnswer;
  registrations(label: string): number;
  /** As if every label had been registered so often already. */
  setRegistrations(count: number): void;
  boot(): void;
  endSession(): void;
  shutDown(): void;
}

export interface LaunchdDeps {
  readonly files: MacFiles;
  readonly clock: Clock;
  readonly startProcess: StartProcess;
}

interface Job {
  readonly spec: JobSpec;
  readonly domain: Domain;
  readonly isHeldBack: boolean;
  running: RunningProcess | undefined;
  number: number | undefined;
  startedAt: number;
  runs: number;
  lastEnd: ProcessEnd | undefined;
  isLeaving: boolean;
  cancelTimer: () => void;
}

interface Body extends LaunchdDeps {
  readonly jobs: Map<string, Job>;
  /** By label, since the boot. */
  readonly registrations: Map<string, number>;
  /** Of labels that are not in it. */
  usual: number;
}

export const createLaunchd = (deps: LaunchdDeps): Launchd => {
  const body: Body = { ...deps, jobs: new Map(), registrations: new Map(), usual: 0 };
  const { jobs, registrations } = body;
  const setRegistrations = (count: number): void => {
    body.usual = count;
    registrations.clear();
  };
  return {
    jobs: () => [...jobs.values()].map(view),
    job: (label) => {
      const job = jobs.get(label);
      return job === undefined ? undefined : view(job);
    },
    bootstrap: (path, domain = 'system') => bootstrap(body, path, domain),
    bootout: (label) => bootout(body, label),
    kickstart: (label, mode) => kickstart(body, label, mode),
    registrations: (label) => registrations.get(label) ?? body.usual,
    setRegistrations,
    boot: () => {
      setRegistrations(0);
      for (const name of deps.files.list(DAEMONS)) {
        const spec = name.endsWith('.plist') ? readJob(deps.files, `${DAEMONS}/${name}`) : undefined;
        if (spec !== undefined && !('refusal' in spec)) register(body, spec, { domain: 'system', isHeldBack: false });
      }
    },
    endSession: () => {
      for (const { domain, spec } of [...jobs.values()]) if (domain === 'gui') bootout(body, spec.label);
    },
    shutDown: () => {
      for (const job of jobs.values()) job.cancelTimer();
      jobs.clear();
    },
  };
};

const bootstrap = (body: Body, path: string, domain: Domain): LaunchdAnswer => {
  const { files, jobs, registrations, usual } = body;
  const spec = readJob(files, path);
  if ('refusal' in spec) return spec.refusal;
  const there = jobs.get(spec.label);
  if (there?.isLeaving === true) return [37, 'Operation already in progress'];
  if (there !== undefined) return [5, 'Input/output error'];
  const count = (registrations.get(spec.label) ?? usual) + 1;
  registrations.set(spec.label, count);
  register(body, domain === 'gui' ? { ...spec, user: 'm1' } : spec, {
    ...{ domain, isHeldBack: count > BTM_REGISTRATIONS_MAX },
  });
  return 'ok';
};

const register = (body: Body, spec: JobSpec, { domain, isHeldBack }: Pick<Job, 'domain' | 'isHeldBack'>): void => {
  const job: Job = {
    ...{ spec, domain, isHeldBack, running: undefined, number: undefined, startedAt: 0, runs: 0 },
    ...{ lastEnd: undefined, isLeaving: false, cancelTimer: () => undefined },
  };
  body.jobs.set(spec.label, job);
  if (isHeldBack) return;
  if (spec.runsAtLoad || spec.keepAlive === 'always') spawn(body, job);
  else if (spec.intervalMs !== undefined) startLater(body, job, spec.intervalMs);
};

const startLater = (body: Body, job: Job, delayMs: number): void => {
  job.cancelTimer = body.clock.schedule(delayMs, () => spawn(body, job));
};

/** Nothing happens for a job that runs, or was taken away meanwhile. */
const spawn = (body: Body, job: Job): void => {
  if (job.isLeaving || job.running !== undefined || body.jobs.get(job.spec.label) !== job) return;
  job.cancelTimer();
  const running = body.startProcess(job.spec);
  Object.assign(job, { running, startedAt: body.clock.elapsed(), runs: job.runs + 1 });
  void running.pid.then((number) => {
    if (job.running === running) job.number = number;
  });
  void running.exited.then((end) => {
    if (job.running === running) onExit(body, job, end);
  });
};

const onExit = (body: Body, job: Job, end: ProcessEnd): void => {
  Object.assign(job, { running: undefined, number: undefined, lastEnd: end });
  if (job.isLeaving || body.jobs.get(job.spec.label) !== job) return;
  const delayMs = nextStartMs(job, end, body.clock.elapsed() - job.startedAt);
  if (delayMs !== undefined) startLater(body, job, delayMs);
};

const bootout = (body: Body, label: string): LaunchdAnswer => {
  const job = body.jobs.get(label);
  if (job === undefined) return [3, 'No such process'];
  if (job.isLeaving) return [36, 'Operation now in progress'];
  job.isLeaving = true;
  job.cancelTimer();
  void leave(body, job);
  return 'ok';
};

/** Politely first; the job is gone only some time after its program is. */
const leave = async ({ jobs, clock }: Body, job: Job): Promise<void> => {
  const { running } = job;
  running?.kill('TERM');
  const cancel = clock.schedule(PATIENCE_MS, () => running?.kill('KILL'));
  await running?.exited;
  cancel();
  clock.schedule(LETS_GO_MS, () => {
    if (jobs.get(job.spec.label) === job) jobs.delete(job.spec.label);
  });
};

const kickstart = (body: Body, label: string, mode: 'start' | 'restart'): LaunchdAnswer => {
  const job = body.jobs.get(label);
  if (job === undefined || job.isLeaving) return [113, `Could not find service "${label}" in domain for system`];
  const { running } = job;
  if (running === undefined) spawn(body, job);
  else if (mode === 'restart') {
    running.kill('KILL');
    // Not by KeepAlive, which would wait for the throttle.
    Object.assign(job, { running: undefined, number: undefined });
    void running.exited.then((end) => {
      job.lastEnd = end;
      spawn(body, job);
    });
  }
  return 'ok';
};

/** When a job that ended is started again; undefined for never. */
const nextStartMs = ({ spec, isHeldBack }: Job, { code, reason }: ProcessEnd, ranMs: number): number | undefined => {
  if (isHeldBack) return undefined;
  const isFailure = reason !== 'exit' || code !== 0;
  if (spec.keepAlive === 'always' || (spec.keepAlive === 'on-failure' && isFailure))
    return Math.max(spec.throttleMs - ranMs, 0);
  return spec.intervalMs;
};

const view = ({ spec, isLeaving, running, number, runs, lastEnd, isHeldBack }: Job): JobView => ({
  ...{ spec, pid: number, runs, lastEnd, isHeldBack },
  state: isLeaving ? 'leaving' : running === undefined ? 'waiting' : 'running',
});
