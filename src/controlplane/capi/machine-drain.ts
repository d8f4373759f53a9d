/** Emptying a Machine's Node before its infrastructure goes: cordon, then eviction, for as long as the Machine allows. */
import { parseTimestamp, toTimestamp } from '../../base/clock.ts';
import { isKind, messageOf } from '../../base/errors.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { ReconcileContext } from '../../kube/controller/controller.ts';
import type { Step } from '../../kube/controller/lifecycle.ts';
import { done, wait } from '../../kube/controller/outcome.ts';
import { NODES, type Node, PODS } from '../../kube/types/core.ts';
import { type KubeObject, keyOf, renderKey } from '../../kube/types/meta.ts';
import type { Resource } from '../../kube/types/resource.ts';
import type { SchedulablePod } from '../core/scheduling/schedulable.ts';
import type { CoreView } from './core-view.ts';
import { cannotReach, deleting, findGoverned } from './machine-deletion.ts';
import { CORE_ANNOTATIONS, type Machine } from './machine-kinds.ts';
import { type DrainPlan, isDrained, planDrain, type Refusals, renderDrain } from './plan-drain.ts';
import type { RemoteCluster } from './remote/remote-cluster.ts';

const RETRY_MIN_MS = 1_000;
const RETRY_MAX_MS = 20_000;
const AGENT_GRACE_SECONDS = 1;
const NODE_PODS: Resource<SchedulablePod> = PODS;

interface Eviction extends KubeObject {
  readonly deleteOptions: { readonly preconditions: { readonly uid: string }; readonly gracePeriodSeconds?: number };
}

export const drainNode = (view: CoreView): Step<Machine> => ({
  name: 'drain',
  condition: 'Deleting',
  run: async (machine, context) => {
    const governed = await findGoverned(view, machine, context);
    if (governed === undefined || !mayDrain(machine, governed.infrastructure, context.clock.now())) return done();
    const startedAt = machine.status?.deletion?.nodeDrainStartTime ?? toTimestamp(context.clock.now());
    const status = { phase: 'Deleting', deletion: { ...machine.status?.deletion, nodeDrainStartTime: startedAt } };
    const { remote, node } = governed;
    if (remote === undefined) {
      const condition = deleting('DrainingNode', cannotReach(governed.problem).message);
      return wait<Machine>(nextLookMs({ machine, startedAt, nowMs: context.clock.now() }), { status, condition });
    }
    if (node === undefined) return done();
    const { plan, refusals } = await emptyNode(remote, node, context);
    if (!isDrained(plan)) {
      const condition = deleting('DrainingNode', renderDrain(plan, refusals, startedAt));
      return wait<Machine>(nextLookMs({ machine, startedAt, nowMs: context.clock.now() }), { status, condition });
    }
    const message = `success draining Machine's node "${node.metadata.name}"`;
    return done<Machine>({ status, events: [{ type: 'Normal', reason: 'SuccessfulDrainNode', message }] });
  },
});

const timeoutOf = ({ spec }: Machine): number => (spec.deletion?.nodeDrainTimeoutSeconds ?? 0) * 1_000;

const mayDrain = (machine: Machine, infrastructure: KubeObject | undefined, nowMs: number): boolean => {
  if (machine.metadata.annotations?.[CORE_ANNOTATIONS.excludeDraining] !== undefined) return false;
  if (machine.status?.deletion?.waitForPreTerminateHookStartTime !== undefined) return false;
  if (infrastructure === undefined || infrastructure.metadata.deletionTimestamp !== undefined) return false;
  const startedMs = parseTimestamp(machine.status?.deletion?.nodeDrainStartTime);
  const timeoutMs = timeoutOf(machine);
  return startedMs === undefined || timeoutMs <= 0 || nowMs < startedMs + timeoutMs;
};

/** Pods on another cluster are not watched: soon again at first, seldom when it takes long, in time for the timeout. */
const nextLookMs = ({
  machine,
  startedAt,
  nowMs,
}: {
  readonly machine: Machine;
  readonly startedAt: string;
  readonly nowMs: number;
}): number => {
  const startedMs = parseTimestamp(startedAt) ?? nowMs;
  const timeoutMs = timeoutOf(machine);
  const leftMs = timeoutMs <= 0 ? Number.POSITIVE_INFINITY : startedMs + timeoutMs - nowMs;
  const patienceMs = Math.min(RETRY_MAX_MS, Math.max(RETRY_MIN_MS, (nowMs - startedMs) / 4));
  return Math.max(0, Math.min(patienceMs, leftMs));
};

/** One round: cordons, evicts what may go, and tells what was still there before it. */
const emptyNode = async (
  remote: RemoteCluster,
  node: Node,
  context: ReconcileContext,
): Promise<{ readonly plan: DrainPlan; readonly refusals: Refusals }> => {
  const { clock, signal } = context;
  const kube = remote.clientFor(context);
  const { name, uid } = node.metadata;
  if (node.spec?.unschedulable !== true) {
    const body = { metadata: { uid }, spec: { unschedulable: true } };
    await kube.patch(NODES, { name }, { type: 'merge', body }, { signal });
  }
  const isUnreachable = node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'Unknown');
  const reach = isUnreachable === true ? 'unreachable' : 'reachable';
  const { items } = await kube.list(NODE_PODS, { fieldSelector: `spec.nodeName=${name}`, signal });
  const plan = planDrain({ pods: items, node: reach, nowMs: clock.now() });
  const refusals = new Map<string, string>();
  for (const pod of plan.evict) {
    const refusal = await evict(kube, pod, { reach, signal });
    if (refusal !== undefined) refusals.set(renderKey(keyOf(pod)), refusal);
  }
  return { plan, refusals };
};

/** Why it may not go now; undefined when it was asked to, or is gone. */
const evict = async (
  kube: KubeClient,
  pod: SchedulablePod,
  { reach, signal }: { readonly reach: 'reachable' | 'unreachable'; readonly signal: AbortSignal },
): Promise<string | undefined> => {
  const { name, namespace = '', uid = '' } = pod.metadata;
  const body: Eviction = {
    ...{ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } },
    deleteOptions: {
      preconditions: { uid },
      ...(reach === 'unreachable' && { gracePeriodSeconds: AGENT_GRACE_SECONDS }),
    },
  };
  try {
    await kube.createSubresource(PODS, keyOf(pod), { subresource: 'eviction', body, signal });
    return undefined;
  } catch (error) {
    if (isKind(error, 'not-found', 'conflict')) return undefined;
    if (isKind(error, 'throttled')) return messageOf(error);
    throw error;
  }
};
