/** What a host keeps of the machine that claims it: all that it needs, also when the machine is gone (R11). */
import type { MacHostSpec } from '../../kinds/mac-host.ts';
import type { ScalewayAppleSiliconMachine } from '../../kinds/machine.ts';
import type { ClusterApiCluster } from '../../kube/types/cluster-api.ts';

type ClaimRef = NonNullable<MacHostSpec['claimRef']>;
export type Claim = Pick<MacHostSpec, 'claimRef' | 'fleet' | 'configuration'>;

/** Without its Cluster the Mac is held for a person, should the machine vanish (plan-reclaim.ts). */
export const claimOf = (machine: ScalewayAppleSiliconMachine, cluster?: ClusterApiCluster): Claim => {
  const { name, namespace = '', uid = '' } = machine.metadata;
  const configuration = configurationOf(machine);
  return {
    claimRef: { namespace, name, uid, ...clusterRefOf(cluster) },
    fleet: machine.spec.fleetName ?? `${namespace}-${name}`,
    ...(configuration === undefined ? {} : { configuration }),
  };
};

const clusterRefOf = (cluster: ClusterApiCluster | undefined): Pick<ClaimRef, 'cluster'> => {
  const { name = '', uid } = cluster?.metadata ?? {};
  return uid === undefined ? {} : { cluster: { name, uid } };
};

/** Undefined: nothing but what all Macs of the manager get. */
export const configurationOf = ({ spec }: ScalewayAppleSiliconMachine): MacHostSpec['configuration'] => {
  const { hostCPU, hostMemoryMB, ghActionsRunner } = spec;
  const wanted = {
    ...(hostCPU ? { hostCPU } : {}),
    ...(hostMemoryMB ? { hostMemoryMB } : {}),
    ...(ghActionsRunner === undefined ? {} : { ghActionsRunner }),
  };
  return Object.keys(wanted).length === 0 ? undefined : wanted;
};
