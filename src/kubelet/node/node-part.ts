/**
 * The Node of this agent, put together: the object and its watch, the Lease that says that it lives, what is looked at on the Mac, and
 * the certificate that it serves with. Pods are none of its business.
 */
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Random } from '../../base/random.ts';
import { type Cache, createCache, dropManagedFields } from '../../kube/cache/cache.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { Controller } from '../../kube/controller/controller.ts';
import type { EventRecorder } from '../../kube/controller/events.ts';
import { keepLease } from '../../kube/node/lease-keeper.ts';
import { keepServingCertificate, type ServingPair } from '../../kube/node/serving-certificate.ts';
import { NODES, type Node } from '../../kube/types/core.ts';
import type { HostWatch } from './host-watch.ts';
import type { NodeFacts } from './node-facts.ts';
import { createNodeKeeper } from './node-keeper.ts';

export interface NodePartOptions {
  readonly client: KubeClient;
  /** Renewals of the Lease go through this one and wait behind nothing; through `client` unless given. */
  readonly leaseClient?: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly nodeName: string;
  /** Where the Mac is reached; undefined when nobody knows. */
  readonly address: string | undefined;
  /** Not asked for before the keeper runs. */
  readonly facts: () => Promise<NodeFacts>;
  readonly watch: HostWatch;
  readonly events?: Pick<EventRecorder, 'publish'>;
  /** Whoever serves the agent's API takes each certificate as it comes; without one none is asked for. */
  readonly useCertificate?: (pair: ServingPair) => void;
  /** How often its Lease is renewed; every ten seconds unless given. */
  readonly renewEveryMs?: number;
}

export interface NodePart {
  readonly nodes: Cache<Node>;
  readonly keeper: Controller;
  /** The Node says that its Mac shuts down. */
  goDown(): void;
  /** What runs beside the controllers, until the signal is aborted. */
  run(signal: AbortSignal): Promise<void>;
}

/** The cache is to be run, and the keeper to be given to a manager, by whoever composes. */
export const createNodePart = (options: NodePartOptions): NodePart => {
  const { client, clock, random, logger, nodeName, address, facts, watch, useCertificate, renewEveryMs, events } =
    options;
  const leaseClient = options.leaseClient ?? client;
  const deps = { client, clock, random, logger };
  const nodes = createCache<Node>({
    ...deps,
    resource: NODES,
    transform: dropManagedFields,
    fieldSelector: `metadata.name=${nodeName}`,
  });
  const { state, subscribe } = watch;
  const renewal = renewEveryMs === undefined ? {} : { renewEveryMs };
  return {
    nodes,
    keeper: createNodeKeeper({ nodeName, facts, nodes, state, subscribe, ...(events === undefined ? {} : { events }) }),
    goDown: watch.goDown,
    run: async (signal) => {
      const serve = async (ipAddress: string, use: (pair: ServingPair) => void): Promise<void> => {
        // A key and a request take a while to make; what everybody waits for is asked first.
        if (await isSynced(nodes, signal)) await keepServingCertificate({ ...deps, nodeName, ipAddress }, use, signal);
      };
      await Promise.all([
        watch.run(signal),
        keepLease({ client: leaseClient, clock, logger, nodeName, ...renewal }, signal),
        ...(useCertificate === undefined || address === undefined ? [] : [serve(address, useCertificate)]),
      ]);
    },
  };
};

/** Waits for it; false when the signal ended that. */
const isSynced = async (nodes: Cache<Node>, signal: AbortSignal): Promise<boolean> => {
  try {
    await nodes.whenSynced(signal);
    return true;
  } catch (thrown) {
    if (signal.aborted) return false;
    throw thrown;
  }
};
