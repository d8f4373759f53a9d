/** The objects of one small fleet, as a user would apply them, and the rights of those who work on it. */
import { REMOTE_ACCOUNT, renderBindings as renderInstalledBindings } from '../../../src/install/bindings.ts';
import { CLUSTERS } from '../../../src/kinds/cluster.ts';
import { CONTROL_PLANES } from '../../../src/kinds/control-plane.ts';
import { LABELS, MACOS_TAINT } from '../../../src/kinds/labels.ts';
import { MACHINE_TEMPLATES } from '../../../src/kinds/machine-template.ts';
import { CLUSTER_API_LABELS, CLUSTER_API_RESOURCES } from '../../../src/kube/types/cluster-api.ts';
import type { KubeObject } from '../../../src/kube/types/meta.ts';
import { apiVersionOf, type Resource } from '../../../src/kube/types/resource.ts';
import { JOIN_GROUP, TOKEN_NAMESPACE } from '../../../src/provider/identity/join-token.ts';
import { CLUSTER_INFO, PROVIDER_ROLES } from '../../../src/provider/roles.ts';
import { AGENT_VERSION } from '../../../src/sim/node/node-object.ts';
import { type PodScript, SCRIPT_ANNOTATION } from '../../../src/sim/node/pod-script.ts';

export const CLUSTER_NAME = 'office';

/** What core is asked to put on every Node of the fleet. */
export const NODE_MARKS = {
  label: { key: 'node.cluster.x-k8s.io/rack', value: 'left' },
  taint: { key: 'example.com/new', value: 'yes', effect: 'PreferNoSchedule', propagation: 'Always' },
} as const;

const reference = ({ group, kind }: Resource<KubeObject>, name: string) => ({ apiGroup: group, kind, name });

const render = (
  resource: Resource<KubeObject>,
  key: { readonly namespace: string; readonly name: string },
  spec: object,
) => ({
  apiVersion: apiVersionOf(resource),
  kind: resource.kind,
  metadata: key,
  spec,
});

/** The Cluster with its two shells. */
export const renderCluster = (namespace: string): readonly object[] => {
  const key = { namespace, name: CLUSTER_NAME };
  return [
    render(CLUSTERS, key, {}),
    render(CONTROL_PLANES, key, {}),
    render(CLUSTER_API_RESOURCES.clusters, key, {
      infrastructureRef: reference(CLUSTERS, CLUSTER_NAME),
      controlPlaneRef: reference(CONTROL_PLANES, CLUSTER_NAME),
    }),
  ];
};

export interface FleetWish {
  readonly namespace: string;
  /** Also the name of the MachineDeployment. Nodes are named after Machines and share the cluster with other tests. */
  readonly fleet: string;
  readonly replicas: number;
  /** Name of the template; as the fleet unless given. */
  readonly template?: string;
  /** Who its Macs are Nodes by; the scripted agent unless given. */
  readonly agent?: 'tart-kubelet';
}

/** Named after its namespace. */
export const renderDeployment = (namespace: string, replicas: number): readonly object[] =>
  renderFleet({ namespace, fleet: namespace, replicas });

export const renderFleet = ({ namespace, fleet, replicas, agent, template = fleet }: FleetWish): readonly object[] => {
  const key = { namespace, name: fleet };
  const labels = { [CLUSTER_API_LABELS.clusterName]: CLUSTER_NAME, [LABELS.fleet]: fleet };
  const { label, taint } = NODE_MARKS;
  return [
    render(MACHINE_TEMPLATES, { namespace, name: template }, { template: { spec: { fleetName: fleet } } }),
    render(CLUSTER_API_RESOURCES.machineDeployments, key, {
      clusterName: CLUSTER_NAME,
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels: { ...labels, [LABELS.restrictedFleet]: fleet, [label.key]: label.value } },
        spec: {
          clusterName: CLUSTER_NAME,
          // Core calls a Machine up to date only when its Node reports exactly this. tart-kubelet reports none.
          ...(agent === undefined && { version: AGENT_VERSION }),
          bootstrap: { dataSecretName: 'not-used' },
          infrastructureRef: reference(MACHINE_TEMPLATES, template),
          taints: [taint],
        },
      },
    }),
  ];
};

/** A Pod spec that only a Mac of this fleet satisfies. */
export const onMacsOf = (fleet: string) => ({
  nodeSelector: { [LABELS.restrictedFleet]: fleet },
  tolerations: [{ key: MACOS_TAINT.key, operator: 'Exists' }],
  containers: [{ name: 'vm', image: 'ghcr.io/acme/macos:1' }],
});

export const renderJob = (namespace: string, script: Partial<PodScript>) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { namespace, name: 'hello' },
  spec: {
    template: {
      metadata: { annotations: { [SCRIPT_ANNOTATION]: JSON.stringify(script) } },
      spec: { ...onMacsOf(namespace), restartPolicy: 'Never' },
    },
  },
});

/** A Pod that runs on a Mac until it is told to stop, and a budget that does not let anybody evict it. */
export const renderGuardedPod = (namespace: string): readonly object[] => [
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name: 'guarded', labels: { app: 'guarded' } },
    spec: { ...onMacsOf(namespace), terminationGracePeriodSeconds: 1 },
  },
  {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { namespace, name: 'guard' },
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'guarded' } } },
  },
];

/** `<cluster>-kubeconfig`: how core reaches the cluster that the Macs join. */
export const renderRemoteKubeconfig = (namespace: string, kubeconfig: string, clusterName = CLUSTER_NAME) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  type: 'cluster.x-k8s.io/secret',
  metadata: {
    namespace,
    name: `${clusterName}-kubeconfig`,
    labels: { [CLUSTER_API_LABELS.clusterName]: clusterName },
  },
  stringData: { value: kubeconfig },
});

const { manager, leaderElection, clusterApiRemote, joinTokens, kubeconfigs, remoteTokens, fleetKeys } = PROVIDER_ROLES;
const { takeover, takeoverSecrets, clusterInfo } = PROVIDER_ROLES;
const INFO = { namespace: CLUSTER_INFO.namespace };

/** Binds the generated roles, and nothing else. */
export const renderBindings = (namespace: string, users: { readonly manager: string; readonly remote: string }) => [
  binding('ClusterRoleBinding', { name: `${namespace}-manager` }, [manager.metadata.name, users.manager]),
  binding('RoleBinding', { name: 'manager-lease', namespace }, [leaderElection.metadata.name, users.manager]),
  binding('ClusterRoleBinding', { name: `${namespace}-remote` }, [clusterApiRemote.metadata.name, users.remote]),
];

/**
 * For a manager that hands out identities and keys itself, and keeps them in the namespace of its fleets: its roles there, the
 * account of core, and what every cluster whose Nodes join by token has.
 */
export const renderOwnIdentities = (namespace: string, user: string): readonly object[] => [
  ...[kubeconfigs, remoteTokens, fleetKeys].map(({ metadata: { name } }) =>
    binding('RoleBinding', { name, namespace }, [name, user]),
  ),
  binding('RoleBinding', { name: `${namespace}-tokens`, namespace: TOKEN_NAMESPACE }, [joinTokens.metadata.name, user]),
  binding('RoleBinding', { ...INFO, name: `${namespace}-info` }, [clusterInfo.metadata.name, user]),
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace, name: REMOTE_ACCOUNT } },
  {
    ...binding('ClusterRoleBinding', { name: `${namespace}-core` }, [clusterApiRemote.metadata.name, '']),
    subjects: [{ kind: 'ServiceAccount', namespace, name: REMOTE_ACCOUNT }],
  },
  {
    ...binding('ClusterRoleBinding', { name: 'macfleet-join' }, ['system:node-bootstrapper', '']),
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: JOIN_GROUP }],
  },
];

/**
 * The rights that an installation in this namespace gives its manager, and the account by which core sees Nodes, and nothing else. Other fleets share the
 * cluster, so that names are those of the namespace; who may do what, and where, is as installed.
 */
export const renderInstalledRights = (namespace: string): readonly object[] => [
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace, name: REMOTE_ACCOUNT } },
  ...renderInstalledBindings({ namespace, runnersNamespace: '', manager: INSTALLED_MANAGER, runners: '' })
    .filter(({ purpose }) => purpose === 'manager' || purpose === 'remote')
    .map(({ object }) => ({
      ...object,
      metadata: { ...object.metadata, name: `${namespace}-${object.metadata.name}` },
    })),
];

const INSTALLED_MANAGER = 'macfleet-manager';

export const installedManagerIn = (namespace: string): string =>
  `system:serviceaccount:${namespace}:${INSTALLED_MANAGER}`;

/** For as long as a takeover takes. */
export const renderTakeoverRights = (namespace: string, user: string): readonly object[] => [
  binding('ClusterRoleBinding', { name: `${namespace}-takeover` }, [takeover.metadata.name, user]),
  binding('RoleBinding', { name: 'takeover', namespace }, [takeoverSecrets.metadata.name, user]),
];

const binding = (kind: string, metadata: object, [role, user]: readonly [string, string]) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind,
  metadata,
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
});
