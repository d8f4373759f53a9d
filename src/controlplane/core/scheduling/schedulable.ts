/** Pods and Nodes as the scheduler sees them: the narrow types of src/kube/types and what only a scheduler reads. */
import type { Node } from '../../../kube/types/core.ts';
import type { Pod, PodSpec } from '../../../kube/types/pod.ts';
import type { LabelRequirement } from '../label-selector.ts';

export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: number;
}

export interface NodeSelectorTerm {
  readonly matchExpressions?: readonly LabelRequirement[];
  readonly matchFields?: readonly LabelRequirement[];
}

type NodeAffinity = NonNullable<NonNullable<PodSpec['affinity']>['nodeAffinity']>;
type Quantities = Readonly<Record<string, string>>;

interface InterPodAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly unknown[];
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly unknown[];
}

export type SchedulableContainer = PodSpec['containers'][number] & {
  readonly restartPolicy?: string;
};

export interface SchedulablePod extends Pod {
  readonly spec: Omit<PodSpec, 'affinity' | 'tolerations' | 'containers' | 'initContainers'> & {
    readonly containers: readonly SchedulableContainer[];
    readonly initContainers?: readonly SchedulableContainer[];
    readonly affinity?: {
      readonly nodeAffinity?: NodeAffinity & {
        readonly requiredDuringSchedulingIgnoredDuringExecution?: {
          readonly nodeSelectorTerms: readonly NodeSelectorTerm[];
        };
      };
      readonly podAffinity?: InterPodAffinity;
      readonly podAntiAffinity?: InterPodAffinity;
    };
    readonly tolerations?: readonly Toleration[];
    readonly priority?: number;
    readonly schedulerName?: string;
    readonly schedulingGates?: readonly { readonly name: string }[];
    readonly topologySpreadConstraints?: readonly { readonly whenUnsatisfiable?: string }[];
    readonly overhead?: Quantities;
    readonly resources?: { readonly requests?: Quantities };
    readonly resourceClaims?: readonly unknown[];
    readonly volumes?: readonly { readonly name: string; readonly persistentVolumeClaim?: object }[];
  };
}

export const isTerminal = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

const OUR_NAME = 'default-scheduler';

/** Whether the scheduler has to find a Node for it. */
export const isUnbound = ({ metadata, spec, status }: SchedulablePod): boolean =>
  (spec.nodeName === undefined || spec.nodeName === '') &&
  metadata.deletionTimestamp === undefined &&
  !isTerminal({ metadata, spec, ...(status !== undefined && { status }) }) &&
  (spec.schedulerName ?? OUR_NAME) === OUR_NAME;

export const isNodeReady = ({ status }: Node): boolean =>
  status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') === true;
