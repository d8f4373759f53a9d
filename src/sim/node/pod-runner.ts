/**
 * Runs the Pods of one Node, as scripts or as processes: a pass looks where in its life a Pod is and reports it; the queue
 * wakes it at the next turn. Deletion comes before everything else, also before a Pod's own end.
 */
import { parseTimestamp } from '../../base/clock.ts';
import { isKind, messageOf } from '../../base/errors.ts';
import type { Cache } from '../../kube/cache/cache.ts';
import {
  type Controller,
  createController,
  type ReconcileContext,
  type Watch,
  watchPrimary,
} from '../../kube/controller/controller.ts';
import { diffMerge } from '../../kube/controller/merge-patch.ts';
import type { Verdict } from '../../kube/queue/work-queue.ts';
import { PODS } from '../../kube/types/core.ts';
import { keyOf } from '../../kube/types/meta.ts';
import type { Pod } from '../../kube/types/pod.ts';
import type { PodProcesses } from './pod-processes.ts';
import { type PodScript, parseScript, planMoment, SCRIPT_ANNOTATION } from './pod-script.ts';
import { isOver, renderFailure, renderStatus, type StatusFacts } from './pod-status.ts';

export interface PodRunnerParts {
  readonly pods: Cache<Pod>;
  readonly hostIp: string;
  /** Runs the Pods that bring no script. Without it those follow the default script. */
  readonly processes?: PodProcesses;
}

/** When Pods were accepted and when their end was asked for, by UID: timestamps in a status know only seconds. */
interface Diary {
  readonly accepted: Map<string, number>;
  readonly stopping: Map<string, number>;
}

export const createPodRunner = (parts: PodRunnerParts): Controller => {
  const diary: Diary = { accepted: new Map(), stopping: new Map() };
  return createController({
    name: 'node-agent.pods',
    watches: [watchPrimary(parts.pods), forgetDeleted(parts, diary), ...watchProcesses(parts)],
    reconcile: (context) => followPod(parts, diary, context),
  });
};

const forgetDeleted = ({ pods, processes }: PodRunnerParts, { accepted, stopping }: Diary): Watch => ({
  cache: pods,
  start: () =>
    pods.subscribe((change) => {
      if (change.type !== 'deleted') return;
      const { uid = '' } = change.old.metadata;
      accepted.delete(uid);
      stopping.delete(uid);
      processes?.forget(uid);
    }),
});

const watchProcesses = ({ pods, processes }: PodRunnerParts): readonly Watch[] =>
  processes === undefined ? [] : [{ cache: pods, start: (add) => processes.subscribe((key) => add(key, 'change')) }];

const followPod = async (parts: PodRunnerParts, diary: Diary, context: ReconcileContext): Promise<Verdict> => {
  const { pods, hostIp } = parts;
  const pod = pods.get(context.key);
  if (pod === undefined) return { next: 'rest' };
  const nowMs = context.clock.now();
  const facts: StatusFacts = { acceptedMs: acceptedAt(pod, diary, nowMs), nowMs, hostIp };
  const hasScript = pod.metadata.annotations?.[SCRIPT_ANNOTATION] !== undefined;
  if (parts.processes !== undefined && !hasScript)
    return followProcess(pod, { processes: parts.processes, facts }, context);
  const script = scriptOf(pod);
  if (pod.metadata.deletionTimestamp !== undefined) return stopPod(pod, { diary, script, facts }, context);
  if (isOver(pod)) return { next: 'rest' };
  if (typeof script === 'string') {
    const why = { reason: 'BadPodScript', message: script };
    await report(pod, renderFailure(pod, why, { ...facts, exitCode: 128 }), context);
    return { next: 'rest' };
  }
  const moment = planMoment(pod, script, facts);
  await report(pod, renderStatus(pod, moment, facts), context);
  if (!('untilMs' in moment) || moment.untilMs === undefined) return { next: 'rest' };
  return { next: 'again', afterMs: moment.untilMs - nowMs };
};

const followProcess = async (
  pod: Pod,
  { processes, facts }: { readonly processes: PodProcesses; readonly facts: StatusFacts },
  context: ReconcileContext,
): Promise<Verdict> => {
  const { deletionTimestamp, deletionGracePeriodSeconds = 30 } = pod.metadata;
  if (deletionTimestamp === undefined) {
    if (!isOver(pod)) await report(pod, renderStatus(pod, processes.look(pod), facts), context);
    return { next: 'rest' };
  }
  if (deletionGracePeriodSeconds === 0 && isOver(pod)) return { next: 'rest' };
  const end = processes.stop(pod, deletionGracePeriodSeconds * 1_000);
  if (end === undefined) return { next: 'rest' };
  if (!isOver(pod)) await report(pod, renderStatus(pod, end, facts), context);
  await letGo(pod, context);
  return { next: 'rest' };
};

/** Of this very Pod: one of the same name may have taken its place. */
const letGo = (pod: Pod, { kube, signal }: ReconcileContext): Promise<void> => {
  const preconditions = { uid: pod.metadata.uid ?? '' };
  return kube.delete(PODS, keyOf(pod), { gracePeriodSeconds: 0, preconditions, signal });
};

const acceptedAt = (pod: Pod, { accepted }: Diary, nowMs: number): number => {
  const uid = pod.metadata.uid ?? '';
  const acceptedMs = accepted.get(uid) ?? parseTimestamp(pod.status?.startTime) ?? nowMs;
  accepted.set(uid, acceptedMs);
  return acceptedMs;
};

/** The script, or why there is none. */
const scriptOf = (pod: Pod): PodScript | string => {
  try {
    return parseScript(pod.metadata.annotations?.[SCRIPT_ANNOTATION]);
  } catch (error) {
    if (isKind(error, 'invalid')) return messageOf(error);
    throw error;
  }
};

const TERMINATED_BY_SIGNAL = 143;

/** Stops what runs, within the grace the Pod has, tells its end, and only then lets the object go. */
const stopPod = async (
  pod: Pod,
  { diary, script, facts }: { readonly diary: Diary; readonly script: PodScript | string; readonly facts: StatusFacts },
  context: ReconcileContext,
): Promise<Verdict> => {
  const { uid = '', deletionGracePeriodSeconds = 30 } = pod.metadata;
  // We let go of it already; somebody's finalizer holds it.
  if (deletionGracePeriodSeconds === 0 && isOver(pod)) return { next: 'rest' };
  const sinceMs = diary.stopping.get(uid) ?? facts.nowMs;
  diary.stopping.set(uid, sinceMs);
  const wantedMs = isOver(pod) || typeof script === 'string' ? 0 : script.stopMs;
  const leftMs = sinceMs + Math.min(wantedMs, deletionGracePeriodSeconds * 1_000) - facts.nowMs;
  if (leftMs > 0) return { next: 'again', afterMs: leftMs };
  if (!isOver(pod)) {
    const why = { reason: 'Terminated', message: 'the Pod was deleted' };
    await report(pod, renderFailure(pod, why, { ...facts, exitCode: TERMINATED_BY_SIGNAL }), context);
  }
  await letGo(pod, context);
  return { next: 'rest' };
};

/** Nothing changed, nothing sent. */
const report = async (pod: Pod, status: NonNullable<Pod['status']>, context: ReconcileContext): Promise<void> => {
  const { kube, signal } = context;
  const difference = diffMerge(pod.status ?? {}, status);
  if (difference === undefined) return;
  const { uid, resourceVersion } = pod.metadata;
  const body = { metadata: { uid, resourceVersion }, status: difference };
  await kube.patch(PODS, keyOf(pod), { type: 'merge', body }, { subresource: 'status', signal });
};
