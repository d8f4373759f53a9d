/** The objects of a small fleet, as a user would apply them. */
import { CLUSTER_API_RESOURCES } from '../../../kube/types/cluster-api.ts';
import type { CustomResourceDefinition } from '../../../kube/types/extensions.ts';
import type { KubeObject } from '../../../kube/types/meta.ts';
import type { Resource } from '../../../kube/types/resource.ts';
import { AGENT_VERSION } from '../../../sim/node/node-object.ts';
import type { Cluster, MachineDeployment } from '../machine-kinds.ts';

export const GROUP = 'infrastructure.cluster.x-k8s.io';

const kindOf = (kind: string): Resource<KubeObject> => ({
  group: GROUP,
  version: 'v1alpha1',
  kind,
  plural: `${kind.toLowerCase()}s`,
  scope: 'Namespaced',
});

export const TEMPLATES = kindOf('ScriptedMachineTemplate');
export const INFRASTRUCTURE_CLUSTERS = kindOf('ScriptedCluster');
export const CONTROL_PLANES = kindOf('ScriptedControlPlane');

const { clusters: CLUSTERS, machineDeployments: MACHINE_DEPLOYMENTS } = CLUSTER_API_RESOURCES;

export const CLUSTER: Cluster = {
  metadata: { namespace: 'ns', name: 'fleet' },
  spec: {
    infrastructureRef: { apiGroup: GROUP, kind: 'ScriptedCluster', name: 'fleet' },
    controlPlaneRef: { apiGroup: GROUP, kind: 'ScriptedControlPlane', name: 'fleet' },
  },
};

export const renderDeployment = (replicas: number, templateName = 'mac'): MachineDeployment => ({
  metadata: { namespace: 'ns', name: 'macs' },
  spec: {
    clusterName: 'fleet',
    replicas,
    selector: { matchLabels: { pool: 'macs' } },
    template: {
      metadata: { labels: { pool: 'macs', 'node-restriction.kubernetes.io/macfleet-fleet': 'demo' } },
      spec: {
        clusterName: 'fleet',
        // Core calls a Machine up to date only when its Node reports exactly this.
        version: AGENT_VERSION,
        bootstrap: { dataSecretName: 'unused' },
        infrastructureRef: { apiGroup: GROUP, kind: 'ScriptedMachineTemplate', name: templateName },
      },
    },
  },
});

const MADE = { metadata: { namespace: 'ns', name: 'fleet' } };

/** Everything but the deployment; the provider's parts of the Cluster are up. */
export const FLEET: readonly (readonly [
  Resource<KubeObject>,
  KubeObject & { readonly status?: object; readonly spec?: object },
])[] = [
  [INFRASTRUCTURE_CLUSTERS, { ...MADE, status: { initialization: { provisioned: true } } }],
  [
    CONTROL_PLANES,
    { ...MADE, status: { initialization: { controlPlaneInitialized: true }, externalManagedControlPlane: true } },
  ],
  [TEMPLATES, { metadata: { namespace: 'ns', name: 'mac' }, spec: { template: { spec: { type: 'M2-L' } } } }],
  [CLUSTERS, CLUSTER],
];

/** A CRD that lets everything pass, for an API that asks for one. */
export const renderDefinition = ({ group, version, kind, plural }: Resource<KubeObject>): CustomResourceDefinition => {
  const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: anything, status: anything } } };
  const served = { name: version, served: true, storage: true, subresources: { status: {} }, schema };
  const names = { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` };
  return {
    metadata: { name: `${plural}.${group}`, labels: { 'cluster.x-k8s.io/v1beta2': version } },
    spec: { ...{ group, names }, ...{ scope: 'Namespaced', versions: [served] } },
  };
};

export { CLUSTERS, MACHINE_DEPLOYMENTS };
