/** Machines, their sets and their Cluster as core itself sees them: the types of src/kube/types and what only core reads or writes. */
import type {
  ClusterApiCluster,
  MachineDeployment as MachineDeploymentView,
  MachineSet as MachineSetView,
  Machine as MachineView,
} from '../../kube/types/cluster-api.ts';
import type { Node } from '../../kube/types/core.ts';
import type { IntOrPercent } from '../core/workloads/replicated.ts';
import type { ContractReference, MachineAddress } from './contract-objects.ts';

export interface Cluster extends ClusterApiCluster {
  readonly spec: ClusterApiCluster['spec'] & {
    /** A managed topology: not supported here. */
    readonly topology?: object;
  };
  readonly status?: NonNullable<ClusterApiCluster['status']> & { readonly phase?: string };
}

/** How long what of a Machine's end may take. */
export interface MachineDeletionSpec {
  /** 0 or absent: for ever. */
  readonly nodeDrainTimeoutSeconds?: number;
  readonly nodeDeletionTimeoutSeconds?: number;
}

export type MachineSpec = MachineView['spec'] & {
  readonly bootstrap: { readonly configRef?: ContractReference };
  readonly deletion?: MachineDeletionSpec;
  /** Of Kubernetes, on its Node. */
  readonly version?: string;
  readonly minReadySeconds?: number;
  readonly readinessGates?: readonly { readonly conditionType: string }[];
  readonly taints?: readonly object[];
};

export interface Machine extends MachineView {
  readonly spec: MachineSpec;
  readonly status?: NonNullable<MachineView['status']> & {
    readonly addresses?: readonly MachineAddress[];
    readonly failureDomain?: string;
    /** As its Node reports it. */
    readonly nodeInfo?: NonNullable<Node['status']>['nodeInfo'];
    readonly deletion?: {
      readonly nodeDrainStartTime?: string;
      readonly waitForPreDrainHookStartTime?: string;
      readonly waitForPreTerminateHookStartTime?: string;
    };
  };
}

export type DeletionOrder = 'Random' | 'Newest' | 'Oldest';

interface MachineTemplate {
  readonly metadata?: NonNullable<MachineSetView['spec']['template']['metadata']>;
  readonly spec: MachineSpec;
}

export interface MachineSet extends MachineSetView {
  readonly spec: Omit<MachineSetView['spec'], 'template'> & {
    readonly template: MachineTemplate;
    readonly deletion?: { readonly order?: DeletionOrder };
  };
  readonly status?: NonNullable<MachineSetView['status']> & {
    readonly observedGeneration?: number;
    /** The labels that its Machines have, as `kubectl scale` reads them. */
    readonly selector?: string;
  };
}

export interface MachineDeployment extends MachineDeploymentView {
  readonly spec: MachineSet['spec'] & {
    readonly paused?: boolean;
    readonly rollout?: {
      readonly after?: string;
      readonly strategy?: {
        readonly type?: string;
        readonly rollingUpdate?: { readonly maxSurge?: IntOrPercent; readonly maxUnavailable?: IntOrPercent };
      };
    };
    readonly remediation?: object;
  };
  readonly status?: NonNullable<MachineDeploymentView['status']> & {
    readonly observedGeneration?: number;
    readonly phase?: string;
    readonly selector?: string;
  };
}

/** As Cluster API names them. */
export const CORE_LABELS = {
  setName: 'cluster.x-k8s.io/set-name',
  deploymentName: 'cluster.x-k8s.io/deployment-name',
  templateHash: 'machine-template-hash',
} as const;

export const CORE_ANNOTATIONS = {
  clonedFromName: 'cluster.x-k8s.io/cloned-from-name',
  clonedFromGroupKind: 'cluster.x-k8s.io/cloned-from-groupkind',
  /** On a Machine: the first to go when its set shrinks. */
  deleteMachine: 'cluster.x-k8s.io/delete-machine',
  clusterName: 'cluster.x-k8s.io/cluster-name',
  clusterNamespace: 'cluster.x-k8s.io/cluster-namespace',
  machine: 'cluster.x-k8s.io/machine',
  ownerKind: 'cluster.x-k8s.io/owner-kind',
  ownerName: 'cluster.x-k8s.io/owner-name',
  /** On a Node: which of its labels and annotations came from its Machine, so that they can go again. */
  labelsFromMachine: 'cluster.x-k8s.io/labels-from-machine',
  annotationsFromMachine: 'cluster.x-k8s.io/annotations-from-machine',
  /** On a Machine: who must take it away before the Node is drained, or the infrastructure is deleted. */
  preDrainHook: 'pre-drain.delete.hook.machine.cluster.x-k8s.io',
  preTerminateHook: 'pre-terminate.delete.hook.machine.cluster.x-k8s.io',
  excludeDraining: 'machine.cluster.x-k8s.io/exclude-node-draining',
  revision: 'machinedeployment.clusters.x-k8s.io/revision',
} as const;

export const CORE_TAINTS = {
  /** Kept by an agent until core has brought the Node's labels in line. */
  uninitialized: 'node.cluster.x-k8s.io/uninitialized',
  /** On Nodes that a rollout will replace: take others first. */
  outdated: 'node.cluster.x-k8s.io/outdated-revision',
} as const;

export const CORE_FINALIZERS = {
  cluster: 'cluster.cluster.x-k8s.io',
  machine: 'machine.cluster.x-k8s.io',
  machineSet: 'cluster.x-k8s.io/machineset',
  machineDeployment: 'cluster.x-k8s.io/machinedeployment',
} as const;
