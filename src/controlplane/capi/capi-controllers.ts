/**
 * Cluster API core for the embedded control plane, small: Clusters, MachineDeployments, MachineSets and Machines. They
 * speak to any API through the client; the caller runs them in one manager, without an election.
 */
import { neverAborted } from '../../base/abort.ts';
import { createCache, dropManagedFields } from '../../kube/cache/cache.ts';
import { createEventRecorder } from '../../kube/controller/events.ts';
import { CLUSTER_API_RESOURCES } from '../../kube/types/cluster-api.ts';
import { NODES, type Node } from '../../kube/types/core.ts';
import { type KubeObject, keyOf, renderKey } from '../../kube/types/meta.ts';
import type { Resource } from '../../kube/types/resource.ts';
import type { ControllerSet, ControllerSetDeps } from '../core/core-controllers.ts';
import { byControllerUid } from '../core/owner-references.ts';
import { createClusterController } from './cluster-controller.ts';
import {
  type ContractReference,
  CUSTOM_RESOURCE_DEFINITIONS,
  type CustomResourceDefinition,
  keepNamesOnly,
} from './contract-objects.ts';
import { createContractWatches } from './contract-watches.ts';
import { byCluster, type CoreView } from './core-view.ts';
import { createMachineController } from './machine-controller.ts';
import { createMachineDeploymentController } from './machine-deployment-controller.ts';
import type { Cluster, Machine, MachineDeployment, MachineSet } from './machine-kinds.ts';
import { createMachineSetController } from './machine-set-controller.ts';

export const createCapiControllers = ({ ids, ...deps }: ControllerSetDeps): ControllerSet => {
  const resources = CLUSTER_API_RESOURCES;
  const common = { ...deps, transform: dropManagedFields };
  const contracts = createContractWatches({ ...deps, onChange: (resource, object) => wakeReferrers(resource, object) });
  const view: CoreView = {
    definitions: createCache<CustomResourceDefinition>({
      ...deps,
      resource: CUSTOM_RESOURCE_DEFINITIONS,
      transform: keepNamesOnly,
    }),
    clusters: createCache<Cluster>({
      ...{ ...common, resource: resources.clusters },
      indexes: { reference: byReference },
    }),
    machineDeployments: createCache<MachineDeployment>({
      ...{ ...common, resource: resources.machineDeployments },
      indexes: { cluster: byCluster },
    }),
    machineSets: createCache<MachineSet>({
      ...{ ...common, resource: resources.machineSets },
      indexes: { cluster: byCluster, controller: byControllerUid, reference: byTemplate },
    }),
    machines: createCache<Machine>({
      ...{ ...common, resource: resources.machines },
      indexes: { cluster: byCluster, controller: byControllerUid, providerID: byProviderId, reference: byReference },
    }),
    nodes: createCache<Node>({ ...common, resource: NODES, indexes: { providerID: byProviderId } }),
    contracts,
    events: createEventRecorder({ ...deps, ids, component: 'cluster-api-core', signal: neverAborted() }),
  };
  const machines = createMachineController(view);
  const clusters = createClusterController(view);
  const wakeReferrers = ({ group, kind }: Resource<KubeObject>, { metadata }: KubeObject): void => {
    const reference = renderReference(metadata.namespace, { apiGroup: group, kind, name: metadata.name });
    const cloned = view.machineSets
      .byIndex('reference', reference)
      .flatMap((set) => view.machines.byIndex('controller', set.metadata.uid ?? ''));
    for (const machine of [...view.machines.byIndex('reference', reference), ...cloned]) {
      machines.wake(renderKey(keyOf(machine)));
    }
    for (const cluster of view.clusters.byIndex('reference', reference)) clusters.wake(renderKey(keyOf(cluster)));
  };
  const { definitions, machineDeployments, machineSets, nodes, events } = view;
  return {
    caches: [definitions, view.clusters, machineDeployments, machineSets, view.machines, nodes, contracts],
    controllers: [clusters, createMachineDeploymentController(view), createMachineSetController(view), machines],
    events,
  };
};

const byProviderId = ({ spec }: { readonly spec?: { readonly providerID?: string } }): readonly string[] =>
  spec?.providerID === undefined || spec.providerID === '' ? [] : [spec.providerID];

const renderReference = (namespace: string | undefined, { apiGroup, kind, name }: ContractReference): string =>
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
