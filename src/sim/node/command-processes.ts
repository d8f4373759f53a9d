/**
 * Pods that do what their commands say, on the injected clock and without running anything: for suites that bring Pods of
 * their own. The first container stands for its Pod. Files that a command leaves behind last as long as their volume: those
 * of a hostPath as long as the Node, all others as long as the Pod.
 */
import type { Clock } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import { keyOf, renderKey } from '../../kube/types/meta.ts';
import type { Pod } from '../../kube/types/pod.ts';
import { type CommandPlan, planCommand } from './command-plan.ts';
import type { PodMoment } from './pod-moment.ts';
import type { PodProcesses } from './pod-processes.ts';

export interface CommandProcessesOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Whether there is such an image; without it no image is missing. */
  readonly hasImage?: (image: string) => boolean;
  /** An address for the next Pod. */
  readonly nextPodIp: () => string;
}

/** How long it takes until a container runs. */
const START_MS = 200;
/** Between the end of a container and its next start. */
const RESTART_MS = 1_000;
/** As a shell tells it when its program ends by SIGTERM. */
const TERMINATED = 143;

type PodEnd = Extract<PodMoment, { phase: 'Succeeded' | 'Failed' }>;

/** A container that was started at this time and does this. */
interface Run {
  readonly startedMs: number;
  readonly plan: CommandPlan;
  readonly restarts: number;
  readonly podIp: string;
}

/** What is remembered of a Pod. */
interface Life {
  readonly files: Set<string>;
  run: Run;
  cancelWake: () => void;
}

export const createCommandProcesses = (options: CommandProcessesOptions): PodProcesses => {
  const { clock } = options;
  const lives = new Map<string, Life>();
  const filesOfNode = new Set<string>();
  const listeners = new Set<(key: string) => void>();
  const start = (pod: Pod, files: Set<string>, earlier?: Run): Run => {
    const startedMs = clock.now() + (earlier === undefined ? START_MS : RESTART_MS);
    const plan = planFirst(pod, { random: options.random, files });
    if (plan.leavesFile !== undefined) files.add(fileOn(pod, plan.leavesFile));
    return {
      ...{ startedMs, plan, restarts: earlier === undefined ? 0 : earlier.restarts + 1 },
      podIp: earlier?.podIp ?? options.nextPodIp(),
    };
  };
  const lifeOf = (pod: Pod): Life => {
    const { uid = '' } = pod.metadata;
    const found = lives.get(uid);
    if (found !== undefined) return found;
    const files = hostPathOf(pod) === undefined ? new Set<string>() : filesOfNode;
    const life = { files, run: start(pod, files), cancelWake: () => undefined };
    lives.set(uid, life);
    return life;
  };
  const wakeAt = (pod: Pod, life: Life, atMs: number): void => {
    life.cancelWake();
    life.cancelWake = clock.schedule(Math.max(atMs - clock.now(), 0), () => {
      for (const listener of listeners) listener(renderKey(keyOf(pod)));
    });
  };
  return {
    look: (pod) => {
      const image = pod.spec.containers[0]?.image ?? '';
      if (options.hasImage?.(image) === false) return missingImage(image);
      const life = lifeOf(pod);
      if (isToRestart(pod, life.run, clock.now())) life.run = start(pod, life.files, life.run);
      const { moment, nextMs } = judge(pod, life.run, clock.now());
      if (nextMs !== undefined) wakeAt(pod, life, nextMs);
      return moment;
    },
    stop: (pod) => endOf(pod, lives.get(pod.metadata.uid ?? '')?.run, clock.now()),
    forget: (uid) => {
      lives.get(uid)?.cancelWake();
      lives.delete(uid);
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        // Nobody is left to wake; a timer would keep a process from ending.
        if (listeners.size === 0) for (const life of lives.values()) life.cancelWake();
      };
    },
  };
};

const missingImage = (image: string): PodMoment => ({
  phase: 'Pending',
  waiting: { reason: 'ImagePullBackOff', message: `Back-off pulling image ${JSON.stringify(image)}` },
});

const hostPathOf = ({ spec }: Pod): string | undefined =>
  spec.volumes?.find(({ hostPath }) => hostPath !== undefined)?.hostPath?.path;

const fileOn = (pod: Pod, path: string): string => `${hostPathOf(pod) ?? ''}:${path}`;

const INDEX_ANNOTATION = 'batch.kubernetes.io/job-completion-index';

const planFirst = (
  pod: Pod,
  { random, files }: { readonly random: Random; readonly files: ReadonlySet<string> },
): CommandPlan => {
  const index = pod.metadata.annotations?.[INDEX_ANNOTATION];
  const variables = index === undefined ? {} : { JOB_COMPLETION_INDEX: index };
  const [container = { name: '' }] = pod.spec.containers;
  return planCommand(container, { random, variables, hasFile: (path) => files.has(fileOn(pod, path)) });
};

const endMsOf = ({ startedMs, plan }: Run): number =>
  plan.endsAfterMs === undefined ? Number.POSITIVE_INFINITY : startedMs + plan.endsAfterMs;

const restarts = ({ spec: { restartPolicy = 'Always' } }: Pod, { exitCode }: CommandPlan): boolean =>
  restartPolicy === 'Always' || (restartPolicy === 'OnFailure' && exitCode !== 0);

const isToRestart = (pod: Pod, run: Run, nowMs: number): boolean => nowMs >= endMsOf(run) && restarts(pod, run.plan);

interface Judged {
  readonly moment: PodMoment;
  /** When another look tells something new. */
  readonly nextMs?: number;
}

const judge = (pod: Pod, run: Run, nowMs: number): Judged => {
  const { startedMs, restarts: count, podIp, plan } = run;
  const facts = { restarts: count, podIp };
  const endMs = endMsOf(run);
  if (nowMs >= endMs) return { moment: { ...facts, ...toEnd(run, { endedMs: endMs, exitCode: plan.exitCode }) } };
  if (nowMs < startedMs) {
    const moment: PodMoment =
      count === 0
        ? { phase: 'Pending' }
        : { phase: 'Running', startedMs, waiting: { reason: 'CrashLoopBackOff' }, ...facts };
    return { moment, nextMs: startedMs };
  }
  const readyMs = startedMs + (pod.spec.containers[0]?.readinessProbe?.initialDelaySeconds ?? 0) * 1_000;
  const nextMs = Math.min(endMs, nowMs < readyMs ? readyMs : endMs);
  const moment: PodMoment = { phase: 'Running', startedMs, isReady: nowMs >= readyMs, ...facts };
  return Number.isFinite(nextMs) ? { moment, nextMs } : { moment };
};

const toEnd = (
  { startedMs }: Pick<Run, 'startedMs'>,
  { endedMs, exitCode }: { readonly endedMs: number; readonly exitCode: number },
): PodEnd => ({ phase: exitCode === 0 ? 'Succeeded' : 'Failed', startedMs, endedMs, exitCode });

/** What has ended by itself ended so; everything else ends now, by our signal. */
const endOf = (pod: Pod, run: Run | undefined, nowMs: number): PodEnd => {
  if (run !== undefined && nowMs >= endMsOf(run) && !restarts(pod, run.plan)) {
    return toEnd(run, { endedMs: endMsOf(run), exitCode: run.plan.exitCode });
  }
  return toEnd({ startedMs: Math.min(run?.startedMs ?? nowMs, nowMs) }, { endedMs: nowMs, exitCode: TERMINATED });
};
