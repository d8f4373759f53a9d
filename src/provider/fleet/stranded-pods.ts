/**
 * Pods whose Node is gone for good (003-4): the agent that would take its finalizer off them is not there any more, so the
 * manager does. Only that finalizer, only from Pods that are being deleted, and only when no Mac can still run them.
 */
import { isKind } from '../../base/errors.ts';
import { FINALIZERS } from '../../kinds/labels.ts';
import type { MacHost } from '../../kinds/mac-host.ts';
import type { Cache } from '../../kube/cache/cache.ts';
import { readIfThere } from '../../kube/client/if-there.ts';
import {
  type Controller,
  createController,
  type ReconcileContext,
  watchMapped,
  watchPrimary,
} from '../../kube/controller/controller.ts';
import type { EventRecorder } from '../../kube/controller/events.ts';
import type { Verdict } from '../../kube/queue/work-queue.ts';
import { NODES, type Node, PODS } from '../../kube/types/core.ts';
import { keyOf, renderKey } from '../../kube/types/meta.ts';
import type { Pod } from '../../kube/types/pod.ts';
import { hostStateOf } from '../host/host-life.ts';

export interface StrandedPodsParts {
  /** Index `node`: by `spec.nodeName`, of Pods that `keepOfPod` kept. */
  readonly pods: Cache<Pod>;
  readonly nodes: Cache<Node>;
  readonly hosts: Cache<MacHost>;
  readonly events: EventRecorder;
}

export const createStrandedPodsController = (parts: StrandedPodsParts): Controller => {
  const podsOn = (nodeName: string | undefined): readonly string[] =>
    nodeName === undefined ? [] : parts.pods.byIndex('node', nodeName).map((pod) => renderKey(keyOf(pod)));
  return createController({
    name: 'pods.stranded',
    watches: [
      watchPrimary(parts.pods),
      watchMapped(parts.nodes, (change) => (change.type === 'deleted' ? podsOn(change.old.metadata.name) : [])),
      watchMapped(parts.hosts, (change) => {
        const before = change.type === 'added' ? [] : namesOf(change.old);
        const after = change.type === 'deleted' ? [] : namesOf(change.object);
        return [...new Set([...before, ...after])].flatMap(podsOn);
      }),
    ],
    reconcile: (context) => release(parts, context),
  });
};

/** All that is needed of a Pod; of one that is not ours nothing but that it is there. */
export const keepOfPod = (pod: Pod): Pod => {
  const { name, namespace = '', uid = '', resourceVersion = '', deletionTimestamp, finalizers } = pod.metadata;
  const isOurs = finalizers?.includes(FINALIZERS.pod) === true;
  const { nodeName } = pod.spec;
  return {
    metadata: {
      ...{ name, namespace, uid, resourceVersion },
      ...(isOurs ? { finalizers } : {}),
      ...(isOurs && deletionTimestamp !== undefined ? { deletionTimestamp } : {}),
    },
    spec: { containers: [], ...(isOurs && nodeName !== undefined ? { nodeName } : {}) },
  };
};

/** The Nodes that a Mac is, or may still be. */
const namesOf = ({ spec }: MacHost): readonly string[] =>
  [spec.claimRef?.name, spec.identity?.nodeName].filter((name) => name !== undefined);

export interface StrandedView {
  readonly pod: Pod;
  readonly node: 'there' | 'absent';
  readonly hosts: readonly MacHost[];
}

/** Whether nobody is left who could do it: its Node is gone, and every Mac of that name was wiped, or is gone too. */
export const isStranded = ({ pod, node, hosts }: StrandedView): boolean => {
  const { finalizers, deletionTimestamp } = pod.metadata;
  const { nodeName } = pod.spec;
  if (deletionTimestamp === undefined || nodeName === undefined || node === 'there') return false;
  if (finalizers?.includes(FINALIZERS.pod) !== true) return false;
  return hosts.every((host) => !namesOf(host).includes(nodeName) || hostStateOf(host.spec, 'absent') === 'wiping');
};

const release = async (
  { pods, nodes, hosts, events }: StrandedPodsParts,
  context: ReconcileContext,
): Promise<Verdict> => {
  const pod = pods.get(context.key);
  const nodeName = pod?.spec.nodeName ?? '';
  if (pod?.metadata.deletionTimestamp === undefined) return { next: 'rest' };
  const node = nodes.get(nodeName) === undefined ? 'absent' : 'there';
  if (!isStranded({ pod, node, hosts: hosts.list() })) return { next: 'rest' };
  if ((await readIfThere(NODES, { name: nodeName }, context)) !== undefined) return { next: 'rest' };
  const { name, namespace = '', uid, resourceVersion, finalizers = [] } = pod.metadata;
  const left = finalizers.filter((finalizer) => finalizer !== FINALIZERS.pod);
  const body = { metadata: { uid, resourceVersion, finalizers: left } };
  const options = { signal: context.signal, subresource: 'status' } as const;
  try {
    await context.kube.patch(PODS, { namespace, name }, { type: 'merge', body }, options);
  } catch (error) {
    if (isKind(error, 'not-found')) return { next: 'rest' };
    throw error;
  }
  const message = `Its Node ${nodeName} is gone for good, and no Mac runs it: ${FINALIZERS.pod} was taken off`;
  events.publish(PODS, pod, [{ type: 'Normal', reason: 'NodeGone', message }]);
  return { next: 'rest' };
};
