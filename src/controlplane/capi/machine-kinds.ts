/** Machines, their sets and their Cluster as core itself sees them: the types of src/kube/types and what only core writes. */
import type {
  ClusterApiCluster,
  MachineDeployment as MachineDeploymentView,
  MachineSet as MachineSetView,
  Machine as MachineView,
} from '../../kube/types/cluster-api.ts';
import type { MachineAddress } from './contract-objects.ts';

export interface Cluster extends ClusterApiCluster {
  readonly status?: NonNullable<ClusterApiCluster['status']> & { readonly phase?: string };
}

export interface Machine extends MachineView {
  readonly status?: NonNullable<MachineView['status']> & {
    readonly addresses?: readonly MachineAddress[];
    readonly failureDomain?: string;
  };
}

export interface MachineSet extends MachineSetView {
  readonly status?: NonNullable<MachineSetView['status']> & { readonly observedGeneration?: number };
}

export interface MachineDeployment extends MachineDeploymentView {
  readonly status?: NonNullable<MachineDeploymentView['status']> & {
    readonly observedGeneration?: number;
    readonly phase?: string;
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
  /** On a Node: which of its labels came from its Machine, so that they can go again. */
  labelsFromMachine: 'cluster.x-k8s.io/labels-from-machine',
} as const;

export const CORE_FINALIZERS = {
  cluster: 'cluster.cluster.x-k8s.io',
  machine: 'machine.cluster.x-k8s.io',
  machineSet: 'cluster.x-k8s.io/machineset',
  machineDeployment: 'cluster.x-k8s.io/machinedeployment',
} as const;
