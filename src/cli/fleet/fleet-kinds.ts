/** The kinds that a look at a fleet reads, one list each. */
import { JOBS } from '../../controlplane/core/workloads/job.ts';
import { CLUSTER_API_RESOURCES } from '../../kube/types/cluster-api.ts';
import { NODES, PODS } from '../../kube/types/core.ts';
import { itemsOf, type Lists } from '../cluster/list-kinds.ts';
import { MAC_HOSTS, MACHINES, RUNNER_POOLS } from './resources.ts';

export const FLEET_KINDS = {
  hosts: MAC_HOSTS,
  machines: MACHINES,
  nodes: NODES,
  pods: PODS,
  jobs: JOBS,
  pools: RUNNER_POOLS,
  clusters: CLUSTER_API_RESOURCES.clusters,
};

export type FleetLists = Lists<typeof FLEET_KINDS>;

/** What there is of each kind. */
export const objectsOf = (lists: FleetLists) => ({
  hosts: itemsOf(lists.hosts),
  machines: itemsOf(lists.machines),
  nodes: itemsOf(lists.nodes),
  pods: itemsOf(lists.pods),
  jobs: itemsOf(lists.jobs),
  pools: itemsOf(lists.pools),
  clusters: itemsOf(lists.clusters),
});

export type FleetObjects = ReturnType<typeof objectsOf>;
