/**
 * One of our controllers as Kubernetes runs it: its account, Deployment, budget and network policy. Written once: plain manifests and the
 * chart differ only in what stands in the slots.
 */
import { unreachable } from '../base/errors.ts';
import type { KubeObject } from '../kube/types/meta.ts';

/** A value, or the text that a chart has in its place. */
export type Slot<Value> = Value | string;

export type Component = 'manager' | 'runners-controller';

export interface Workload {
  readonly component: Component;
  readonly name: string;
  readonly namespace: string;
  /** Tells the Pods of this installation from others. */
  readonly instance: string;
  readonly image: string;
  readonly pullPolicy: string;
  readonly replicas: Slot<number>;
  /** What follows the name of the program. */
  readonly args: Slot<readonly string[]>;
  readonly resources: Slot<object>;
  /** Where it may go besides the API server and DNS. */
  readonly egress: Slot<readonly object[]>;
  /** Of its Pods, in place of those by which Prometheus finds them. */
  readonly annotations?: Slot<Readonly<Record<string, string>>>;
  /** Parts of the Pod that only charts have. */
  readonly pod?: Readonly<Record<string, Slot<unknown>>>;
  readonly container?: Readonly<Record<string, Slot<unknown>>>;
}

export const PORTS = { metrics: 8080, probes: 8081 } as const;
/** Nobody in particular: what distroless images call nonroot. */
const USER = 65_532;

export const DEFAULT_RESOURCES: Readonly<Record<Component, object>> = {
  manager: { requests: { cpu: '100m', memory: '192Mi' }, limits: { memory: '512Mi' } },
  'runners-controller': { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '384Mi' } },
};

/** The program in the image, by the name that `macfleet` knows it by. */
const programOf = (component: Component): string => {
  switch (component) {
    case 'manager':
      return 'manager';
    case 'runners-controller':
      return 'runners';
    default:
      return unreachable(component);
  }
};

const selectorOf = ({ component, instance }: Pick<Workload, 'component' | 'instance'>) => ({
  'app.kubernetes.io/name': 'macfleet',
  'app.kubernetes.io/instance': instance,
  'app.kubernetes.io/component': component,
});

const labelsOf = (workload: Pick<Workload, 'component' | 'instance'>) => ({
  ...selectorOf(workload),
  'app.kubernetes.io/part-of': 'macfleet',
});

export const POD_SECURITY = {
  runAsNonRoot: true,
  runAsUser: USER,
  runAsGroup: USER,
  fsGroup: USER,
  seccompProfile: { type: 'RuntimeDefault' },
};
export const CONTAINER_SECURITY = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

/** By these Prometheus finds a Pod without an operator. */
export const SCRAPED: Readonly<Record<string, string>> = {
  'prometheus.io/scrape': 'true',
  'prometheus.io/port': String(PORTS.metrics),
  'prometheus.io/path': '/metrics',
};

const probe = (path: string, initialDelaySeconds: number, periodSeconds: number) => ({
  httpGet: { path, port: 'probes' },
  initialDelaySeconds,
  periodSeconds,
});

const renderPodSpec = (workload: Workload) => {
  const { component, name, image, pullPolicy, args, resources, pod, container } = workload;
  return {
    serviceAccountName: name,
    securityContext: POD_SECURITY,
    terminationGracePeriodSeconds: 30,
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'kubernetes.io/hostname',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels: selectorOf(workload) },
      },
    ],
    containers: [
      {
        // clusterctl looks for a container of this name.
        name: component === 'manager' ? 'manager' : 'controller',
        image,
        imagePullPolicy: pullPolicy,
        args: typeof args === 'string' ? args : [programOf(component), ...args],
        ports: Object.entries(PORTS).map(([port, containerPort]) => ({ name: port, containerPort, protocol: 'TCP' })),
        livenessProbe: probe('/healthz', 15, 20),
        readinessProbe: probe('/readyz', 5, 10),
        resources,
        securityContext: CONTAINER_SECURITY,
        ...container,
      },
    ],
    ...pod,
  };
};

const renderDeployment = (workload: Workload): KubeObject & { readonly spec: object } => {
  const { name, namespace, replicas } = workload;
  return {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace, labels: labelsOf(workload) } },
    spec: {
      replicas,
      revisionHistoryLimit: 3,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      selector: { matchLabels: selectorOf(workload) },
      template: {
        metadata: {
          labels: labelsOf(workload),
          annotations: workload.annotations ?? SCRAPED,
        },
        spec: renderPodSpec(workload),
      },
    },
  };
};

const renderAccount = (workload: Pick<Workload, 'component' | 'instance' | 'name' | 'namespace'>): KubeObject => ({
  ...{ apiVersion: 'v1', kind: 'ServiceAccount' },
  metadata: { name: workload.name, namespace: workload.namespace, labels: labelsOf(workload) },
});

const renderBudget = (workload: Workload): KubeObject & { readonly spec: object } => ({
  ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' },
  metadata: { name: workload.name, namespace: workload.namespace, labels: labelsOf(workload) },
  spec: { maxUnavailable: 1, selector: { matchLabels: selectorOf(workload) } },
});

/** DNS, and the API server wherever it listens. */
export const COMMON_EGRESS: readonly object[] = [
  {
    ports: [
      { port: 53, protocol: 'UDP' },
      { port: 53, protocol: 'TCP' },
    ],
  },
  {
    ports: [
      { port: 443, protocol: 'TCP' },
      { port: 6443, protocol: 'TCP' },
    ],
  },
];

const renderNetworkPolicy = (workload: Workload): KubeObject & { readonly spec: object } => ({
  ...{ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' },
  metadata: { name: workload.name, namespace: workload.namespace, labels: labelsOf(workload) },
  spec: {
    podSelector: { matchLabels: selectorOf(workload) },
    policyTypes: ['Ingress', 'Egress'],
    ingress: [{ ports: Object.values(PORTS).map((port) => ({ port, protocol: 'TCP' })) }],
    egress: workload.egress,
  },
});

export interface RenderedWorkload {
  readonly account: KubeObject;
  readonly deployment: KubeObject;
  readonly budget: KubeObject;
  readonly networkPolicy: KubeObject;
}

export const renderWorkload = (workload: Workload): RenderedWorkload => ({
  account: renderAccount(workload),
  deployment: renderDeployment(workload),
  budget: renderBudget(workload),
  networkPolicy: renderNetworkPolicy(workload),
});
