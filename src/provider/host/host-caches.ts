/** What the host controllers know of the cluster, and how they find their way in it. */
import type { MacHost } from '../../kinds/mac-host.ts';
import type { ScalewayAppleSiliconMachine } from '../../kinds/machine.ts';
import { renderProviderId } from '../../kinds/names.ts';
import type { Cache } from '../../kube/cache/cache.ts';
import { CLUSTER_API_ANNOTATIONS, type ClusterApiCluster } from '../../kube/types/cluster-api.ts';
import type { Node } from '../../kube/types/core.ts';
import { keyOf, renderKey } from '../../kube/types/meta.ts';
import { clusterNameOf, isPaused } from '../cluster/pause.ts';
import type { Owner } from './host-view.ts';

export interface ProviderCaches {
  /** Index `claim`: by the UID in `spec.claimRef`. */
  readonly hosts: Cache<MacHost>;
  /** Index `server`: by `status.serverID`. */
  readonly machines: Cache<ScalewayAppleSiliconMachine>;
  /** Index `provider`: by `spec.providerID`. */
  readonly nodes: Cache<Node>;
  readonly clusters: Cache<ClusterApiCluster>;
}

/** Whether a manager that works for this namespace may act on it: nobody has it, or a machine of that namespace. */
export const isWithin = (namespace: string | undefined, { spec }: MacHost): boolean =>
  namespace === undefined || spec.claimRef === undefined || spec.claimRef.namespace === namespace;

export const providerIdOf = ({ spec, metadata }: MacHost): string =>
  renderProviderId({ zone: spec.source.scaleway?.zone ?? '', serverId: metadata.name });

export const nodeOf = ({ nodes }: ProviderCaches, host: MacHost): Node | undefined =>
  nodes.byIndex('provider', providerIdOf(host))[0];

/** The machine behind the claim, under the same UID. */
export const claimantOf = ({ machines }: Pick<ProviderCaches, 'machines'>, { spec }: MacHost) => {
  const machine = spec.claimRef === undefined ? undefined : machines.get(renderKey(spec.claimRef));
  return machine?.metadata.uid === spec.claimRef?.uid ? machine : undefined;
};

export const ownerOf = (caches: ProviderCaches, host: MacHost): Owner => {
  const machine = claimantOf(caches, host);
  if (machine === undefined) return 'gone';
  const { metadata, spec, status } = machine;
  if (metadata.deletionTimestamp !== undefined && isMoving(machine)) return 'moved';
  const isBare = !status?.serverID && !spec.providerID;
  if (isBare && metadata.deletionTimestamp === undefined && isPaused(caches.clusters, machine)) return 'detached';
  const rivals = caches.machines.byIndex('server', host.metadata.name);
  if (status?.serverID !== host.metadata.name || rivals.length !== 1) return 'does-not';
  return metadata.deletionTimestamp === undefined ? 'names-it' : 'leaving';
};

/** `clusterctl move` takes it to another cluster, where it lives on (R17). */
export const isMoving = ({ metadata }: ScalewayAppleSiliconMachine): boolean =>
  metadata.annotations?.[CLUSTER_API_ANNOTATIONS.deleteForMove] !== undefined;

export const isProvisioned = (caches: ProviderCaches, host: MacHost): boolean => {
  const machine = claimantOf(caches, host);
  return machine !== undefined && wasProvisioned(machine);
};

/** Both are set together (R22), and the status is lost by a move (R17). */
export const wasProvisioned = ({ spec, status }: ScalewayAppleSiliconMachine): boolean =>
  status?.initialization?.provisioned === true || Boolean(spec.providerID);

export const membersOf = (
  { machines }: Pick<ProviderCaches, 'machines'>,
  { metadata }: ClusterApiCluster,
): readonly ScalewayAppleSiliconMachine[] =>
  machines
    .list()
    .filter((machine) => machine.metadata.namespace === metadata.namespace && clusterNameOf(machine) === metadata.name);

/** The keys of the machines that a change of this host concerns: its owner, and whoever names it. */
export const machinesOf = ({ machines }: Pick<ProviderCaches, 'machines'>, host: MacHost): readonly string[] => {
  const { claimRef } = host.spec;
  const naming = machines.byIndex('server', host.metadata.name).map((machine) => renderKey(keyOf(machine)));
  return claimRef === undefined ? naming : [...new Set([...naming, renderKey(claimRef)])];
};
