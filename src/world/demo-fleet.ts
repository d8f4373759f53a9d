/** What `up` asks its fleet to do: a cluster shell, a MachineDeployment of Macs, and a Job that runs on them. */
import { JOBS } from '../controlplane/core/workloads/job.ts';
import { CLUSTERS } from '../kinds/cluster.ts';
import { CONTROL_PLANES } from '../kinds/control-plane.ts';
import { LABELS, MACOS_TAINT } from '../kinds/labels.ts';
import { MACHINES } from '../kinds/machine.ts';
import { CLUSTER_API_LABELS, CLUSTER_API_RESOURCES } from '../kube/types/cluster-api.ts';
import type { KubeObject } from '../kube/types/meta.ts';
import { apiVersionOf, type Resource } from '../kube/types/resource.ts';
import { AGENT_VERSION } from '../sim/node/node-object.ts';

export interface DemoObject {
  readonly resource: Resource<KubeObject>;
  readonly object: KubeObject;
}

export const DEMO_NAMESPACE = 'default';
export const DEMO_FLEET = 'macos';
/** The pool of runners, where there are any. */
export const RUNNER_POOL = 'ci';
const DEMO_JOB = 'hello-macos';

export const TEMPLATES: Resource<KubeObject> = {
  group: MACHINES.group,
  version: MACHINES.version,
  kind: 'ScalewayAppleSiliconMachineTemplate',
  plural: 'scalewayapplesiliconmachinetemplates',
  scope: 'Namespaced',
};

const reference = ({ group, kind }: Resource<KubeObject>, name: string) => ({ apiGroup: group, kind, name });

const demo = (resource: Resource<KubeObject>, name: string, fields: object): DemoObject => ({
  resource,
  object: {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    metadata: { name, namespace: DEMO_NAMESPACE },
    ...fields,
  },
});

/** Macs, and a Job for them; in an order in which each finds what it refers to. */
export const renderDemo = (macs: number): readonly DemoObject[] => [
  ...renderMacs(macs),
  demo(JOBS, DEMO_JOB, { spec: renderJob(macs) }),
];

/** A cluster shell, and a MachineDeployment of Macs. */
export const renderMacs = (macs: number): readonly DemoObject[] => {
  const labels = { [CLUSTER_API_LABELS.clusterName]: 'demo', [LABELS.fleet]: DEMO_FLEET };
  return [
    demo(CLUSTERS, 'demo', { spec: {} }),
    demo(CONTROL_PLANES, 'demo', { spec: {} }),
    demo(CLUSTER_API_RESOURCES.clusters, 'demo', {
      spec: { infrastructureRef: reference(CLUSTERS, 'demo'), controlPlaneRef: reference(CONTROL_PLANES, 'demo') },
    }),
    demo(TEMPLATES, DEMO_FLEET, { spec: { template: { spec: { fleetName: DEMO_FLEET } } } }),
    demo(CLUSTER_API_RESOURCES.machineDeployments, DEMO_FLEET, {
      spec: {
        clusterName: 'demo',
        replicas: macs,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels: { ...labels, [LABELS.restrictedFleet]: DEMO_FLEET } },
          spec: {
            clusterName: 'demo',
            version: AGENT_VERSION,
            bootstrap: { dataSecretName: 'noop-bootstrap' },
            infrastructureRef: reference(TEMPLATES, DEMO_FLEET),
          },
        },
      },
    }),
  ];
};

const renderJob = (macs: number) => ({
  completions: macs,
  parallelism: macs,
  template: {
    metadata: { annotations: { 'sim.macfleet.dev/script': JSON.stringify({ startMs: 300, runMs: 700 }) } },
    spec: {
      restartPolicy: 'Never',
      nodeSelector: { 'kubernetes.io/os': 'darwin' },
      tolerations: [{ key: MACOS_TAINT.key, operator: 'Exists' }],
      containers: [{ name: 'vm', image: 'ghcr.io/cirruslabs/macos-tahoe-base:latest', command: ['sw_vers'] }],
    },
  },
});
