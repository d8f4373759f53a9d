/**
 * Objects of providers, known to Cluster API only by their contract (v1beta2): a reference without a version, a kind that
 * some CRD defines, and the few fields that every such kind has.
 */
import { CLUSTER_API_LABELS } from '../../kube/types/cluster-api.ts';
import type { CustomResourceDefinition } from '../../kube/types/extensions.ts';
import type { Condition, KubeObject, ObjectMeta } from '../../kube/types/meta.ts';
import type { Resource } from '../../kube/types/resource.ts';

export interface ContractReference {
  readonly apiGroup: string;
  readonly kind: string;
  readonly name: string;
}

export interface MachineAddress {
  readonly type: string;
  readonly address: string;
}

/** An infrastructure machine or cluster, or a control plane. */
export interface ContractObject extends KubeObject {
  readonly spec?: {
    readonly providerID?: string;
    readonly controlPlaneEndpoint?: { readonly host?: string; readonly port?: number };
  };
  readonly status?: {
    readonly initialization?: { readonly provisioned?: boolean; readonly controlPlaneInitialized?: boolean };
    /** Of a control plane: it has no Machines of its own. */
    readonly externalManagedControlPlane?: boolean;
    readonly addresses?: readonly MachineAddress[];
    readonly failureDomain?: string;
    readonly conditions?: readonly Condition[];
  };
}

export interface ContractTemplate extends KubeObject {
  readonly spec: {
    readonly template: {
      readonly metadata?: Pick<ObjectMeta, 'labels' | 'annotations'>;
      readonly spec?: Readonly<Record<string, unknown>>;
    };
  };
}

const DEFAULT_VERSION = 'v1alpha1';

/** The kind behind a reference: version by the contract label of its CRD; without a CRD by custom. */
export const resolveResource = <T extends KubeObject>(
  definitions: readonly CustomResourceDefinition[],
  { apiGroup, kind }: Pick<ContractReference, 'apiGroup' | 'kind'>,
): Resource<T> => {
  const definition = definitions.find(({ spec }) => spec.group === apiGroup && spec.names.kind === kind);
  const versions = definition?.metadata.labels?.[CLUSTER_API_LABELS.contractV1Beta2]?.split('_') ?? [];
  return {
    group: apiGroup,
    version: [...versions].sort(byPriority).at(-1) ?? DEFAULT_VERSION,
    kind,
    plural: definition?.spec.names.plural ?? `${kind.toLowerCase()}s`,
    scope: 'Namespaced',
  };
};

const VERSION = /^v(\d+)(?:(alpha|beta)(\d+))?$/;
const STABILITY = ['alpha', 'beta', ''];

/** Kubernetes' order of versions: v1alpha2 < v1beta1 < v1 < v2. */
const byPriority = (left: string, right: string): number => {
  const [one, two] = [weigh(left), weigh(right)];
  const differing = one.findIndex((weight, at) => weight !== two[at]);
  return differing === -1 ? 0 : (one[differing] ?? 0) - (two[differing] ?? 0);
};

const weigh = (version: string): readonly number[] => {
  const [match, major = '', stability = '', minor = '0'] = VERSION.exec(version) ?? [];
  return match === undefined ? [-1, 0, 0] : [STABILITY.indexOf(stability), Number(major), Number(minor)];
};
