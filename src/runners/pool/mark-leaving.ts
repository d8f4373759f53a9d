/** Asks runners to leave: a label, put on the Pod as it was seen. What comes of it is decided in src/runners/life. */
import { isKind } from '../../base/errors.ts';
import { LABELS } from '../../kinds/labels.ts';
import type { ReconcileContext } from '../../kube/controller/controller.ts';
import type { EventRecorder } from '../../kube/controller/events.ts';
import { PODS } from '../../kube/types/core.ts';
import { keyOf } from '../../kube/types/meta.ts';
import type { Retirement, RetirementCause } from './plan-pool.ts';

const EVENTS: Readonly<Record<RetirementCause, { readonly reason: string; readonly message: string }>> = {
  'node-drain': { reason: 'RunnerPodRetiredForNodeDrain', message: 'Its Node is drained' },
  'pool-deleted': { reason: 'RunnerPodRetiredWithPool', message: 'Its pool is deleted' },
  roll: { reason: 'RunnerPodRetiredForImage', message: 'Its pool has another image' },
  old: {
    reason: 'RunnerPodRetiredForAge',
    message: 'It has waited for a job for hours, and a fresh one takes its place',
  },
  'after-job': { reason: 'RunnerPodRetiredAfterJob', message: 'Its job is over, and its virtual machine runs on' },
  'scale-down': { reason: 'RunnerPodRetiredForScaleDown', message: 'Its pool has more runners than it wants' },
};

/** One that changed meanwhile is left out: the change wakes the pool, which then looks again. */
export const markLeaving = async (
  retirements: readonly Retirement[],
  context: ReconcileContext,
  events: EventRecorder,
): Promise<void> => {
  const results = await Promise.allSettled(retirements.map((retirement) => mark(retirement, context, events)));
  const failure = results.find(
    (result) => result.status === 'rejected' && !isKind(result.reason, 'conflict', 'not-found'),
  );
  if (failure?.status === 'rejected') throw failure.reason;
};

const mark = async (
  { pod, why }: Retirement,
  { kube, signal }: ReconcileContext,
  events: EventRecorder,
): Promise<void> => {
  const { uid, resourceVersion } = pod.metadata;
  const labels = {
    [LABELS.runnerOperatorDrain]: 'true',
    ...(why === 'roll' ? { [LABELS.drainEligible]: 'true' } : {}),
  };
  const body = { metadata: { uid, resourceVersion, labels } };
  await kube.patch(PODS, keyOf(pod), { type: 'merge', body }, { signal });
  events.publish(PODS, pod, [{ type: 'Normal', ...EVENTS[why] }]);
};
