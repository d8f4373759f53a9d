/** What the kinds of the infrastructure group have in common. */
import { CLUSTER_API_LABELS } from '../kube/types/cluster-api.ts';

export const INFRASTRUCTURE = { group: 'infrastructure.cluster.x-k8s.io', version: 'v1alpha1' } as const;

/** Tells clusterctl which provider a component belongs to. */
export const PROVIDER_LABELS = {
  [CLUSTER_API_LABELS.provider]: 'infrastructure-scaleway-applesilicon',
  [CLUSTER_API_LABELS.clusterctl]: '',
};

/** A kind of ours that Cluster API does not know. */
export const providerKind = { categories: ['cluster-api'], labels: PROVIDER_LABELS };

/** A kind that Cluster API core reads: the contract label tells it in which version. */
export const clusterApiKind = {
  categories: ['cluster-api'],
  labels: { ...PROVIDER_LABELS, [CLUSTER_API_LABELS.contractV1Beta2]: INFRASTRUCTURE.version },
};
