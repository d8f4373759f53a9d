/** More than one cluster: a second one that takes Macs from the same pool, and `clusterctl move` to it while managers run on both sides. */
import { CLUSTERS } from '../../../kinds/cluster.ts';
import { CONTROL_PLANES } from '../../../kinds/control-plane.ts';
import { MACHINES } from '../../../kinds/machine.ts';
import { CLUSTER_API_ANNOTATIONS, CLUSTER_API_RESOURCES } from '../../../kube/types/cluster-api.ts';
import type { KubeObject, OwnerReference } from '../../../kube/types/meta.ts';
import { apiVersionOf, type Resource } from '../../../kube/types/resource.ts';
import { TEMPLATES } from '../../demo-fleet.ts';
import type { FleetCluster } from '../../fleet-cluster.ts';
import type { FleetWorld } from '../../fleet-world.ts';
import { startFleet } from '../start-fleet.ts';
import { type Disturbance, type Strike, unlessRefused } from './disturbance.ts';

const { clusters, machineDeployments, machineSets, machines: CORE_MACHINES } = CLUSTER_API_RESOURCES;

/** Owners before what they own. */
const MOVED: readonly Resource<KubeObject>[] = [
  clusters,
  CLUSTERS,
  CONTROL_PLANES,
  TEMPLATES,
  machineDeployments,
  machineSets,
  CORE_MACHINES,
  MACHINES,
];

/** How long clusterctl takes between the mark of a deletion and the end of what still holds an object. */
const STRIPS_MS = [0, 2_000, 30_000] as const;

export const CLUSTER_DISTURBANCES: readonly Disturbance[] = [
  {
    id: 'another-cluster',
    strike: ({ world, choose }) => {
      if (world.second !== undefined) return undefined;
      const machines = 1 + choose(2);
      startFleet(world.secondCluster(), machines);
      return `another cluster wants ${machines} Macs of the same pool`;
    },
  },
  {
    id: 'move',
    strike: ({ world, choose }: Strike) => {
      const isTaken = (world.second?.operator.listOwn(clusters).length ?? 0) > 0;
      const isBlocked = world.operator
        .listOwn(MACHINES)
        .some(({ metadata }) => metadata.annotations?.[CLUSTER_API_ANNOTATIONS.blockMove] !== undefined);
      if (isTaken || isBlocked || world.operator.listOwn(clusters).length === 0) return undefined;
      moveFleet(world, world.secondCluster(), STRIPS_MS[choose(STRIPS_MS.length)] ?? 0);
      return 'clusterctl moves the fleet to another cluster';
    },
  },
];

/** As `clusterctl move` does it, which takes so long between the mark of a deletion and the end of what still holds an object. */
export const moveFleet = (world: FleetWorld, target: FleetCluster, stripMs: number): void => {
  const { operator, kernel } = world;
  operator.merge(clusters, 'demo', { spec: { paused: true } });
  const found = MOVED.flatMap((resource) => operator.listOwn(resource).map((object) => ({ resource, object })));
  const uids = new Map<string, string>();
  for (const { resource, object } of found) {
    target.operator.apply({ resource, object: asNew(resource, object, uids) });
    for (const { metadata } of target.operator.listOwn(resource))
      uids.set(`${resource.kind} ${metadata.name}`, metadata.uid ?? '');
  }
  const annotations = { [CLUSTER_API_ANNOTATIONS.deleteForMove]: '' };
  for (const { resource, object } of found.toReversed()) {
    operator.merge(resource, object.metadata.name, { metadata: { annotations } });
    operator.remove(resource, object.metadata.name);
  }
  kernel.schedule(stripMs, 'clusterctl ends the move', () => {
    for (const { resource, object } of found.toReversed()) unlessRefused(() => strip(world, resource, object));
    unlessRefused(() => target.operator.merge(clusters, 'demo', { spec: { paused: false } }));
  });
};

/** What still holds it is taken off, unless it is gone already or is another one by now. */
const strip = ({ operator }: FleetWorld, resource: Resource<KubeObject>, { metadata }: KubeObject): void => {
  const still = operator.listOwn(resource).find((one) => one.metadata.uid === metadata.uid);
  if (still?.metadata.finalizers?.length) operator.merge(resource, metadata.name, { metadata: { finalizers: [] } });
};

/** Without what only its first cluster gave it, and owned by who is the owner there. */
const asNew = (resource: Resource<KubeObject>, object: KubeObject, uids: ReadonlyMap<string, string>): KubeObject => {
  const { name, namespace, labels, annotations, ownerReferences = [] } = object.metadata;
  const owners = ownerReferences.map(
    (owner): OwnerReference => ({ ...owner, uid: uids.get(`${owner.kind} ${owner.name}`) ?? owner.uid }),
  );
  return {
    ...object,
    ...{ apiVersion: apiVersionOf(resource), kind: resource.kind },
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      ownerReferences: owners,
    },
  };
};
