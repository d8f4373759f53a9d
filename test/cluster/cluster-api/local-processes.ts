/**
 * Pods as processes of this machine: the command of a Pod's only container, with its environment, under an address of the
 * loopback of its own. What such a process is and is not is told in the Pod's status; nothing outlives us.
 */
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../src/base/clock.ts';
import type { Random } from '../../../src/base/random.ts';
import { keyOf, renderKey } from '../../../src/kube/types/meta.ts';
import type { Pod } from '../../../src/kube/types/pod.ts';
import type { PodMoment } from '../../../src/sim/node/pod-moment.ts';
import type { PodProcesses } from '../../../src/sim/node/pod-processes.ts';
import { type Guarded, spawnGuarded } from '../../../tools/processes/guarded.ts';
import { type ProcessPlan, planProcess } from './plan-process.ts';
import { type Readiness, watchReadiness } from './readiness.ts';

export interface LocalProcessesOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** For one log file per Pod. */
  readonly dir: string;
  /** What an image runs when its container names no command. */
  readonly entrypoints?: Readonly<Record<string, readonly string[]>>;
  /** Decides what process a Pod is, where that takes looking things up. */
  readonly plan?: (pod: Pod, podIp: string) => Promise<ProcessPlan>;
  /** SIGTERM unless given. */
  readonly askToEnd?: (pid: number) => void;
}

export interface LocalProcesses extends PodProcesses {
  /** Kills them all. */
  close(): Promise<void>;
}

type End = Extract<PodMoment, { phase: 'Succeeded' | 'Failed' }>;

/** One Pod, from its first look to its last. */
interface Life {
  readonly key: string;
  readonly podIp: string;
  readonly restartPolicy: string;
  plan: ProcessPlan | { readonly kind: 'preparing' };
  startedMs: number;
  restarts: number;
  guarded: Guarded | undefined;
  readiness: Readiness | undefined;
  /** How the last process ended. */
  end: End | undefined;
  /** Of the next start, or of the end of the grace. */
  cancelTimer: () => void;
  isStopping: boolean;
}

interface House {
  readonly options: LocalProcessesOptions;
  readonly lives: Map<string, Life>;
  readonly changed: (key: string) => void;
}

/** Shorter than a kubelet's, so that a test sees more than one restart. */
const RESTART_AFTER_MS = 500;
const RESTART_AFTER_MAX_MS = 8_000;
/** As a shell tells of a process that was killed. */
const KILLED = 137;

export const createLocalProcesses = (options: LocalProcessesOptions): LocalProcesses => {
  mkdirSync(options.dir, { recursive: true });
  const listeners = new Set<(key: string) => void>();
  const changed = (key: string): void => listeners.forEach((listen) => void listen(key));
  const house: House = { options, lives: new Map(), changed };
  const nextAddress = createAddresses(options.random);
  const lifeOf = (pod: Pod): Life => {
    const { uid = '' } = pod.metadata;
    const life = house.lives.get(uid) ?? begin(house, pod, nextAddress());
    house.lives.set(uid, life);
    return life;
  };
  return {
    look: (pod) => momentOf(lifeOf(pod)),
    stop: (pod, graceMs) => stopLife(options, house.lives.get(pod.metadata.uid ?? ''), graceMs),
    forget: (uid) => {
      const life = house.lives.get(uid);
      house.lives.delete(uid);
      if (life !== undefined) void kill(life);
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => {
      await Promise.all([...house.lives.values()].map(kill));
    },
  };
};

/** Addresses 127.<64–127>.x.y: all of 127/8 is this machine, and others who do the same hardly draw the same two numbers. */
const createAddresses = (random: Random): (() => string) => {
  const [first = 0, second = 0] = random.bytes(2);
  let last = 0;
  return () => {
    last += 1;
    return `127.${64 + (first % 64)}.${second}.${last}`;
  };
};

const begin = (house: House, pod: Pod, podIp: string): Life => {
  const { restartPolicy = 'Always' } = pod.spec;
  const nowMs = house.options.clock.now();
  const life: Life = {
    ...{ key: renderKey(keyOf(pod)), podIp, restartPolicy, startedMs: nowMs, restarts: 0, isStopping: false },
    plan: { kind: 'preparing' },
    ...{ guarded: undefined, readiness: undefined, end: undefined, cancelTimer: () => undefined },
  };
  const isLost = restartPolicy === 'Never' && pod.status?.phase === 'Running';
  if (isLost) life.end = endOf(life, { exitCode: KILLED, nowMs });
  else void prepare(house, life, pod);
  return life;
};

const prepare = async (house: House, life: Life, pod: Pod): Promise<void> => {
  const { options, lives, changed } = house;
  const { podIp } = life;
  const plan = options.plan?.(pod, podIp) ?? planProcess(pod, { podIp, entrypoints: options.entrypoints ?? {} });
  life.plan = await plan;
  const isWanted = lives.get(pod.metadata.uid ?? '') === life && !life.isStopping;
  if (life.plan.kind === 'run' && isWanted) start(house, life, life.plan);
  // What it lacks may come; a kubelet looks again too.
  if (life.plan.kind === 'refused' && isWanted && options.plan !== undefined)
    life.cancelTimer = options.clock.schedule(RESTART_AFTER_MS, () => void prepare(house, life, pod));
  changed(life.key);
};

const start = (house: House, life: Life, plan: Extract<ProcessPlan, { kind: 'run' }>): void => {
  const log = openSync(join(house.options.dir, `${life.key.replace('/', '_')}.log`), 'a');
  const [path, ...args] = plan.command;
  const env = { PATH: process.env['PATH'] ?? '', ...plan.env };
  const guarded = spawnGuarded({ path, args, env, stdin: 'ignore', output: log });
  closeSync(log);
  life.startedMs = house.options.clock.now();
  life.end = undefined;
  life.guarded = guarded;
  const changed = (): void => house.changed(life.key);
  life.readiness = watchReadiness(house.options.clock, plan.probe && { ...plan.probe, host: life.podIp }, changed);
  guarded.child.once('exit', (code) => ended(house, life, code ?? KILLED));
};

const ended = (house: House, life: Life, exitCode: number): void => {
  life.readiness?.stop();
  life.cancelTimer();
  life.guarded = undefined;
  life.end = endOf(life, { exitCode, nowMs: house.options.clock.now() });
  const { plan, restartPolicy, isStopping } = life;
  const isOver = restartPolicy === 'Never' || (restartPolicy === 'OnFailure' && exitCode === 0);
  if (plan.kind === 'run' && !isStopping && !isOver) {
    const afterMs = Math.min(RESTART_AFTER_MS * 2 ** life.restarts, RESTART_AFTER_MAX_MS);
    life.cancelTimer = house.options.clock.schedule(afterMs, () => {
      life.restarts += 1;
      start(house, life, plan);
      house.changed(life.key);
    });
  }
  house.changed(life.key);
};

const endOf = (
  { startedMs, restarts, podIp }: Life,
  { exitCode, nowMs }: { readonly exitCode: number; readonly nowMs: number },
): End => ({
  ...{ startedMs, restarts, podIp, exitCode, endedMs: nowMs },
  phase: exitCode === 0 ? 'Succeeded' : 'Failed',
});

const momentOf = (life: Life): PodMoment => {
  const { plan, end, startedMs, restarts, podIp, restartPolicy } = life;
  if (plan.kind === 'preparing') return end ?? { phase: 'Pending', waiting: { reason: 'ContainerCreating' } };
  if (plan.kind === 'refused') return { phase: 'Pending', waiting: plan.why };
  if (end === undefined) {
    return { phase: 'Running', startedMs, restarts, podIp, isReady: life.readiness?.isReady() ?? false };
  }
  const isOver = restartPolicy === 'Never' || (restartPolicy === 'OnFailure' && end.exitCode === 0);
  if (isOver) return end;
  const waiting = { reason: 'CrashLoopBackOff', message: `the process ended with exit code ${end.exitCode}` };
  return { phase: 'Running', startedMs, restarts, podIp, waiting };
};

/** A Pod that we do not know has no process here, and so has ended. */
const stopLife = (
  { clock, askToEnd }: LocalProcessesOptions,
  life: Life | undefined,
  graceMs: number,
): End | undefined => {
  const nowMs = clock.now();
  if (life === undefined) return { phase: 'Failed', startedMs: nowMs, endedMs: nowMs, exitCode: KILLED };
  const { guarded } = life;
  if (guarded === undefined) {
    life.isStopping = true;
    life.cancelTimer();
    return life.end ?? endOf(life, { exitCode: KILLED, nowMs });
  }
  if (!life.isStopping) {
    life.isStopping = true;
    const { pid } = guarded.child;
    if (askToEnd !== undefined && pid !== undefined) askToEnd(pid);
    else guarded.child.kill('SIGTERM');
    life.cancelTimer = clock.schedule(graceMs, () => void guarded.stop());
  }
  return undefined;
};

const kill = async (life: Life): Promise<void> => {
  life.isStopping = true;
  life.cancelTimer();
  life.readiness?.stop();
  await life.guarded?.stop();
};
