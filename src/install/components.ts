/**
 * Everything that an installation without Helm applies: kinds, policies, roles, and the controllers in a namespace of their own. Fleets are
 * not among it: a person applies them afterwards.
 */
import { PROVIDER_LABELS } from '../kinds/infrastructure.ts';
import type { KubeObject } from '../kube/types/meta.ts';
import { renderEvictionBudget } from '../runners/eviction-budget.ts';
import { type Places, type Purpose, REMOTE_ACCOUNT, renderBindings } from './bindings.ts';
import { renderDefinitions, renderPolicies, renderRoles } from './definitions.ts';
import { COMMON_EGRESS, type Component, DEFAULT_RESOURCES, PORTS, renderWorkload, type Workload } from './workload.ts';

export interface ComponentOptions {
  readonly namespace: string;
  readonly image: string;
  /** The API server as Macs reach it; empty: as kube-public/cluster-info says. */
  readonly apiServerUrl: string;
  /** Of the Secret with the Scaleway key. */
  readonly scalewaySecret: string;
  readonly zones: string;
  readonly runners?: RunnersOptions | undefined;
}

export interface RunnersOptions {
  readonly namespace: string;
  readonly dispatchUrl: string;
  readonly sessionsUrl?: string | undefined;
  readonly scalingSignalsUrl?: string | undefined;
}

/** Where the key is mounted; it may rotate there. */
export const CREDENTIALS = '/var/run/macfleet/scaleway';
export const SSH = { ports: [{ port: 22, protocol: 'TCP' }] };
export const HTTP = { ports: [{ port: 80, protocol: 'TCP' }] };
export const ADDRESSES = [`--metrics-bind-address=:${PORTS.metrics}`, `--health-probe-bind-address=:${PORTS.probes}`];

const basicsOf = (component: Component, { namespace, image }: ComponentOptions) =>
  ({
    ...{ component, namespace, image, name: `macfleet-${component}`, instance: 'macfleet' },
    ...{ pullPolicy: 'IfNotPresent', replicas: 2, resources: DEFAULT_RESOURCES[component] },
  }) as const;

const managerOf = (options: ComponentOptions): Workload => ({
  ...basicsOf('manager', options),
  args: [
    '--scaleway',
    `--scaleway-credentials=${CREDENTIALS}`,
    `--zones=${options.zones}`,
    `--secrets-namespace=${options.namespace}`,
    ...ADDRESSES,
  ],
  egress: [...COMMON_EGRESS, SSH],
  container: {
    env: [{ name: 'CAPI_TARTKUBELET_API_SERVER_URL', value: options.apiServerUrl }],
    volumeMounts: [{ name: 'scaleway', mountPath: CREDENTIALS, readOnly: true }],
  },
  pod: { volumes: [{ name: 'scaleway', secret: { secretName: options.scalewaySecret } }] },
});

const runnersOf = (options: ComponentOptions, runners: RunnersOptions): Workload => ({
  ...basicsOf('runners-controller', options),
  args: [
    `--namespace=${runners.namespace}`,
    `--dispatch-url=${runners.dispatchUrl}`,
    ...(runners.sessionsUrl === undefined ? [] : [`--sessions-url=${runners.sessionsUrl}`]),
    ...(runners.scalingSignalsUrl === undefined ? [] : [`--scaling-signals-url=${runners.scalingSignalsUrl}`]),
    ...ADDRESSES,
  ],
  egress: [...COMMON_EGRESS, HTTP],
});

const renderNamespace = (name: string, labels: Readonly<Record<string, string>>): KubeObject => ({
  ...{ apiVersion: 'v1', kind: 'Namespace' },
  metadata: { name, labels },
});

/** What is bound without anybody asking: a takeover and a Deployment to spread are asked for. */
const ALWAYS: readonly Purpose[] = ['manager', 'remote', 'builders'];

/** In an order in which they can be applied. */
export const renderComponents = (options: ComponentOptions): readonly KubeObject[] => {
  const { namespace, runners } = options;
  const workloads = [managerOf(options), ...(runners === undefined ? [] : [runnersOf(options, runners)])];
  const places: Places = {
    namespace,
    runnersNamespace: runners?.namespace ?? '',
    manager: 'macfleet-manager',
    runners: 'macfleet-runners-controller',
  };
  const purposes = runners === undefined ? ALWAYS : [...ALWAYS, 'runners'];
  const restricted = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  return [
    renderNamespace(namespace, { ...PROVIDER_LABELS, ...restricted }),
    ...(runners === undefined || runners.namespace === namespace ? [] : [renderNamespace(runners.namespace, {})]),
    ...renderDefinitions(),
    ...renderRoles(),
    { ...{ apiVersion: 'v1', kind: 'ServiceAccount' }, metadata: { name: REMOTE_ACCOUNT, namespace } },
    ...renderBindings(places).flatMap(({ purpose, object }) => (purposes.includes(purpose) ? [object] : [])),
    ...renderPolicies(),
    ...workloads.flatMap((workload) => Object.values(renderWorkload(workload))),
    ...(runners === undefined ? [] : [renderEvictionBudget(runners.namespace)]),
  ];
};
