/**
 * One runner's end: told to the dispatcher, then cleared away. And the second half of a retirement: a runner that was
 * marked is deleted only when the dispatcher says that it is idle and stays so. The key is the name of Pod and account.
 */
import { parseTimestamp, toTimestamp } from '../../base/clock.ts';
import { isKind, toFleetError, unreachable } from '../../base/errors.ts';
import type { Dispatcher } from '../../dispatch/port/dispatcher.ts';
import { ifThere, readIfThere } from '../../kube/client/if-there.ts';
import {
  type Controller,
  createController,
  type ReconcileContext,
  watchMapped,
  watchPrimary,
} from '../../kube/controller/controller.ts';
import type { Verdict } from '../../kube/queue/work-queue.ts';
import { NODES, PODS, SERVICE_ACCOUNTS, type ServiceAccount } from '../../kube/types/core.ts';
import { keyOf, type ObjectKey, renderKey } from '../../kube/types/meta.ts';
import type { Pod } from '../../kube/types/pod.ts';
import { markLeaving } from '../pool/mark-leaving.ts';
import type { RunnersDeps } from '../ports.ts';
import { endOf, hasEnded, isAbnormalEnd, isAlive, isLeaving, mayHavePolled } from '../runner-pod.ts';
import { captureDeath } from './death-log.ts';
import { createEnds, type End, type Ends } from './ends.ts';
import { judgeStanding } from './judge-standing.ts';
import { planRunner } from './plan-runner.ts';
import { viewRunner } from './view-runner.ts';

export interface RunnerParts extends RunnersDeps {
  readonly dispatcher: Dispatcher | undefined;
  readonly ends: Ends;
}

const WORKERS = 8;
/** How often a dispatcher that could not tell, or that has no word for it, is asked again. */
const ASK_AGAIN_MS = { unsure: 15_000, original: 300_000 } as const;
/** How often a job is asked about, and how long a VM may run on when it is over: its aftermath is part of the job. */
const JOB_LOOK_MS = 600_000;
const REST: Verdict = { next: 'rest' };

export const createRunnerController = (deps: RunnersDeps, dispatcher: Dispatcher | undefined): Controller => {
  const { pods, accounts } = deps.caches;
  const parts: RunnerParts = { ...deps, dispatcher, ends: createEnds() };
  return createController({
    name: 'runners.lifecycle',
    workers: WORKERS,
    watches: [
      watchPrimary(pods),
      watchMapped(accounts, (change) => [renderKey(keyOf(change.type === 'deleted' ? change.old : change.object))]),
    ],
    reconcile: (context) => reconcile(parts, context),
  });
};

const reconcile = async (parts: RunnerParts, context: ReconcileContext): Promise<Verdict> => {
  const view = viewRunner(parts, context);
  const plan = planRunner(view);
  const { pod, account } = view;
  switch (plan.do) {
    case 'forget':
      parts.ends.forget(context.key);
      return REST;
    case 'leave':
      return REST;
    case 'await-pod':
      return { next: 'again', afterMs: plan.afterMs };
    case 'close':
      return account === undefined ? REST : close(parts, account, context);
    case 'reap':
      return pod === undefined ? REST : reap(parts, pod, { context, patienceMs: plan.patienceMs });
    case 'see-off':
      if (pod !== undefined) await tellEnd(parts, pod, context);
      return { next: 'again', afterMs: plan.checkAfterMs };
    case 'look-for-node':
      return pod === undefined ? REST : forceAway(parts, pod, context);
    case 'drain':
      return pod === undefined ? REST : drain(parts, pod, context);
    case 'watch-job':
      return pod === undefined ? REST : watchJob(parts, pod, context);
    default:
      return unreachable(plan);
  }
};

/** The last words, once, where the end was not a good one; then the report, once. */
const tellEnd = async (parts: RunnerParts, pod: Pod, context: ReconcileContext): Promise<void> => {
  const end = parts.ends.note(context.key, pod.metadata.uid ?? '', endOf(pod, context.clock.now()));
  if (!end.isCaptured) {
    noteAtNode(parts, pod, context);
    if (isAbnormalEnd(pod)) await captureDeath(pod, context);
  }
  end.isCaptured = true;
  await report(parts, end, { pod: keyOf(pod), context, source: 'phase-transition' });
};

/** Whoever was deleted says nothing about its Mac. */
const noteAtNode = ({ badNodes }: RunnerParts, pod: Pod, { logger }: ReconcileContext): void => {
  const { nodeName } = pod.spec;
  if (nodeName === undefined || !hasEnded(pod)) return;
  if (!isAbnormalEnd(pod)) badNodes.endedWell(nodeName);
  else if (badNodes.died(nodeName))
    logger.warn('Runners die on a Node, and go elsewhere for a while', { node: nodeName });
};

interface Reporting {
  readonly pod: ObjectKey;
  readonly context: ReconcileContext;
  readonly source: 'phase-transition' | 'reap';
}

/** At least once: after a restart it is said again, and the server keeps the earliest end. */
const report = async ({ dispatcher }: RunnerParts, end: End, { pod, context, source }: Reporting): Promise<void> => {
  if (dispatcher === undefined || end.isReported) return;
  context.permit();
  await dispatcher.reportStop({ podName: pod.name, endedAt: end.endedAt }, context.signal);
  end.isReported = true;
  context.logger.info('reported pod stopped', { pod: pod.name, endedAt: end.endedAt, source });
};

interface Reaping {
  readonly context: ReconcileContext;
  readonly patienceMs: number;
}

/** A Pod that ended is kept until its end was told; it takes no room on its Mac, and its successor does not wait for it. */
const reap = async (parts: RunnerParts, pod: Pod, { context, patienceMs }: Reaping): Promise<Verdict> => {
  try {
    await tellEnd(parts, pod, context);
  } catch (thrown) {
    const error = toFleetError(thrown);
    const endedMs = parseTimestamp(endOf(pod, context.clock.now())) ?? context.clock.now();
    if (error.kind === 'cancelled' || context.clock.now() - endedMs < patienceMs) throw error;
    const message = `Its end was never reported, and it is deleted all the same: ${error.message}`;
    parts.events.publish(PODS, pod, [{ type: 'Warning', reason: 'StopNotReported', message }]);
  }
  // It ended, and no Pod comes back from that: whatever else changed on it does not matter.
  await ifThere(remove(pod, context, { uid: pod.metadata.uid }));
  return REST;
};

const remove = (
  pod: Pod,
  { kube, signal }: ReconcileContext,
  { uid, resourceVersion }: { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined },
): Promise<void> =>
  kube.delete(PODS, keyOf(pod), {
    preconditions: {
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    signal,
  });

/** An account without a Pod: what it stood for is over, whether we saw the end or not. */
const close = async (parts: RunnerParts, account: ServiceAccount, context: ReconcileContext): Promise<Verdict> => {
  const key = keyOf(account);
  if ((await readIfThere(PODS, key, context)) !== undefined) return { next: 'again', afterMs: ASK_AGAIN_MS.unsure };
  const end = parts.ends.find(context.key) ?? parts.ends.note(context.key, '', toTimestamp(context.clock.now()));
  await report(parts, end, { pod: key, context, source: 'reap' });
  const { uid } = account.metadata;
  await ifThere(
    context.kube.delete(SERVICE_ACCOUNTS, key, {
      ...(uid === undefined ? {} : { preconditions: { uid } }),
      signal: context.signal,
    }),
  );
  return REST;
};

/** Long overdue, held by nobody. Only where the Node is really gone: otherwise its agent may still end the VM. */
const forceAway = async (parts: RunnerParts, pod: Pod, context: ReconcileContext): Promise<Verdict> => {
  await tellEnd(parts, pod, context);
  const { nodeName } = pod.spec;
  if (nodeName !== undefined && (await readIfThere(NODES, { name: nodeName }, context)) !== undefined)
    return { next: 'again', afterMs: ASK_AGAIN_MS.original };
  const { uid, resourceVersion } = pod.metadata;
  const preconditions = { ...(uid === undefined ? {} : { uid }), ...(resourceVersion ? { resourceVersion } : {}) };
  await ifThere(
    context.kube.delete(PODS, keyOf(pod), { preconditions, gracePeriodSeconds: 0, signal: context.signal }),
  );
  const message = `Its Node ${nodeName ?? ''} is gone, and nobody else would have removed it`;
  parts.events.publish(PODS, pod, [{ type: 'Normal', reason: 'RunnerPodForcedAway', message }]);
  return REST;
};

/** The dispatcher refuses it every job from here on, and says in the same moment whether it has one (S30, S32). */
const drain = async (parts: RunnerParts, pod: Pod, context: ReconcileContext): Promise<Verdict> => {
  const { name: podName, uid: podUid = '' } = pod.metadata;
  context.permit();
  const standing = (await parts.dispatcher?.drain({ podName, podUid }, context.signal)) ?? { protocol: 1 };
  const verdict = judgeStanding(standing);
  switch (verdict) {
    case 'leave':
      return { next: 'again', afterMs: JOB_LOOK_MS };
    case 'over': {
      const leftMs = leftOf(parts, pod, context);
      return leftMs > 0 ? { next: 'again', afterMs: leftMs } : removeDrained(parts, pod, { context, may: 'any' });
    }
    case 'ask-again':
      return { next: 'again', afterMs: ASK_AGAIN_MS.unsure };
    case 'delete':
    case 'only-unstarted':
      return removeDrained(parts, pod, { context, may: verdict === 'delete' ? 'any' : 'unstarted' });
    default:
      return unreachable(verdict);
  }
};

/** How long it may still take to end by itself. */
const leftOf = ({ ends }: RunnerParts, { metadata: { uid = '' } }: Pod, { key, clock }: ReconcileContext): number =>
  ends.overSince(key, uid, clock.now()) + JOB_LOOK_MS - clock.now();

/** A guest may hang when its job is over, and its Mac with it (§7-46). Then it is asked to leave like any other. */
const watchJob = async (parts: RunnerParts, pod: Pod, context: ReconcileContext): Promise<Verdict> => {
  const { name: podName, uid: podUid = '' } = pod.metadata;
  const standing = await parts.dispatcher?.look({ podName, podUid }, context.signal);
  if (standing === undefined || standing.protocol === 1) return REST;
  if (judgeStanding(standing) !== 'over') return { next: 'again', afterMs: JOB_LOOK_MS };
  const leftMs = leftOf(parts, pod, context);
  if (leftMs > 0) return { next: 'again', afterMs: leftMs };
  await markLeaving([{ pod, why: 'after-job' }], context, parts.events);
  return REST;
};

interface Removal {
  readonly context: ReconcileContext;
  readonly may: 'any' | 'unstarted';
}

/** Looked at once more, and deleted as it was seen then: whatever happens to it in between, the delete is refused. */
const removeDrained = async (parts: RunnerParts, pod: Pod, { context, may }: Removal): Promise<Verdict> => {
  const fresh = await readIfThere(PODS, keyOf(pod), context);
  const isSame = fresh?.metadata.uid === pod.metadata.uid;
  // What changed wakes this key by itself.
  if (fresh === undefined || !isSame || !isAlive(fresh) || !isLeaving(fresh)) return REST;
  if (may === 'unstarted' && mayHavePolled(fresh)) return { next: 'again', afterMs: ASK_AGAIN_MS.original };
  // A runner that never was has no session, and while it may still begin there is no end to tell.
  if (may === 'any') {
    const end = parts.ends.note(context.key, fresh.metadata.uid ?? '', toTimestamp(context.clock.now()));
    await reportIfPossible(parts, end, { pod: keyOf(fresh), context, source: 'reap' });
  }
  await ifThere(remove(fresh, context, fresh.metadata));
  return REST;
};

/** A retirement does not wait for a report: the account stays until it was made. */
const reportIfPossible = async (parts: RunnerParts, end: End, reporting: Reporting): Promise<void> => {
  try {
    await report(parts, end, reporting);
  } catch (thrown) {
    if (isKind(thrown, 'cancelled')) throw thrown;
    reporting.context.logger.warn('Stop of a runner not reported yet', { error: toFleetError(thrown) });
  }
};
