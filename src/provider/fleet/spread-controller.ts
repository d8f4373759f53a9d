/** Rolls one Deployment when the set of ready Macs changed, so that its Pods use the new ones too (plan-spread.ts). */
import { ANNOTATIONS } from '../../kinds/labels.ts';
import type { Cache } from '../../kube/cache/cache.ts';
import { readIfThere } from '../../kube/client/if-there.ts';
import {
  type Controller,
  createController,
  type ReconcileContext,
  watchMapped,
} from '../../kube/controller/controller.ts';
import type { Verdict } from '../../kube/queue/work-queue.ts';
import { DEPLOYMENTS } from '../../kube/types/apps.ts';
import type { Node } from '../../kube/types/core.ts';
import { planSpread } from './plan-spread.ts';

export interface SpreadSettings {
  readonly namespace: string;
  readonly name: string;
  readonly calmMs: number;
}

/** There is one key, whatever the Node; a heartbeat that changes nothing of note does not wake it. */
export const createSpreadController = (nodes: Cache<Node>, settings: SpreadSettings): Controller =>
  createController({
    name: 'fleet.spread',
    watches: [
      watchMapped(nodes, (change) => (change.type === 'updated' && isSame(change.old, change.object) ? [] : ['fleet'])),
    ],
    reconcile: (context) => spread(nodes, settings, context),
  });

const isSame = (one: Node, other: Node): boolean => factsOf(one) === factsOf(other);

const factsOf = ({ metadata, status }: Node): string =>
  JSON.stringify([
    metadata.labels,
    metadata.deletionTimestamp,
    status?.conditions?.find(({ type }) => type === 'Ready')?.status,
  ]);

const spread = async (
  nodes: Cache<Node>,
  settings: SpreadSettings,
  { kube, clock, signal }: ReconcileContext,
): Promise<Verdict> => {
  const { namespace, name, calmMs } = settings;
  // Undefined: the chart may still be installing it.
  const deployment = await readIfThere(DEPLOYMENTS, { namespace, name }, { kube, signal });
  if (deployment === undefined) return { next: 'rest' };
  const plan = planSpread({ nowMs: clock.now(), deployment, nodes: nodes.list(), calmMs });
  if (plan.do === 'nothing') return { next: 'rest' };
  if (plan.do === 'wait') return { next: 'again', afterMs: plan.afterMs };
  const { uid, resourceVersion } = deployment.metadata;
  const template = { metadata: { annotations: { [ANNOTATIONS.fleetHash]: plan.hash } } };
  const body = { metadata: { uid, resourceVersion }, spec: { template } };
  await kube.patch(DEPLOYMENTS, { namespace, name }, { type: 'merge', body }, { signal });
  return { next: 'rest' };
};
