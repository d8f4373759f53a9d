/** The objects that are listed and watched: a machine as Cluster API and our own manager leave it, about 3 KB with managedFields. */
import type { KubeObject, ObjectKey } from '../../src/kube/types/meta.ts';
import type { Resource } from '../../src/kube/types/resource.ts';

export const MACS: Resource<KubeObject> = {
  group: 'infrastructure.cluster.x-k8s.io',
  version: 'v1alpha1',
  kind: 'ScalewayAppleSiliconMachine',
  plural: 'scalewayapplesiliconmachines',
  scope: 'Namespaced',
};

const NAMESPACES = 8;

export const keyOfMac = (at: number): ObjectKey => ({
  namespace: `fleet-${at % NAMESPACES}`,
  name: `ci-macs-${digits(at, 5)}-${digits(at * 7919, 5)}`,
});

/** One object as JSON. */
export const renderMac = (at: number, revision: number): string => {
  const key = keyOfMac(at);
  return JSON.stringify({
    apiVersion: `${MACS.group}/${MACS.version}`,
    kind: MACS.kind,
    metadata: { ...key, ...metadataOf(at), resourceVersion: String(revision), managedFields: managedFields(at) },
    spec: {
      type: 'M2-L',
      zone: 'fr-par-1',
      os: 'macos-tahoe-26.1',
      providerID: `scaleway-applesilicon://fr-par-1/${uuid(at, 'a')}`,
      poolPrefix: 'ci-pool',
      sshKeySecretRef: { name: `ci-macs-${at % 40}-ssh` },
      nodeLabels: { 'tuist.dev/fleet': 'ci', 'tuist.dev/runner': 'macos' },
    },
    status: statusOf(at, revision),
  });
};

const metadataOf = (at: number) => ({
  uid: uuid(at, 'b'),
  generation: 2 + (at % 3),
  creationTimestamp: time(at),
  labels: {
    'cluster.x-k8s.io/cluster-name': 'production',
    'cluster.x-k8s.io/deployment-name': `ci-macs-${at % 40}`,
    'cluster.x-k8s.io/set-name': `ci-macs-${at % 40}-x7k2p`,
    'machine-template-hash': '2871490371-x7k2p',
  },
  annotations: {
    'cluster.x-k8s.io/cloned-from-groupkind': 'ScalewayAppleSiliconMachineTemplate.infrastructure.cluster.x-k8s.io',
    'cluster.x-k8s.io/cloned-from-name': 'ci-macs-v12',
  },
  finalizers: ['scalewayapplesiliconmachine.infrastructure.cluster.x-k8s.io'],
  ownerReferences: [
    {
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'Machine',
      name: keyOfMac(at).name,
      uid: uuid(at, 'c'),
      controller: true,
      blockOwnerDeletion: true,
    },
  ],
});

const statusOf = (at: number, revision: number) => ({
  initialization: { provisioned: true },
  serverID: uuid(at, 'a'),
  addresses: [
    { type: 'InternalIP', address: `10.${at % 200}.${at % 250}.${(at * 3) % 250}` },
    { type: 'Hostname', address: keyOfMac(at).name },
  ],
  conditions: ['Ready', 'HostClaimed', 'Bootstrapped', 'NodeJoined'].map((type) => ({
    type,
    status: 'True',
    reason: type,
    message: type === 'Ready' ? `seen at revision ${revision}` : '',
    lastTransitionTime: time(at + type.length),
    observedGeneration: 2,
  })),
});

/** Three managers, as a server records them: a third of the object that no controller reads. */
const managedFields = (at: number) => [
  {
    manager: 'capi-machineset',
    operation: 'Apply',
    apiVersion: `${MACS.group}/${MACS.version}`,
    time: time(at),
    fieldsType: 'FieldsV1',
    fieldsV1: {
      'f:metadata': {
        'f:annotations': {
          'f:cluster.x-k8s.io/cloned-from-groupkind': {},
          'f:cluster.x-k8s.io/cloned-from-name': {},
        },
        'f:labels': { 'f:cluster.x-k8s.io/cluster-name': {}, 'f:machine-template-hash': {} },
        'f:ownerReferences': { [`k:{"uid":"${uuid(at, 'c')}"}`]: {} },
      },
      'f:spec': { 'f:type': {}, 'f:zone': {}, 'f:os': {}, 'f:poolPrefix': {} },
    },
  },
  {
    manager: 'macfleet',
    operation: 'Update',
    apiVersion: `${MACS.group}/${MACS.version}`,
    time: time(at + 60),
    fieldsType: 'FieldsV1',
    fieldsV1: {
      'f:metadata': { 'f:finalizers': { '.': {}, [`v:"${MACS.kind.toLowerCase()}.${MACS.group}"`]: {} } },
      'f:spec': { 'f:providerID': {} },
    },
  },
  {
    manager: 'macfleet',
    operation: 'Update',
    apiVersion: `${MACS.group}/${MACS.version}`,
    time: time(at + 90),
    fieldsType: 'FieldsV1',
    fieldsV1: {
      'f:status': {
        'f:addresses': {},
        'f:initialization': { 'f:provisioned': {} },
        'f:serverID': {},
        'f:conditions': { 'k:{"type":"Ready"}': { 'f:lastTransitionTime': {}, 'f:status': {} } },
      },
    },
    subresource: 'status',
  },
];

const digits = (value: number, count: number): string => String(value % 10 ** count).padStart(count, '0');

const uuid = (at: number, family: string): string =>
  `${family.repeat(8)}-${digits(at, 4)}-4${digits(at * 31, 3)}-8${digits(at * 17, 3)}-${digits(at * 104_729, 12)}`;

const time = (at: number): string => new Date(Date.UTC(2026, 0, 1) + at * 1_000).toISOString().replace('.000Z', 'Z');
