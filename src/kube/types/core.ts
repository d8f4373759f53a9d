/** Kinds of the core group: only the fields we use. */
import type { KubeObject } from './meta.ts';
import type { Pod } from './pod.ts';
import type { Resource } from './resource.ts';

interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
  readonly timeAdded?: string;
}

interface NodeCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly lastHeartbeatTime?: string;
  readonly lastTransitionTime?: string;
}

export interface Node extends KubeObject {
  readonly spec?: {
    readonly providerID?: string;
    readonly unschedulable?: boolean;
    readonly taints?: readonly Taint[];
  };
  readonly status?: {
    readonly capacity?: Readonly<Record<string, string>>;
    readonly allocatable?: Readonly<Record<string, string>>;
    readonly conditions?: readonly NodeCondition[];
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
    readonly daemonEndpoints?: { readonly kubeletEndpoint?: { readonly Port: number } };
    readonly nodeInfo?: {
      readonly architecture: string;
      readonly operatingSystem: string;
      readonly osImage: string;
      readonly kernelVersion: string;
      readonly machineID: string;
      readonly systemUUID: string;
      readonly bootID: string;
      readonly containerRuntimeVersion: string;
      readonly kubeletVersion: string;
      readonly kubeProxyVersion: string;
    };
    readonly images?: readonly { readonly names?: readonly string[]; readonly sizeBytes?: number }[];
  };
}

export interface Secret extends KubeObject {
  readonly type?: string;
  /** Values in base64. */
  readonly data?: Readonly<Record<string, string>>;
  readonly immutable?: boolean;
}

export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

export interface Namespace extends KubeObject {
  readonly status?: { readonly phase?: string };
}

export interface ServiceAccount extends KubeObject {
  readonly automountServiceAccountToken?: boolean;
}

interface ObjectReference {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
}

export interface Event extends KubeObject {
  readonly involvedObject: ObjectReference;
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly source?: { readonly component?: string };
  readonly firstTimestamp?: string;
  readonly lastTimestamp?: string;
  /** Instead of both, from those who write events.k8s.io. */
  readonly eventTime?: string;
  readonly count?: number;
  /** How often it happened, from those who write `eventTime`. */
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string };
}

const CORE = { group: '', version: 'v1' } as const;

export const PODS: Resource<Pod> = { ...CORE, kind: 'Pod', plural: 'pods', scope: 'Namespaced' };
export const NODES: Resource<Node> = { ...CORE, kind: 'Node', plural: 'nodes', scope: 'Cluster' };
export const SECRETS: Resource<Secret> = { ...CORE, kind: 'Secret', plural: 'secrets', scope: 'Namespaced' };
export const CONFIG_MAPS: Resource<ConfigMap> = {
  ...CORE,
  kind: 'ConfigMap',
  plural: 'configmaps',
  scope: 'Namespaced',
};
export const NAMESPACES: Resource<Namespace> = { ...CORE, kind: 'Namespace', plural: 'namespaces', scope: 'Cluster' };
export const SERVICE_ACCOUNTS: Resource<ServiceAccount> = {
  ...CORE,
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  scope: 'Namespaced',
};
export const EVENTS: Resource<Event> = { ...CORE, kind: 'Event', plural: 'events', scope: 'Namespaced' };
