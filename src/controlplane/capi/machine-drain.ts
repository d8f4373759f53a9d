/** Emptying a Machine's Node before its infrastructure goes: cordon, then eviction, for as long as the Machine allows. */
import { parseTimestamp, toTimestamp } from '../../base/clock.ts';
import { isKind } from '../../base/errors.ts';
import type { ReconcileContext } from '../../kube/controller/controller.ts';
import type { Step } from '../../kube/controller/lifecycle.ts';
import { done, type Report, type StepResult, wait } from '../../kube/controller/outcome.ts';
import { NODES, type Node, PODS } from '../../kube/types/core.ts';
import { type KubeObject, keyOf } from '../../kube/types/meta.ts';
import type { SchedulablePod } from '../core/scheduling/schedulable.ts';
import type { CoreView } from './core-view.ts';
import { deleting, findGoverned } from './machine-deletion.ts';
import { CORE_ANNOTATIONS, type Machine } from './machine-kinds.ts';
import { type DrainPlan, isDrained, planDrain, renderDrain } from './plan-drain.ts';

/** Pods and budgets that change wake a drain; this is for what no cache shows. */
const RETRY_MS = 20_000;
const AGENT_GRACE_SECONDS = 1;

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
    if (governed.node === undefined) return done();
    const plan = await emptyNode(view, governed.node, context);
    if (!isDrained(plan)) return waitForPods({ machine, plan, startedAt }, { status }, context);
    const message = `success draining Machine's node "${governed.node.metadata.name}"`;
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

const waitForPods = (
  { machine, plan, startedAt }: { readonly machine: Machine; readonly plan: DrainPlan; readonly startedAt: string },
  report: Report<Machine>,
  { clock }: ReconcileContext,
): StepResult<Machine> => {
  const timeoutMs = timeoutOf(machine);
  const leftMs = timeoutMs <= 0 ? RETRY_MS : (parseTimestamp(startedAt) ?? 0) + timeoutMs - clock.now();
  const condition = deleting('DrainingNode', renderDrain(plan, startedAt));
  return wait(Math.max(0, Math.min(RETRY_MS, leftMs)), { ...report, condition });
};

/** One round: cordons, evicts what may go, and tells what was still there before it. */
const emptyNode = async ({ pods, budgets }: CoreView, node: Node, context: ReconcileContext): Promise<DrainPlan> => {
  const { kube, clock, signal } = context;
  const { name, uid } = node.metadata;
  if (node.spec?.unschedulable !== true) {
    const body = { metadata: { uid }, spec: { unschedulable: true } };
    await kube.patch(NODES, { name }, { type: 'merge', body }, { signal });
  }
  const isUnreachable = node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'Unknown');
  const reach = isUnreachable === true ? 'unreachable' : 'reachable';
  const scene = { budgets: budgets.list(), node: reach, nowMs: clock.now() } as const;
  const plan = planDrain({ ...scene, pods: pods.byIndex('assigned', name) });
  for (const pod of plan.evict) await evict(pod, reach, context);
  return plan;
};

/** A Pod that is gone needs no eviction; one that a budget holds is tried again later. */
const evict = async (
  pod: SchedulablePod,
  reach: 'reachable' | 'unreachable',
  { kube, signal }: ReconcileContext,
): Promise<void> => {
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
  } catch (error) {
    if (!isKind(error, 'not-found', 'conflict', 'throttled')) throw error;
  }
};
