/** What Cluster API's controllers know: one cache per kind of theirs, indexed for finding what belongs together. */
import { type Cache, createCache, createLeanKeeping } from '../../kube/cache/cache.ts';
import { CLUSTER_API_RESOURCES } from '../../kube/types/cluster-api.ts';
import { byProviderId, type CacheDeps } from '../core/cluster-caches.ts';
import { byControllerUid, byOwnerUid } from '../core/owner-references.ts';
import type { ContractReference } from './contract-objects.ts';
import { byCluster } from './core-view.ts';
import type { Cluster, Machine, MachineDeployment, MachineSet } from './machine-kinds.ts';

/** All have index `owner`; the three members of a Cluster also `cluster`. */
export interface MachineCaches {
  readonly clusters: Cache<Cluster>;
  readonly machineDeployments: Cache<MachineDeployment>;
  readonly machineSets: Cache<MachineSet>;
  readonly machines: Cache<Machine>;
}

export const createMachineCaches = (deps: CacheDeps): MachineCaches => {
  const common = { ...deps, transform: createLeanKeeping() };
  const { clusters, machineDeployments, machineSets, machines } = CLUSTER_API_RESOURCES;
  const member = { owner: byOwnerUid, cluster: byCluster, controller: byControllerUid };
  return {
    clusters: createCache<Cluster>({
      ...{ ...common, resource: clusters },
      indexes: { owner: byOwnerUid, reference: byReference },
    }),
    machineDeployments: createCache<MachineDeployment>({ ...common, resource: machineDeployments, indexes: member }),
    machineSets: createCache<MachineSet>({
      ...{ ...common, resource: machineSets },
      indexes: { ...member, reference: byTemplate },
    }),
    machines: createCache<Machine>({
      ...{ ...common, resource: machines },
      indexes: { ...member, providerID: byProviderId, reference: byReference },
    }),
  };
};

export const renderReference = (namespace: string | undefined, { apiGroup, kind, name }: ContractReference): string =>
  `${kind}.${apiGroup} ${namespace}/${name}`;

/** The objects of providers that a Machine or a Cluster waits for: their changes wake it, whoever owns them. */
const byReference = ({ metadata, spec }: Machine | Cluster): readonly string[] => {
  const references = [spec.infrastructureRef, 'controlPlaneRef' in spec ? spec.controlPlaneRef : undefined];
  return references.flatMap((reference) =>
    reference === undefined ? [] : [renderReference(metadata.namespace, reference)],
  );
};

/** A Machine that waits for the template of its set is woken when that appears. */
const byTemplate = ({ metadata, spec }: MachineSet): readonly string[] => [
  renderReference(metadata.namespace, spec.template.spec.infrastructureRef),
];
