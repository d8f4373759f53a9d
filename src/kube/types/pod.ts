/** A Pod: what tart-kubelet honours, and what the runners controller writes. Its resource is in core.ts. */
import type { KubeObject } from './meta.ts';

interface KeySource {
  readonly name?: string;
  readonly key: string;
  readonly optional?: boolean;
}

interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly secretKeyRef?: KeySource;
    readonly configMapKeyRef?: KeySource;
    readonly fieldRef?: { readonly fieldPath: string };
  };
}

interface EnvFromSource {
  readonly prefix?: string;
  readonly secretRef?: { readonly name?: string; readonly optional?: boolean };
  readonly configMapRef?: { readonly name?: string; readonly optional?: boolean };
}

interface Probe {
  readonly httpGet?: { readonly path?: string; readonly port: number | string };
  readonly initialDelaySeconds?: number;
  readonly periodSeconds?: number;
  readonly failureThreshold?: number;
}

interface Container {
  readonly name: string;
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly readinessProbe?: Probe;
  readonly env?: readonly EnvVar[];
  readonly envFrom?: readonly EnvFromSource[];
  readonly resources?: {
    readonly requests?: Readonly<Record<string, string>>;
    readonly limits?: Readonly<Record<string, string>>;
  };
}

interface Volume {
  readonly name: string;
  readonly hostPath?: { readonly path: string };
  readonly persistentVolumeClaim?: object;
}

interface NodeSelectorTerm {
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

export interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly ephemeralContainers?: readonly { readonly name: string }[];
  readonly nodeName?: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly affinity?: {
    readonly nodeAffinity?: {
      readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly {
        readonly weight: number;
        readonly preference: NodeSelectorTerm;
      }[];
    };
  };
  readonly tolerations?: readonly { readonly key?: string; readonly operator?: string; readonly effect?: string }[];
  readonly restartPolicy?: string;
  readonly volumes?: readonly Volume[];
  readonly serviceAccountName?: string;
  readonly automountServiceAccountToken?: boolean;
  readonly terminationGracePeriodSeconds?: number;
}

interface ContainerTerminated {
  readonly exitCode: number;
  readonly signal?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
}

interface ContainerStatus {
  readonly name: string;
  readonly image: string;
  readonly imageID: string;
  readonly ready: boolean;
  readonly restartCount: number;
  readonly started?: boolean;
  readonly containerID?: string;
  readonly state?: {
    readonly waiting?: { readonly reason?: string; readonly message?: string };
    readonly running?: { readonly startedAt?: string };
    readonly terminated?: ContainerTerminated;
  };
}

interface PodCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';

export interface Pod extends KubeObject {
  readonly spec: PodSpec;
  readonly status?: {
    readonly phase?: PodPhase;
    readonly reason?: string;
    readonly message?: string;
    readonly startTime?: string;
    readonly hostIP?: string;
    readonly podIP?: string;
    readonly podIPs?: readonly { readonly ip: string }[];
    readonly conditions?: readonly PodCondition[];
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
  };
}
