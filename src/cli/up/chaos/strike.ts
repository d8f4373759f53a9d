/** Does one blow of a plan to a running fleet, and tells in a few words what was done. */
import { unreachable } from '../../../base/errors.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import { CLUSTER_API_RESOURCES } from '../../../kube/types/cluster-api.ts';
import { FAULT_STORIES } from '../../../sim/cloud/fault-list.ts';
import type { Blow } from '../../../world/chaos/plan-chaos.ts';
import { DEMO_NAMESPACE } from '../../../world/demo-fleet.ts';
import type { ChaosRig } from './chaos-provider.ts';

export interface StruckFleet {
  readonly rig: ChaosRig;
  /** The administrator's, not by the way that breaks. */
  readonly client: KubeClient;
  /** The fleet that grows and shrinks. */
  readonly fleet: string;
}

const SEALED = 'F18b';
const SHORT_ID = 8;

export const strike = async (blow: Blow, struck: StruckFleet, signal: AbortSignal): Promise<string> => {
  const { rig } = struck;
  const { cloud, macs } = rig.macs.simulation;
  const { id = '' } = 'mac' in blow ? (cloud.servers()[blow.mac] ?? {}) : {};
  const name = id.slice(0, SHORT_ID);
  switch (blow.do) {
    case 'kill':
      return killLeader(rig);
    case 'scale':
      await scale(struck, blow.machines, signal);
      return `${struck.fleet} is to have ${blow.machines} Macs`;
    case 'cloud':
      cloud.switchOn(blow.fault, { count: blow.count });
      return `the cloud: ${FAULT_STORIES[blow.fault]}`;
    case 'seal':
      cloud.switchOn(SEALED, { serverId: id, count: blow.count });
      return `the password of ${name} is sealed`;
    case 'wedge-pf':
      rig.macs.simulation.macOf(id)['pf-wedged'](blow.count);
      return `pf of ${name} is wedged`;
    case 'cut-ssh':
      macs.mac(id).cutConnectionAt(blow.step, blow.when === 'before' ? 'lost-before' : 'lost-after');
      return `the connection to ${name} will break ${blow.when} a step`;
    case 'drop-connections':
      rig.way.dropAll();
      return 'every connection of managers to the API breaks';
    default:
      return unreachable(blow);
  }
};

/** The one that leads, or any; another process of its name is started at once. */
const killLeader = async ({ managers }: ChaosRig): Promise<string> => {
  const leader = managers.leader();
  const name = leader ?? managers.names()[0] ?? '';
  await managers.kill(name);
  managers.start(name);
  return `${name} is killed${leader === undefined ? '' : ', which led'}`;
};

const scale = async ({ client, fleet }: StruckFleet, replicas: number, signal: AbortSignal): Promise<void> => {
  const key = { namespace: DEMO_NAMESPACE, name: fleet };
  const patch = { type: 'merge', body: { spec: { replicas } } } as const;
  await client.patch(CLUSTER_API_RESOURCES.machineDeployments, key, patch, { signal });
};

/** Nothing goes wrong any more from now on. */
export const endTrouble = async (struck: StruckFleet, machines: number, signal: AbortSignal): Promise<void> => {
  const { cloud } = struck.rig.macs.simulation;
  for (const { id } of cloud.faults()) cloud.switchOff(id);
  await scale(struck, machines, signal);
};
