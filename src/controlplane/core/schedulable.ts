/** Pods and Nodes as the scheduler sees them: the narrow types of src/kube/types and what only a scheduler reads. */
import type { Node } from '../../kube/types/core.ts';
import type { Pod, PodSpec } from '../../kube/types/pod.ts';

export interface NodeSelectorRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
}

export interface NodeSelectorTerm {
  readonly matchExpressions?: readonly NodeSelectorRequirement[];
}

type NodeAffinity = NonNullable<NonNullable<PodSpec['affinity']>['nodeAffinity']>;

export interface SchedulablePod extends Pod {
  readonly spec: Omit<PodSpec, 'affinity' | 'tolerations'> & {
    readonly affinity?: {
      readonly nodeAffinity?: NodeAffinity & {
        readonly requiredDuringSchedulingIgnoredDuringExecution?: {
          readonly nodeSelectorTerms: readonly NodeSelectorTerm[];
        };
      };
    };
    readonly tolerations?: readonly Toleration[];
  };
}

export const isTerminal = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** Whether the scheduler has to find a Node for it. */
export const isUnbound = (pod: Pod): boolean =>
  pod.spec.nodeName === undefined && pod.metadata.deletionTimestamp === undefined && !isTerminal(pod);

export const isNodeReady = ({ status }: Node): boolean =>
  status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') === true;
