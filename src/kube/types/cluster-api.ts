/** Cluster API core's kinds in v1beta2: only the fields we read. Its labels and annotations: only those we read or set. */
import type { Condition, KubeObject, ObjectMeta } from './meta.ts';
import type { Resource } from './resource.ts';

const CLUSTER_API = { group: 'cluster.x-k8s.io', version: 'v1beta2', scope: 'Namespaced' } as const;

export const CLUSTER_API_LABELS = {
  clusterName: 'cluster.x-k8s.io/cluster-name',
  watchFilter: 'cluster.x-k8s.io/watch-filter',
  /** On a CRD: to which provider it belongs. */
  provider: 'cluster.x-k8s.io/provider',
  clusterctl: 'clusterctl.cluster.x-k8s.io',
  /** On a CRD: the versions of the kind that keep contract v1beta2. */
  contractV1Beta2: 'cluster.x-k8s.io/v1beta2',
  /** `clusterctl move` takes along what has it, whoever owns it. */
  move: 'clusterctl.cluster.x-k8s.io/move',
} as const;

export const CLUSTER_API_ANNOTATIONS = {
  paused: 'cluster.x-k8s.io/paused',
  managedBy: 'cluster.x-k8s.io/managed-by',
  /** `clusterctl move` deletes the object here because it lives on elsewhere. */
  deleteForMove: 'clusterctl.cluster.x-k8s.io/delete-for-move',
  blockMove: 'clusterctl.cluster.x-k8s.io/block-move',
  /** ClusterClass tries a change by a dry run of server-side apply. */
  topologyDryRun: 'topology.cluster.x-k8s.io/dry-run',
} as const;

/** The conditions of a Machine that make its MachineSet replace it; both have to be False. */
export const REMEDIATION = {
  healthCheckSucceeded: 'HealthCheckSucceeded',
  ownerRemediated: 'OwnerRemediated',
  reasons: { unhealthy: 'UnhealthyMachine', waiting: 'WaitingForRemediation' },
} as const;

/** A reference without a version; the contract label of the CRD gives it. */
interface ContractReference {
  readonly apiGroup: string;
  readonly kind: string;
  readonly name: string;
}

export interface ClusterApiCluster extends KubeObject {
  readonly spec: {
    readonly paused?: boolean;
    readonly controlPlaneEndpoint?: { readonly host?: string; readonly port?: number };
    readonly infrastructureRef?: ContractReference;
    readonly controlPlaneRef?: ContractReference;
  };
  readonly status?: {
    readonly initialization?: {
      readonly infrastructureProvisioned?: boolean;
      readonly controlPlaneInitialized?: boolean;
    };
    readonly conditions?: readonly Condition[];
  };
}

interface MachineSpec {
  readonly clusterName: string;
  readonly bootstrap: { readonly dataSecretName?: string };
  readonly infrastructureRef: ContractReference;
  readonly providerID?: string;
  readonly failureDomain?: string;
}

export interface Machine extends KubeObject {
  readonly spec: MachineSpec;
  readonly status?: {
    readonly phase?: string;
    readonly nodeRef?: { readonly name: string };
    readonly initialization?: { readonly infrastructureProvisioned?: boolean };
    readonly conditions?: readonly Condition[];
  };
}

interface MachineTemplate {
  readonly metadata?: Pick<ObjectMeta, 'labels' | 'annotations'>;
  readonly spec: MachineSpec;
}

interface MachineGroup extends KubeObject {
  readonly spec: {
    readonly clusterName: string;
    readonly replicas?: number;
    readonly selector: { readonly matchLabels?: Readonly<Record<string, string>> };
    readonly template: MachineTemplate;
  };
  readonly status?: {
    readonly replicas?: number;
    readonly readyReplicas?: number;
    readonly availableReplicas?: number;
    readonly upToDateReplicas?: number;
    readonly conditions?: readonly Condition[];
  };
}

export type MachineSet = MachineGroup;
export type MachineDeployment = MachineGroup;

const clusters: Resource<ClusterApiCluster> = { ...CLUSTER_API, kind: 'Cluster', plural: 'clusters' };
const machines: Resource<Machine> = { ...CLUSTER_API, kind: 'Machine', plural: 'machines' };
const machineSets: Resource<MachineSet> = { ...CLUSTER_API, kind: 'MachineSet', plural: 'machinesets' };
const machineDeployments: Resource<MachineDeployment> = {
  ...CLUSTER_API,
  kind: 'MachineDeployment',
  plural: 'machinedeployments',
};

export const CLUSTER_API_RESOURCES = { clusters, machines, machineSets, machineDeployments } as const;
