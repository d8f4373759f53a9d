/** How the Go original leaves a fleet to us that it managed until a moment ago: it keeps no records of Macs. */
import { MAC_HOSTS } from '../../../kinds/mac-host.ts';
import { MACHINES, type ScalewayAppleSiliconMachine } from '../../../kinds/machine.ts';
import { CLUSTER_API_RESOURCES } from '../../../kube/types/cluster-api.ts';
import { POOL_PREFIX } from '../../fleet-cluster.ts';
import type { FleetWorld } from '../../fleet-world.ts';
import type { Disturbance, Strike } from './disturbance.ts';

const { machines: CORE_MACHINES } = CLUSTER_API_RESOURCES;

const serverOf = ({ cloud }: FleetWorld, { status }: ScalewayAppleSiliconMachine) => {
  const server = cloud.server(status?.serverID ?? '');
  return server?.status === 'ready' ? server : undefined;
};

const loseRecord = ({ operator }: FleetWorld, serverId: string): void => {
  if (!operator.list(MAC_HOSTS).some(({ metadata }) => metadata.name === serverId)) return;
  operator.merge(MAC_HOSTS, serverId, { metadata: { finalizers: [] } });
  operator.remove(MAC_HOSTS, serverId);
};

/** It gives a Mac its pool name before it has it wiped (N1): of a machine that is deleted, or that shall get another Mac. */
const leaveHalfReleased = ({ world, choose }: Strike): string | undefined => {
  const { operator, cloud } = world;
  const machines = operator.listOwn(MACHINES).filter((machine) => serverOf(world, machine) !== undefined);
  const machine = machines.length === 0 ? undefined : machines[choose(machines.length)];
  const server = machine && serverOf(world, machine);
  if (machine === undefined || server === undefined) return undefined;
  const { name } = machine.metadata;
  loseRecord(world, server.id);
  cloud.as('console').rename(server, `${POOL_PREFIX}${server.id}`);
  const isLeaving = machine.status?.initialization?.provisioned === true;
  if (isLeaving) for (const resource of [CORE_MACHINES, MACHINES]) operator.remove(resource, name);
  return `the Go original stopped half-way: ${server.id} has a pool name, and ${name} ${isLeaving ? 'is being deleted' : 'still has it'}`;
};

export const ORIGINAL_DISTURBANCES: readonly Disturbance[] = [{ id: 'half-released', strike: leaveHalfReleased }];
