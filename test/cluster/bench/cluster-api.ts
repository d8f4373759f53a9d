/**
 * Starts Cluster API core with its webhooks. It speaks to the API as the ServiceAccount of its own manifest, by certificate,
 * so that its aggregated role is what allows it things, and not that it is a test.
 */
import { readFileSync } from 'node:fs';
import { neverAborted } from '../../../src/base/abort.ts';
import { isKind } from '../../../src/base/errors.ts';
import type { KubeClient } from '../../../src/kube/client/client.ts';
import { CLUSTER_API_LABELS } from '../../../src/kube/types/cluster-api.ts';
import type { KubeObject } from '../../../src/kube/types/meta.ts';
import type { Resource } from '../../../src/kube/types/resource.ts';
import { onFreePort } from '../../../tools/processes/ports.ts';
import type { Cluster } from './cluster.ts';
import { renderCoreManifest } from './core-manifest.ts';
import { type Starting, writeKubeconfig } from './kubernetes.ts';
import { liftedLimits } from './kubernetes-flags.ts';
import { mustKubectl } from './must-kubectl.ts';
import { probe } from './probe.ts';

const NAMESPACE = 'capi-system';
const CORE_USER = {
  name: `system:serviceaccount:${NAMESPACE}:capi-manager`,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${NAMESPACE}`],
};
const LIFTED_REMOTE_LIMITS = ['--clustercache-client-qps=5000', '--clustercache-client-burst=5000'];
const AGGREGATED_ROLE = 'capi-aggregated-manager-role';
interface ClusterRole extends KubeObject {
  readonly rules?: readonly unknown[] | null;
}

interface HealthCheck extends KubeObject {
  readonly spec: unknown;
}

const CLUSTER_ROLES: Resource<ClusterRole> = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRole',
  plural: 'clusterroles',
  scope: 'Cluster',
};

/** In the version that is converted: an answer then comes through all three kinds of webhook. */
const OLD_HEALTH_CHECKS: Resource<HealthCheck> = {
  group: 'cluster.x-k8s.io',
  version: 'v1beta1',
  kind: 'MachineHealthCheck',
  plural: 'machinehealthchecks',
  scope: 'Namespaced',
};

export const startClusterApi = async (starting: Starting, cluster: Cluster, manifestPath: string): Promise<void> => {
  const yaml = readFileSync(manifestPath, 'utf8');
  await onFreePort(starting.choosePort, async (port) => {
    await starting.servers.stop('cluster-api-core');
    const { before, after } = renderCoreManifest(yaml, { port, caPem: starting.pki.caPem });
    await apply(cluster, before);
    await established(cluster);
    const client = await cluster.client();
    await untilRoleAggregated(starting, client);
    await startCore(starting, cluster.server, port);
    await apply(cluster, after);
    await untilWebhooksAnswer(starting, client);
  });
};

const apply = (cluster: Cluster, items: readonly object[]): Promise<void> => {
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  return mustKubectl(cluster, ['apply', '--server-side', '--force-conflicts', '-f', '-'], list);
};

const established = (cluster: Cluster): Promise<void> =>
  mustKubectl(cluster, ['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s']);

const untilRoleAggregated = ({ servers }: Starting, client: KubeClient): Promise<void> =>
  servers.until(`the rules of ${AGGREGATED_ROLE}`, async () => {
    const role = await client.get(CLUSTER_ROLES, { name: AGGREGATED_ROLE }, { signal: neverAborted() });
    return (role.rules ?? []).length > 0;
  });

const startCore = async (starting: Starting, server: string, webhookPort: number): Promise<void> => {
  const { pki, servers, program } = starting;
  const healthPort = await starting.choosePort();
  servers.start({
    name: 'cluster-api-core',
    path: program('cluster-api-core'),
    args: [
      `--kubeconfig=${writeKubeconfig(starting, server, CORE_USER)}`,
      '--leader-elect=false',
      `--webhook-cert-dir=${pki.path('webhook')}`,
      `--webhook-port=${webhookPort}`,
      `--health-addr=127.0.0.1:${healthPort}`,
      '--diagnostics-address=0',
      ...liftedLimits(starting.options),
      ...(starting.options.clientLimits === 'lifted' ? LIFTED_REMOTE_LIMITS : []),
      '--feature-gates=MachinePool=false,ClusterTopology=true,RuntimeSDK=true,InPlaceUpdates=true,MachineTaintPropagation=true',
    ],
    env: { POD_NAMESPACE: NAMESPACE, POD_NAME: 'capi-controller-manager-0', POD_UID: 'macfleet-bench' },
  });
  const waiting = 'Cluster API core to be ready';
  await servers.until(waiting, async () => (await probe(`http://127.0.0.1:${healthPort}/readyz`)) === 200);
};

/** The API server takes a moment to notice new webhook configurations, one after the other. */
const untilWebhooksAnswer = async ({ servers }: Starting, client: KubeClient): Promise<void> => {
  const check = (selected: string): HealthCheck => ({
    apiVersion: 'cluster.x-k8s.io/v1beta1',
    kind: 'MachineHealthCheck',
    metadata: { name: 'webhook-probe', namespace: 'default' },
    spec: { clusterName: 'probe', selector: { matchLabels: { [CLUSTER_API_LABELS.clusterName]: selected } } },
  });
  const dryRun = { dryRun: 'All', signal: neverAborted() } as const;
  await servers.until('the mutating webhooks to answer', async () => {
    const { metadata } = await client.create(OLD_HEALTH_CHECKS, check('probe'), dryRun);
    return metadata.labels?.[CLUSTER_API_LABELS.clusterName] === 'probe';
  });
  await servers.until('the validating webhooks to answer', () =>
    client.create(OLD_HEALTH_CHECKS, check('another'), dryRun).then(
      () => false,
      (error: unknown) => {
        if (isKind(error, 'invalid', 'denied')) return true;
        throw error;
      },
    ),
  );
};
