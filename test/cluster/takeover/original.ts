/** What the Go original leaves in a cluster and on a Mac when it stops: its Lease, a ready machine, and what it made for the machine's Mac. */
import { neverAborted } from '../../../src/base/abort.ts';
import { createSystemClock, sleep, toMicroTimestamp } from '../../../src/base/clock.ts';
import { LABEL_VALUES, LABELS } from '../../../src/kinds/labels.ts';
import { MAC_HOSTS } from '../../../src/kinds/mac-host.ts';
import { MACHINES } from '../../../src/kinds/machine.ts';
import { LEASE_NAMES } from '../../../src/kinds/names.ts';
import type { KubeClient } from '../../../src/kube/client/client.ts';
import { LEASES, type Lease } from '../../../src/kube/types/coordination.ts';
import { SECRETS } from '../../../src/kube/types/core.ts';
import type { BashMac, MacCommandLine } from '../../../src/sim/mac/bash/bash-mac.ts';
import type { Cluster } from '../bench/cluster.ts';
import { renderTokenKubeconfig } from '../cluster-api/node-access.ts';
import { eventually } from '../kube/scene.ts';

const signal = neverAborted();
const NOBODY = '';
const RENEW_EVERY_MS = 500;
/** Shorter than the original's, so that a test sees within seconds that renewals count. */
const LEASE_SECONDS = 2;

export interface OriginalLeader {
  /** How often it has renewed its Lease so far. Rejects when somebody took the Lease meanwhile. */
  renewals(): number;
  /** Ends as the original does when its Deployment is scaled down: the Lease is nobody's. */
  letGo(): Promise<void>;
}

/** The original's manager, as far as others see it: somebody who takes the Lease, be it new or let go, and renews it. */
export const leadAsOriginal = async (client: KubeClient, namespace: string): Promise<OriginalLeader> => {
  const clock = createSystemClock();
  const specNow = (holderIdentity: string) => {
    const now = toMicroTimestamp(clock.now());
    return { holderIdentity, leaseDurationSeconds: LEASE_SECONDS, acquireTime: now, renewTime: now };
  };
  let lease = await readLease(client, namespace);
  if (lease.spec?.holderIdentity !== NOBODY) throw new Error(`the Lease is ${lease.spec?.holderIdentity}'s`);
  const life = new AbortController();
  let renewals = 0;
  let trouble: unknown;
  const write = async (holder: string): Promise<void> => {
    lease = await client.update(LEASES, { ...lease, spec: specNow(holder) }, { signal });
  };
  const renew = async (): Promise<void> => {
    while (!life.signal.aborted) {
      await write('original-6f7c9_0b6d');
      renewals += 1;
      await sleep(clock, RENEW_EVERY_MS, life.signal).catch(() => undefined);
    }
  };
  const renewing = renew().catch((error: unknown) => {
    trouble = error;
  });
  return {
    renewals: () => {
      if (trouble !== undefined) throw trouble;
      return renewals;
    },
    letGo: async () => {
      life.abort();
      await renewing;
      await write(NOBODY);
    },
  };
};

export const readLease = (client: KubeClient, namespace: string): Promise<Lease> =>
  client.get(LEASES, { namespace, name: LEASE_NAMES.manager }, { signal });

/** Cluster API's older condition: without a reason while it is True. */
const yes = (type: string) => ({ type, status: 'True', lastTransitionTime: '2026-08-20T08:00:00Z' });

export const ORIGINAL_CONDITIONS = [yes('Provisioned'), yes('Bootstrapped')];

/** A ready machine has the original's status and nothing of ours, and no Mac is on record. */
export const forgetOurs = async (client: KubeClient, namespace: string): Promise<void> => {
  const status = {
    ...{ phase: 'Ready', ready: true, conditions: ORIGINAL_CONDITIONS, initialization: null },
    ...{ hostConfigHash: 'bb22', tartKubeletBinarySHA: 'cc33', bootstrapAttempts: 0 },
  };
  for (const { metadata } of (await client.list(MACHINES, { namespace, signal })).items) {
    const key = { namespace, name: metadata.name };
    await client.patch(MACHINES, key, { type: 'merge', body: { status } }, { subresource: 'status', signal });
  }
  for (const { metadata } of (await client.list(MAC_HOSTS, { signal })).items) {
    const body = { metadata: { finalizers: [] } };
    await client.delete(MAC_HOSTS, { name: metadata.name }, { signal });
    await client.patch(MAC_HOSTS, { name: metadata.name }, { type: 'merge', body }, { signal });
  }
};

/** The account of a Mac with what every Mac may, its token that never expires, and the Mac's password. */
export const renderOriginals = (namespace: string, machine: string, role = 'cluster-admin'): readonly object[] => {
  const labels = {
    ...{ [LABELS.managedBy]: LABEL_VALUES.managedByProvider, [LABELS.component]: LABEL_VALUES.componentAgent },
    [LABELS.machine]: machine,
  };
  const name = `tart-kubelet-${machine}`;
  const metadata = { namespace, name, labels };
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    {
      ...{ apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/service-account-token' },
      metadata: { ...metadata, name: `${name}-token`, annotations: { 'kubernetes.io/service-account.name': name } },
    },
    {
      ...{ apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name: `${machine}-bootstrap` } },
      stringData: { 'sudo-password': 'x', 'ssh-username': 'm1', 'host-fingerprint': '' },
    },
    {
      ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding', metadata: { name, labels } },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'ServiceAccount', namespace, name }],
    },
  ];
};

/** Set by the API server on the Secret of a token that never expires. */
const LAST_USED = 'kubernetes.io/legacy-token-last-used';
const USE_TOKEN =
  'cd /etc/tart-kubelet && cat >kubeconfig && rm identity.json && launchctl kickstart -k system/dev.tuist.tart-kubelet';
/** What our manager left there; fails if it left it elsewhere. */
const FORGET = 'test -e .macfleet/claim && rm -r .macfleet/claim .macfleet/epoch';

/** The Mac works under the token that the original made for it, and has nothing of ours that tells otherwise. */
export const workAsOriginal = async (
  {
    cluster,
    client,
    namespace,
  }: { readonly cluster: Cluster; readonly client: KubeClient; readonly namespace: string },
  machine: string,
  mac: BashMac,
): Promise<void> => {
  const read = () => client.get(SECRETS, { namespace, name: `tart-kubelet-${machine}-token` }, { signal });
  const token = await eventually('the account has its token', async () => (await read()).data?.['token']);
  const kubeconfig = renderTokenKubeconfig(cluster, Buffer.from(token, 'base64').toString());
  const onMac = async (command: MacCommandLine, stdin = ''): Promise<void> => {
    const { exitCode, stderr } = await mac.exec({ ...command, shell: 'bash' }, stdin);
    if (exitCode !== 0) throw new Error(`on the Mac, ${command.line}: ${stderr}`);
  };
  await onMac({ line: FORGET });
  await onMac({ line: USE_TOKEN, user: 'root' }, kubeconfig);
  await eventually('the Mac shows its token', async () => (await read()).metadata.labels?.[LAST_USED] !== undefined);
};
