/** For tests: objects as the Go original left them in clusters, in their shapes of May and of August 2026. */
import type { Sample } from './parsers.ts';

const INFRASTRUCTURE = 'infrastructure.cluster.x-k8s.io/v1alpha1';
const SERVER = '6d1ab8b4-9c0b-4b43-8f0d-6f6a1c2e7d10';
const AT = '2026-05-20T08:00:00Z';

const metadata = (name: string, more: object = {}) => ({
  name,
  namespace: 'tuist',
  uid: 'b7d6a1de-3a55-4d7b-9a57-0c6f3f1d2a11',
  resourceVersion: '4711',
  generation: 2,
  creationTimestamp: '2026-05-20T07:55:00Z',
  ...more,
});

const machine = (story: string, body: object): Sample => ({
  story,
  kind: 'ScalewayAppleSiliconMachine',
  object: {
    apiVersion: INFRASTRUCTURE,
    kind: 'ScalewayAppleSiliconMachine',
    metadata: metadata('tuist-tuist-macos-fleet-x2b4k'),
    ...body,
  },
});

const other = (story: string, kind: Sample['kind'], body: object): Sample => ({
  story,
  kind,
  object: { apiVersion: kind === 'RunnerPool' ? 'tuist.dev/v1alpha1' : INFRASTRUCTURE, kind, ...body },
});

const may = {
  type: 'M2-L',
  zone: 'fr-par-1',
  os: 'macos-tahoe-26.3',
  fleetName: 'tuist-tuist-macos-fleet',
  kubeletVersion: 'v1.33.0',
  adoptPoolPrefix: 'tuist-pool-',
};
const august = { ...may, os: 'Tahoe', hostCPU: 8, hostMemoryMB: 14336 };
const bound = {
  serverID: SERVER,
  addresses: [{ type: 'ExternalIP', address: '51.159.120.2' }],
};
const providerID = `scw-applesilicon://fr-par-1/${SERVER}`;
const yes = (type: string) => ({ type, status: 'True', lastTransitionTime: AT });
const no = (type: string, reason: string, severity: string) => ({
  type,
  status: 'False',
  severity,
  reason,
  message: 'because',
  lastTransitionTime: AT,
});

const machines: readonly Sample[] = [
  machine('of May, just cloned', { spec: may }),
  machine('of August, just cloned', { spec: august }),
  machine('without any wish', { spec: {} }),
  machine('with zeros and empty texts where nothing is meant', {
    spec: { ...august, fleetName: '', adoptPoolPrefix: '', hostCPU: 0, hostMemoryMB: 0 },
    status: { ready: false, phase: '', serverID: '', bootstrapAttempts: 0 },
  }),
  machine('of May, ready, conditions without reasons', {
    spec: { ...may, providerID },
    status: {
      ...bound,
      ready: true,
      phase: 'Ready',
      conditions: [yes('Provisioned'), yes('Bootstrapped')],
      tartKubeletBinarySHA: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    },
  }),
  machine('that waits for a host, its condition with a severity', {
    spec: may,
    status: { ready: false, phase: 'Adopting', conditions: [no('Provisioned', 'NoAvailableHost', 'Warning')] },
  }),
  machine('whose bootstrap failed four times and was rebooted', {
    spec: { ...august, providerID },
    status: {
      ...bound,
      ready: false,
      phase: 'Bootstrapping',
      bootstrapAttempts: 4,
      bootstrapRebootIssued: true,
      conditions: [yes('Provisioned'), no('Bootstrapped', 'BootstrapFailed', 'Warning')],
    },
  }),
  machine('whose host went back to the pool', {
    spec: august,
    status: { ready: false, phase: 'Pending', conditions: [no('Provisioned', 'HostReleased', 'Warning')] },
  }),
  machine('that gave up on updates, without a time', {
    spec: { ...august, providerID },
    status: {
      ...bound,
      ready: true,
      phase: 'Failed',
      failureReason: 'TartKubeletUpdateExceededRetries',
      failureMessage: 'agent update failed 5 times',
      failedHostConfigHash: 'aa11',
      tartKubeletUpdateAttempts: 5,
    },
  }),
  machine('of August with everything', {
    spec: { ...august, providerID },
    status: {
      ...bound,
      ready: true,
      phase: 'Ready',
      hostConfigHash: 'bb22',
      tartKubeletBinarySHA: 'cc33',
      lastUpdateFailureTime: '2026-08-19T21:14:05Z',
      tartKubeletUpdateAttempts: 0,
      bootstrapAttempts: 0,
      bootstrapRebootIssued: false,
      conditions: [yes('Bootstrapped'), yes('Provisioned')],
    },
  }),
  machine('that builds images, of May', {
    spec: {
      ...may,
      ghActionsRunner: {
        ghOrg: 'tuist',
        ghRunnerLabels: 'self-hosted,macos,bare-metal,vm-image-builder',
        ghRunnerVersion: '2.334.0',
      },
    },
  }),
  machine('that builds images, of August', {
    spec: {
      ...august,
      ghActionsRunner: { ghRunnerVersion: '2.340.1', ghAppSecretName: 'tuist-tuist-builders-fleet-gh-app' },
    },
  }),
  machine('under deletion', {
    metadata: metadata('tuist-tuist-macos-fleet-x2b4k', {
      deletionTimestamp: AT,
      deletionGracePeriodSeconds: 0,
      finalizers: ['scalewayapplesilicon.cluster.x-k8s.io/finalizer'],
      ownerReferences: [
        {
          apiVersion: 'cluster.x-k8s.io/v1beta1',
          kind: 'Machine',
          name: 'tuist-tuist-macos-fleet-x2b4k',
          uid: '0f1e2d3c-0000-4000-8000-000000000001',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    }),
    spec: { ...august, providerID },
    status: { ...bound, ready: true, phase: 'Deleting' },
  }),
  machine('detached by a person', {
    metadata: metadata('tuist-tuist-macos-fleet-x2b4k', { annotations: { 'cluster.x-k8s.io/paused': 'true' } }),
    spec: august,
    status: { serverID: '', ready: true, phase: 'Ready', conditions: [yes('Provisioned')] },
  }),
  machine('with a condition that has no time at all', {
    spec: august,
    status: { conditions: [{ type: 'Provisioned', status: 'True', lastTransitionTime: null }] },
  }),
  machine('of the days when hosts were ordered, with a field we never had', {
    spec: { ...may, autoOrder: true },
    status: { phase: 'Provisioning', orderID: 'ord-1' },
  }),
];

const pool = { image: 'tuist/runner:1', fleetSelector: 'runners', dispatchLabel: 'tuist-macos' };

const others: readonly Sample[] = [
  other('template of May', 'ScalewayAppleSiliconMachineTemplate', {
    metadata: metadata('tuist-tuist-macos-fleet'),
    spec: { template: { spec: may } },
  }),
  other('template of August, named by its hash', 'ScalewayAppleSiliconMachineTemplate', {
    metadata: metadata('tuist-tuist-macos-fleet-1f0c9a3e', { annotations: { 'helm.sh/resource-policy': 'keep' } }),
    spec: { template: { spec: { type: 'M2-L', zone: 'fr-par-1', os: 'Tahoe' } } },
  }),
  other('cluster shell without an endpoint', 'ScalewayAppleSiliconCluster', {
    metadata: metadata('tuist-tuist-capi'),
    spec: {},
    status: { ready: true },
  }),
  other('cluster shell with an endpoint of zeros', 'ScalewayAppleSiliconCluster', {
    metadata: metadata('tuist-tuist-capi'),
    spec: { controlPlaneEndpoint: { host: '', port: 0 } },
    status: { ready: true, conditions: [yes('Ready')] },
  }),
  other('pool of May', 'RunnerPool', {
    metadata: metadata('default'),
    spec: {
      ...pool,
      labels: ['macos'],
      replicas: 9,
      runnerLabels: ['self-hosted', 'macOS', 'ARM64'],
      os: 'darwin',
      podCPUMilli: 8000,
      podMemoryMB: 14336,
    },
    status: { observedReplicas: 9, lastReconcile: AT },
  }),
  other('pool of August that keeps nothing warm', 'RunnerPool', {
    metadata: metadata('macos', { finalizers: ['tuist.dev/runner-pool-drain'] }),
    spec: {
      ...pool,
      replicas: 0,
      runnerLabels: [],
      idleTimeoutSeconds: 300,
      autoscaling: { enabled: true, minWarmPoolFloor: 0, maxReplicas: 9, scaleDownCooldownSeconds: 0 },
      rollout: { maxConcurrentPercent: 100 },
    },
    status: { observedReplicas: 0, observedImage: pool.image, imageRolledAt: AT, lastScaleDownAt: AT },
  }),
  other('linux pool of August', 'RunnerPool', {
    metadata: metadata('linux'),
    spec: {
      ...pool,
      os: 'linux',
      runtimeClass: 'kata-qemu',
      runnerLabels: ['self-hosted', 'Linux', 'X64'],
      provisioning: { maxConcurrentPerFleetSelector: 2, startTimeoutSeconds: 0 },
    },
  }),
];

export const GO_OBJECTS: readonly Sample[] = [...machines, ...others];
