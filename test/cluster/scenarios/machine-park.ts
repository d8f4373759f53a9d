/** What the scenarios of Machines need beside core: kinds that keep the contract, a Cluster, and an infrastructure that is there at once. */
import { readFileSync } from 'node:fs';
import { createIds } from '../../../src/base/ids.ts';
import {
  CLUSTER,
  CLUSTERS,
  CONTROL_PLANES,
  FLEET,
  INFRASTRUCTURE_CLUSTERS,
  renderDefinition,
  TEMPLATES,
} from '../../../src/controlplane/capi/testing/fleet-objects.ts';
import {
  createScriptedProvider,
  INFRASTRUCTURE_MACHINES,
} from '../../../src/controlplane/capi/testing/scripted-provider.ts';
import type { KubeClient } from '../../../src/kube/client/client.ts';
import { readIfThere } from '../../../src/kube/client/if-there.ts';
import { createManager } from '../../../src/kube/manager/manager.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../../src/kube/types/extensions.ts';
import { apiVersionOf } from '../../../src/kube/types/resource.ts';
import type { Cluster } from '../bench/cluster.ts';
import { mustKubectl } from '../bench/must-kubectl.ts';
import { renderRemoteKubeconfig } from '../cluster-api/fleet-objects.ts';
import { eventually, parts } from '../kube/scene.ts';
import type { NodePark } from './node-park.ts';

const KINDS = [INFRASTRUCTURE_MACHINES, TEMPLATES, INFRASTRUCTURE_CLUSTERS, CONTROL_PLANES];

/** Settles when the kinds are served. May be repeated. */
export const installScriptedKinds = async (cluster: Cluster): Promise<void> => {
  const { kind } = CUSTOM_RESOURCE_DEFINITIONS;
  const items = KINDS.map((resource) => ({
    ...{ apiVersion: apiVersionOf(CUSTOM_RESOURCE_DEFINITIONS), kind },
    ...renderDefinition(resource),
  }));
  await apply(cluster, items);
  const names = items.map(({ metadata }) => `crd/${metadata.name}`);
  await mustKubectl(cluster, ['wait', '--for=condition=Established', '--timeout=30s', ...names]);
};

const apply = (cluster: Cluster, items: readonly object[]): Promise<void> => {
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  return mustKubectl(cluster, ['apply', '--server-side', '-f', '-'], list);
};

export interface MachinePark {
  /** Takes the Cluster away with its Machines, then ends the provider. */
  close(): Promise<void>;
}

export interface MachineParkOptions {
  readonly cluster: Cluster;
  readonly client: KubeClient;
  readonly namespace: string;
  readonly nodes: NodePark;
}

/** The Cluster in that namespace, its provider's parts up, and a provider whose hosts are Nodes of the park. */
export const openMachinePark = async (options: MachineParkOptions, signal: AbortSignal): Promise<MachinePark> => {
  const { cluster, client, namespace } = options;
  const clusterName = CLUSTER.metadata.name;
  await apply(cluster, [renderRemoteKubeconfig(namespace, readFileSync(cluster.kubeconfig, 'utf8'), clusterName)]);
  for (const [resource, object] of FLEET) {
    const key = { namespace, name: object.metadata.name };
    await client.create(resource, { ...object, metadata: key }, { signal });
    const { status } = object;
    if (status === undefined) continue;
    await client.patch(resource, key, { type: 'merge', body: { status } }, { signal, subresource: 'status' });
  }
  const life = new AbortController();
  const running = runProvider(options, life.signal);
  return {
    close: async () => {
      const key = { namespace, name: clusterName };
      await client.delete(CLUSTERS, key, { signal: life.signal });
      const look = { kube: client, signal: life.signal };
      await eventually('the Cluster is gone', async () => (await readIfThere(CLUSTERS, key, look)) === undefined);
      life.abort();
      await running;
    },
  };
};

const runProvider = ({ client, namespace, nodes }: MachineParkOptions, signal: AbortSignal): Promise<void> => {
  const deps = { ...parts(), client };
  const nodeNames = new Map<string, string>();
  const { caches, controllers } = createScriptedProvider(
    { ...deps, ids: createIds(deps.random), signal, namespace },
    {
      switchOn: async (uid, { nodeName, providerId }) => {
        if (nodeNames.has(uid)) return;
        nodeNames.set(uid, nodeName);
        nodes.start({ nodeName, providerId, labels: {}, capacity: { cpu: '8', memory: '16Gi', pods: '2' } });
      },
      switchOff: async (uid) => nodes.stop(nodeNames.get(uid) ?? ''),
    },
  );
  return createManager({ ...deps, name: 'scripted-provider', caches, controllers }).run(signal);
};
