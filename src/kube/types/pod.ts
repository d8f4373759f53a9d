/** A Pod: what tart-kubelet honours, and what the runners controller writes. Its resource is in core.ts. */
import type { KubeObject } from './meta.ts';

export interface KeySource {
  readonly name?: string;
  readonly key: string;
  readonly optional?: boolean;
}

export interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly secretKeyRef?: KeySource;
    readonly configMapKeyRef?: KeySource;
    readonly fieldRef?: { readonly fieldPath: string };
    readonly resourceFieldRef?: {
      readonly resource: string;
      readonly divisor?: string;
      readonly containerName?: string;
    };
    readonly fileKeyRef?: object;
  };
}

interface EnvFromSource {
  readonly prefix?: string;
  readonly secretRef?: { readonly name?: string; readonly optional?: boolean };
  readonly configMapRef?: { readonly name?: string; readonly optional?: boolean };
}

/** One way to ask something inside; exactly one is set. */
interface Handler {
  readonly exec?: { readonly command?: readonly string[] };
  readonly httpGet?: {
    readonly path?: string;
    readonly port: number | string;
    readonly host?: string;
    readonly scheme?: string;
    readonly httpHeaders?: readonly { readonly name: string; readonly value: string }[];
  };
  readonly tcpSocket?: { readonly port: number | string; readonly host?: string };
}

export interface Probe extends Handler {
  readonly grpc?: { readonly port: number; readonly service?: string };
  readonly initialDelaySeconds?: number;
  readonly timeoutSeconds?: number;
  readonly periodSeconds?: number;
  readonly successThreshold?: number;
  readonly failureThreshold?: number;
  readonly terminationGracePeriodSeconds?: number;
}

export interface LifecycleHandler extends Handler {
  readonly sleep?: { readonly seconds: number };
}

export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly imagePullPolicy?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly workingDir?: string;
  readonly ports?: readonly {
    readonly name?: string;
    readonly containerPort: number;
    readonly hostPort?: number;
    readonly hostIP?: string;
    readonly protocol?: string;
  }[];
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly startupProbe?: Probe;
  readonly lifecycle?: { readonly postStart?: LifecycleHandler; readonly preStop?: LifecycleHandler };
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
  readonly volumeDevices?: readonly object[];
  readonly env?: readonly EnvVar[];
  readonly envFrom?: readonly EnvFromSource[];
  readonly resources?: {
    readonly requests?: Readonly<Record<string, string>>;
    readonly limits?: Readonly<Record<string, string>>;
  };
}

interface Volume {
  readonly name: string;
  readonly projected?: {
    readonly sources?: readonly {
      readonly serviceAccountToken?: {
        readonly audience?: string;
        readonly expirationSeconds?: number;
        readonly path: string;
      };
      readonly configMap?: object;
      readonly secret?: object;
      readonly downwardAPI?: object;
    }[];
  };
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
  readonly resourceClaims?: readonly { readonly name: string }[];
  readonly serviceAccountName?: string;
  readonly automountServiceAccountToken?: boolean;
  readonly terminationGracePeriodSeconds?: number;
  readonly activeDeadlineSeconds?: number;
  readonly imagePullSecrets?: readonly { readonly name?: string }[];
  readonly readinessGates?: readonly { readonly conditionType: string }[];
  readonly hostNetwork?: boolean;
  readonly hostPID?: boolean;
  readonly hostIPC?: boolean;
  readonly shareProcessNamespace?: boolean;
  readonly runtimeClassName?: string;
  readonly os?: { readonly name: string };
  readonly hostAliases?: readonly object[];
  readonly dnsPolicy?: string;
  readonly dnsConfig?: {
    readonly nameservers?: readonly string[];
    readonly searches?: readonly string[];
    readonly options?: readonly object[];
  };
}

interface ContainerTerminated {
  readonly exitCode: number;
  readonly signal?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
  readonly containerID?: string;
}

export interface ContainerStatus {
  readonly name: string;
  readonly image: string;
  readonly imageID: string;
  readonly ready: boolean;
  readonly restartCount: number;
  readonly started?: boolean;
  readonly containerID?: string;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
}

interface ContainerState {
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly running?: { readonly startedAt?: string };
  readonly terminated?: ContainerTerminated;
}

export interface PodCondition {
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
    readonly hostIPs?: readonly { readonly ip: string }[];
    readonly conditions?: readonly PodCondition[];
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
  };
}
