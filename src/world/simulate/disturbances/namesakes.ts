/** A second team on the same cluster: its namespace has a machine of a name that ours has already, and Nodes have no namespace (R6). */
import { MACHINES, type ScalewayAppleSiliconMachine } from '../../../kinds/machine.ts';
import { CLUSTER_API_LABELS, CLUSTER_API_RESOURCES } from '../../../kube/types/cluster-api.ts';
import { NAMESPACES } from '../../../kube/types/core.ts';
import { apiVersionOf } from '../../../kube/types/resource.ts';
import type { FleetWorld } from '../../fleet-world.ts';
import { renderRights } from '../../identities.ts';
import { startFleet } from '../start-fleet.ts';
import type { Disturbance, Strike } from './disturbance.ts';

const { machines: CORE_MACHINES } = CLUSTER_API_RESOURCES;
export const SECOND_TEAM = 'another-team';

const moveIn = ({ operator }: FleetWorld): void => {
  if (operator.list(NAMESPACES).some(({ metadata }) => metadata.name === SECOND_TEAM)) return;
  operator.create('/api/v1/namespaces', { metadata: { name: SECOND_TEAM } });
  for (const right of renderRights(SECOND_TEAM))
    if (right.object.metadata.namespace === SECOND_TEAM) operator.apply(right);
  startFleet({ operator, namespace: SECOND_TEAM }, 0);
};

/** By hand, as of an old manifest: a Machine and the infrastructure it names. */
const makeMachine = ({ operator }: FleetWorld, { metadata, spec }: ScalewayAppleSiliconMachine): void => {
  const { name } = metadata;
  const place = { namespace: SECOND_TEAM, name, labels: { [CLUSTER_API_LABELS.clusterName]: 'demo' } };
  const { providerID: _theirs, ...wanted } = spec;
  const infrastructureRef = { apiGroup: MACHINES.group, kind: MACHINES.kind, name };
  operator.apply({
    resource: CORE_MACHINES,
    object: {
      ...{ apiVersion: apiVersionOf(CORE_MACHINES), kind: CORE_MACHINES.kind, metadata: place },
      ...{ spec: { clusterName: 'demo', bootstrap: { dataSecretName: 'noop-bootstrap' }, infrastructureRef } },
    },
  });
  const made = operator.list(CORE_MACHINES).find((one) => one.metadata.namespace === SECOND_TEAM);
  const owner = { apiVersion: apiVersionOf(CORE_MACHINES), kind: 'Machine', name, uid: made?.metadata.uid ?? '' };
  operator.apply({
    resource: MACHINES,
    object: {
      ...{ apiVersion: apiVersionOf(MACHINES), kind: MACHINES.kind },
      ...{ metadata: { ...place, ownerReferences: [{ ...owner, controller: true }] }, spec: wanted },
    },
  });
};

const makeNamesake = ({ world, choose }: Strike): string | undefined => {
  const { operator } = world;
  const machines = operator.listOwn(MACHINES);
  const machine = machines.length === 0 ? undefined : machines[choose(machines.length)];
  const isMade = operator.list(CORE_MACHINES).some(({ metadata }) => metadata.namespace === SECOND_TEAM);
  if (machine === undefined || isMade) return undefined;
  moveIn(world);
  makeMachine(world, machine);
  return `another team makes a machine ${machine.metadata.name} in a namespace of its own`;
};

export const NAMESAKE_DISTURBANCES: readonly Disturbance[] = [{ id: 'namesake', strike: makeNamesake }];
