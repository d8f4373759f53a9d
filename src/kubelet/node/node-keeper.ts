/**
 * Keeps the Node object: registers it, again when it was deleted, and writes it when what is to be said differs from what stands
 * there. A pass writes once: labels and provider id first, then the status, each from what stands there and never from what a write answered (§7-27).
 */
import { isKind } from '../../base/errors.ts';
import type { Cache } from '../../kube/cache/cache.ts';
import { type Controller, createController, type ReconcileContext } from '../../kube/controller/controller.ts';
import type { EventRecorder } from '../../kube/controller/events.ts';
import { diffMerge } from '../../kube/controller/merge-patch.ts';
import type { Verdict } from '../../kube/queue/work-queue.ts';
import { NODES, type Node } from '../../kube/types/core.ts';
import { isWorse, type Offer, offerOf } from './node-conditions.ts';
import type { NodeFacts, NodeState } from './node-facts.ts';
import { findHappenings } from './node-happenings.ts';
import {
  type NodeSayings,
  planAnnotations,
  planLabels,
  planProviderId,
  planStatus,
  renderNode,
} from './node-object.ts';
import { createWritePace, type WritePace } from './write-pace.ts';

export interface NodeKeeperOptions {
  readonly nodeName: string;
  readonly facts: () => Promise<NodeFacts>;
  /** Of this Node alone. */
  readonly nodes: Cache<Node>;
  /** What is to be said now. */
  readonly state: () => NodeState;
  /** Calls back whenever that changes. */
  readonly subscribe: (onChange: () => void) => () => void;
  /** Tells people what happened to the Node; nobody without it. */
  readonly events?: Pick<EventRecorder, 'publish'>;
}

export const createNodeKeeper = (options: NodeKeeperOptions): Controller => {
  const { nodeName, nodes } = options;
  const [pace, told] = [createWritePace(), {}];
  return createController({
    name: 'kubelet.node',
    watches: [
      {
        cache: nodes,
        start: (add) => {
          // There may be no Node yet, and so no change to wake us.
          add(nodeName, 'wish');
          const stops = [
            nodes.subscribe(() => add(nodeName, 'change')),
            options.subscribe(() => add(nodeName, 'change')),
          ];
          return () => {
            for (const stop of stops) stop();
          };
        },
      },
    ],
    reconcile: (context) => keepNode({ ...options, pace, told }, context),
    workers: 1,
  });
};

interface PacedKeeper extends NodeKeeperOptions {
  readonly pace: WritePace;
  /** By this life, with its last status. */
  readonly told: { offer?: Offer };
}

const keepNode = async (options: PacedKeeper, context: ReconcileContext): Promise<Verdict> => {
  const { nodeName, nodes, pace, told } = options;
  const found = nodes.get(nodeName);
  if (found?.metadata.deletionTimestamp !== undefined) return { next: 'rest' };
  const said: NodeSayings = { facts: await options.facts(), state: options.state() };
  const nowMs = context.clock.elapsed();
  const saying = { ...options, said };
  // That less can be counted on is not put off, and the last word of a Mac that goes down neither. What another wrote over it is no news of ours.
  const isUrgent = said.state.goesDown !== undefined || isWorse(offerOf(said.state), told.offer);
  const urgent = isUrgent && found !== undefined ? planReport(saying, found, context) : undefined;
  const write = urgent ?? planWrite(saying, found, context);
  if (write === undefined) return { next: 'rest' };
  const waitMs = pace.waitMs(nowMs);
  if (waitMs > 0 && urgent === undefined) return { next: 'again', afterMs: waitMs };
  pace.note(nowMs);
  await write();
  return { next: 'rest' };
};

type Saying = Pick<PacedKeeper, 'events' | 'told'> & { readonly said: NodeSayings };

/** The one write of this pass; undefined when all is as it should be. Its own echo brings the next pass, on what stands there then. */
const planWrite = (
  saying: Saying,
  found: Node | undefined,
  context: ReconcileContext,
): (() => Promise<void>) | undefined => {
  if (found === undefined) return () => register(saying, context);
  const identity = planIdentity(found, saying.said);
  if (identity !== undefined) return () => patch(context, found, identity);
  return planReport(saying, found, context);
};

/** What differs of labels, annotations and provider id; undefined when nothing does. */
const planIdentity = (found: Node, { facts, state }: NodeSayings): NodeChange | undefined => {
  const stored = found.metadata.labels ?? {};
  const labels = diffMerge(stored, planLabels(stored, facts, state));
  const noted = found.metadata.annotations ?? {};
  const annotations = diffMerge(noted, planAnnotations(noted, facts));
  const providerID = planProviderId(found, facts);
  if (labels === undefined && annotations === undefined && providerID === undefined) return undefined;
  return {
    metadata: {
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
    body: providerID === undefined ? {} : { spec: { providerID } },
  };
};

const planReport = (
  { said, events, told }: Saying,
  found: Node,
  context: ReconcileContext,
): (() => Promise<void>) | undefined => {
  const wanted = planStatus(found.status, said, context.clock.now());
  const status = diffMerge(found.status ?? {}, wanted);
  if (status === undefined) return undefined;
  return async () => {
    await patch(context, found, { body: { status }, subresource: 'status' });
    told.offer = offerOf(said.state);
    events?.publish(NODES, found, findHappenings(found.status, wanted));
  };
};

interface NodeChange {
  readonly metadata?: object;
  readonly body: object;
  readonly subresource?: 'status';
}

/** Refused when somebody wrote meanwhile: conditions of others are in the same list as ours. */
const patch = async ({ kube, signal }: ReconcileContext, found: Node, change: NodeChange): Promise<void> => {
  const { name, resourceVersion } = found.metadata;
  const body = { metadata: { resourceVersion, ...change.metadata }, ...change.body };
  const { subresource } = change;
  await kube.patch(NODES, { name }, { type: 'merge', body }, { signal, ...(subresource && { subresource }) });
};

/** The status goes along: until it is there, nobody may place a Pod. One that came meanwhile is seen by the watch. */
const register = async ({ said, told }: Saying, context: ReconcileContext): Promise<void> => {
  const { kube, clock, signal, logger } = context;
  const { facts, state } = said;
  try {
    await kube.create(NODES, renderNode(facts, state, clock.now()), { signal });
    told.offer = offerOf(state);
    logger.info('Node registered', { node: facts.nodeName });
  } catch (error) {
    if (!isKind(error, 'exists')) throw error;
  }
};
