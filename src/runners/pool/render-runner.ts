/** The objects of one runner: a ServiceAccount by which the dispatcher knows it, and its Pod (§3.3). Pure. */
import type { Random } from '../../base/random.ts';
import { goldenLabelOf, LABEL_VALUES, LABELS, MACOS_TAINT } from '../../kinds/labels.ts';
import { RUNNER_POOLS, type RunnerPool } from '../../kinds/runner-pool.ts';
import type { ServiceAccount } from '../../kube/types/core.ts';
import type { OwnerReference } from '../../kube/types/meta.ts';
import type { EnvVar, Pod } from '../../kube/types/pod.ts';
import { apiVersionOf } from '../../kube/types/resource.ts';
import { RUNNER_CONTAINER } from '../runner-pod.ts';

/** What guests are told beside what their pool says. */
export interface GuestSettings {
  readonly dispatchUrl: string;
  /** Given to guests where the cluster's names are to be resolved. */
  readonly clusterDns?: { readonly ip: string; readonly domain: string };
}

export interface RunnerSettings extends GuestSettings {
  /** Names of Nodes that are taken only where there are no others. */
  readonly avoid?: readonly string[];
}

/** A label holds the pool's name. */
export const POOL_NAME_MAX = 63;

const SUFFIX_BYTES = 4;

/** `<pool>-runner-<8 hex>`, as the Go original names them. */
export const nameRunner = (pool: string, random: Random): string =>
  `${pool}-runner-${Buffer.from(random.bytes(SUFFIX_BYTES)).toString('hex')}`;

export const renderAccount = (pool: RunnerPool, name: string): ServiceAccount => ({
  metadata: {
    ...ownedBy(pool, name),
    labels: {
      [LABELS.appName]: LABEL_VALUES.appRunner,
      [LABELS.component]: LABEL_VALUES.componentRunnerAccount,
      [LABELS.runnerPool]: pool.metadata.name,
    },
  },
  automountServiceAccountToken: false,
});

export const renderRunner = (pool: RunnerPool, name: string, settings: RunnerSettings): Pod => {
  const { spec } = pool;
  const amounts = { cpu: `${spec.podCPUMilli}m`, memory: `${spec.podMemoryMB}Mi` };
  const container = { name: RUNNER_CONTAINER, image: spec.image, env: envOf(pool, settings) };
  return {
    metadata: {
      ...ownedBy(pool, name),
      labels: {
        [LABELS.appName]: LABEL_VALUES.appRunner,
        [LABELS.component]: LABEL_VALUES.componentRunner,
        [LABELS.runner]: 'true',
        [LABELS.runnerPool]: pool.metadata.name,
      },
    },
    spec: {
      serviceAccountName: name,
      automountServiceAccountToken: true,
      restartPolicy: 'Never',
      containers: [{ ...container, resources: { requests: amounts, limits: amounts } }],
      nodeSelector: {
        'kubernetes.io/os': 'darwin',
        [LABELS.runtime]: LABEL_VALUES.runtimeTart,
        [LABELS.fleet]: spec.fleetSelector,
      },
      tolerations: [{ key: MACOS_TAINT.key, operator: 'Exists', effect: MACOS_TAINT.effect }],
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: preferencesOf(spec.image, settings.avoid ?? []),
        },
      },
    },
  };
};

const HOSTNAME_LABEL = 'kubernetes.io/hostname';

/** A Mac with a base of the image; a bad one gains nothing by its base, and loses against any other. */
const preferencesOf = (image: string, avoid: readonly string[]) => {
  const elsewhere = avoid.length === 0 ? [] : [{ key: HOSTNAME_LABEL, operator: 'NotIn', values: avoid }];
  const golden = { key: goldenLabelOf(image), operator: 'Exists' };
  return [[golden, ...elsewhere], elsewhere]
    .filter((matchExpressions) => matchExpressions.length > 0)
    .map((matchExpressions) => ({ weight: 100, preference: { matchExpressions } }));
};

const ownedBy = ({ metadata }: RunnerPool, name: string) => {
  const owner: OwnerReference = {
    apiVersion: apiVersionOf(RUNNER_POOLS),
    kind: RUNNER_POOLS.kind,
    name: metadata.name,
    uid: metadata.uid ?? '',
    // Not blockOwnerDeletion: a pool that is deleted in the foreground would have busy runners deleted at once.
    controller: true,
  };
  const { namespace } = metadata;
  return { name, ...(namespace === undefined ? {} : { namespace }), ownerReferences: [owner] };
};

const envOf = ({ metadata, spec }: RunnerPool, { dispatchUrl, clusterDns }: GuestSettings): readonly EnvVar[] => [
  { name: 'TUIST_RUNNER_DISPATCH_URL', value: dispatchUrl },
  { name: 'TUIST_RUNNER_POOL', value: metadata.name },
  { name: 'TUIST_RUNNER_POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
  { name: 'TUIST_RUNNER_POD_UID', valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } },
  ...(clusterDns === undefined
    ? []
    : [
        { name: 'TUIST_CLUSTER_DNS_IP', value: clusterDns.ip },
        { name: 'TUIST_CLUSTER_DOMAIN', value: clusterDns.domain },
      ]),
  { name: 'ACTIONS_RUNNER_PRINT_LOG_TO_STDOUT', value: '1' },
  ...(spec.idleTimeoutSeconds > 0
    ? [{ name: 'TUIST_RUNNER_IDLE_TIMEOUT_SECONDS', value: String(spec.idleTimeoutSeconds) }]
    : []),
];
