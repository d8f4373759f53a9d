/** What the host controllers know of the cluster, and how they find their way in it. */
import type { MacHost } from '../../kinds/mac-host.ts';
import type { ScalewayAppleSiliconMachine } from '../../kinds/machine.ts';
import { renderProviderId } from '../../kinds/names.ts';
import type { Cache } from '../../kube/cache/cache.ts';
import type { ClusterApiCluster } from '../../kube/types/cluster-api.ts';
import type { Node } from '../../kube/types/core.ts';
import { keyOf, renderKey } from '../../kube/types/meta.ts';
import { clusterNameOf, isPaused } from '../cluster/pause.ts';

export interface ProviderCaches {
  readonly hosts: Cache<MacHost>;
  /** Index `server`: by `status.serverID`. */
  readonly machines: Cache<ScalewayAppleSiliconMachine>;
  /** Index `provider`: by `spec.providerID`. */
  readonly nodes: Cache<Node>;
  readonly clusters: Cache<ClusterApiCluster>;
}

export const providerIdOf = ({ spec, metadata }: MacHost): string =>
  renderProviderId({ zone: spec.source.scaleway?.zone ?? '', serverId: metadata.name });

export const nodeOf = ({ nodes }: ProviderCaches, host: MacHost): Node | undefined =>
  nodes.byIndex('provider', providerIdOf(host))[0];

/** Whether the machine behind a claim exists, under the same UID, and names this host (R5). */
export const ownerOf = ({ machines }: ProviderCaches, host: MacHost): 'names-it' | 'does-not' | 'gone' => {
  const { claimRef } = host.spec;
  if (claimRef === undefined) return 'gone';
  const machine = machines.get(renderKey(claimRef));
  if (machine === undefined || machine.metadata.uid !== claimRef.uid) return 'gone';
  const rivals = machines.byIndex('server', host.metadata.name);
  return machine.status?.serverID === host.metadata.name && rivals.length === 1 ? 'names-it' : 'does-not';
};

export const membersOf = (
  { machines }: Pick<ProviderCaches, 'machines'>,
  { metadata }: ClusterApiCluster,
): readonly ScalewayAppleSiliconMachine[] =>
  machines
    .list()
    .filter((machine) => machine.metadata.namespace === metadata.namespace && clusterNameOf(machine) === metadata.name);

/** Whether the machine behind the claim is frozen: then nothing new is begun for it. A release goes its way (001-2). */
export const isOwnerPaused = ({ machines, clusters }: ProviderCaches, { spec }: MacHost): boolean => {
  const { claimRef, release } = spec;
  const owner = claimRef === undefined || release !== undefined ? undefined : machines.get(renderKey(claimRef));
  return owner !== undefined && owner.metadata.deletionTimestamp === undefined && isPaused(clusters, owner);
};

/** The keys of the machines that a change of this host concerns: its owner, and whoever names it. */
export const machinesOf = ({ machines }: Pick<ProviderCaches, 'machines'>, host: MacHost): readonly string[] => {
  const { claimRef } = host.spec;
  const naming = machines.byIndex('server', host.metadata.name).map((machine) => renderKey(keyOf(machine)));
  return claimRef === undefined ? naming : [...new Set([...naming, renderKey(claimRef)])];
};
