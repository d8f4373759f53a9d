/**
 * One connection to the cluster that a Cluster's Machines join: a client, the Nodes as they are there, and a fence behind each
 * write, so that no Machine is judged by a Node from before it.
 */
import { linkedController } from '../../../base/abort.ts';
import { type Cache, createCache, createLeanKeeping } from '../../../kube/cache/cache.ts';
import type { Change } from '../../../kube/cache/object-store.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import type { ReconcileContext } from '../../../kube/controller/controller.ts';
import { createFencedClient } from '../../../kube/controller/fenced-client.ts';
import { createFences } from '../../../kube/controller/fences.ts';
import { NODES, type Node } from '../../../kube/types/core.ts';
import { byProviderId, type CacheDeps } from '../../core/cluster-caches.ts';

/** A way to a cluster. Nothing is asked before the first call. */
export interface RemoteConnection {
  readonly client: KubeClient;
  close(): Promise<void>;
}

/** What Machines need of it. */
export interface RemoteCluster {
  /** With index `providerID`. */
  readonly nodes: Cache<Node>;
  /** In the name that the kubeconfig gives; what it writes is fenced for the key of the pass. */
  clientFor(context: Pick<ReconcileContext, 'key' | 'permit'>): KubeClient;
  /** Whether the Nodes known here hold all that was written for this key. */
  isClear(key: string): boolean;
}

export interface OpenRemoteCluster extends RemoteCluster {
  /** Throws when the Nodes cannot be read. */
  probe(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export interface RemoteListener {
  nodeChanged(change: Change<Node>): void;
  /** The Nodes are known, or a write for this key has arrived. */
  synced(): void;
  reached(key: string): void;
}

/** Follows the Nodes from now on until it is closed. */
export const followRemote = (
  deps: Omit<CacheDeps, 'client'>,
  connection: RemoteConnection,
  { listener, signal }: { readonly listener: RemoteListener; readonly signal: AbortSignal },
): OpenRemoteCluster => {
  const { client } = connection;
  const life = linkedController(signal);
  const nodes = createCache<Node>({
    ...{ ...deps, client, resource: NODES, transform: createLeanKeeping() },
    indexes: { providerID: byProviderId },
  });
  const fences = createFences([nodes]);
  const stops = [nodes.subscribe(listener.nodeChanged), fences.start(listener.reached)];
  const running = nodes.run(life.signal);
  nodes.whenSynced(life.signal).then(listener.synced, () => undefined);
  return {
    nodes,
    clientFor: ({ key, permit }) => createFencedClient(client, { key, fences, permit }),
    isClear: (key) => fences.isClear(key),
    probe: async (probeSignal) => {
      await client.getRaw('/api/v1/nodes?limit=1', { signal: probeSignal });
    },
    close: async () => {
      for (const stop of stops) stop();
      life.abort();
      await running;
      await connection.close();
    },
  };
};
