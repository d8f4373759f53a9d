/** Everything of one test's fleet. */
import { CLUSTERS } from '../../../src/kinds/cluster.ts';
import { CONTROL_PLANES } from '../../../src/kinds/control-plane.ts';
import { MAC_HOSTS, type MacHost } from '../../../src/kinds/mac-host.ts';
import { MACHINES } from '../../../src/kinds/machine.ts';
import type { KubeClient } from '../../../src/kube/client/client.ts';
import { CLUSTER_API_RESOURCES } from '../../../src/kube/types/cluster-api.ts';
import { NODES, PODS } from '../../../src/kube/types/core.ts';
import type { KubeObject } from '../../../src/kube/types/meta.ts';
import { cacheOf, openView, type View } from './view.ts';

export interface FleetView extends View, ReturnType<typeof createCaches> {
  /** The hosts of this test's simulated project. */
  macs(): readonly MacHost[];
}

export interface FleetViewOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly projectId: string;
}

export const openFleetView = async (options: FleetViewOptions): Promise<FleetView> => {
  const caches = createCaches(options);
  const isOurs = ({ spec }: MacHost): boolean => spec.source.scaleway?.projectID === options.projectId;
  const isForeign = ({ metadata }: KubeObject): boolean =>
    metadata.namespace === undefined && !metadata.name.startsWith(options.namespace) && !isMac(metadata.name);
  const isMac = (name: string): boolean =>
    caches.hosts.list().some((host) => host.metadata.name === name && isOurs(host));
  const view = await openView(Object.values(caches), (object) => !isForeign(object));
  return { ...caches, ...view, macs: () => caches.hosts.list().filter(isOurs) };
};

const createCaches = (options: FleetViewOptions) => ({
  clusters: cacheOf(options, CLUSTER_API_RESOURCES.clusters),
  deployments: cacheOf(options, CLUSTER_API_RESOURCES.machineDeployments),
  machines: cacheOf(options, CLUSTER_API_RESOURCES.machines),
  infraClusters: cacheOf(options, CLUSTERS),
  controlPlanes: cacheOf(options, CONTROL_PLANES),
  infraMachines: cacheOf(options, MACHINES),
  hosts: cacheOf(options, MAC_HOSTS),
  nodes: cacheOf(options, NODES),
  pods: cacheOf(options, PODS),
});
