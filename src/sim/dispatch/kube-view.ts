/** The dispatcher's view of a real cluster, or of the embedded one: TokenReview, ServiceAccounts, Pods and RunnerPools. */
import { Secret } from '../../base/secret.ts';
import { LABELS } from '../../kinds/labels.ts';
import { RUNNER_POOLS } from '../../kinds/runner-pool.ts';
import { askWhose } from '../../kube/client/access-review.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { readIfThere } from '../../kube/client/if-there.ts';
import { PODS, SERVICE_ACCOUNTS } from '../../kube/types/core.ts';
import type { Pod } from '../../kube/types/pod.ts';
import type { ClusterView } from './cluster-view.ts';

const ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;
const POD_UID = 'authentication.kubernetes.io/pod-uid';

/** Nobody can evict it past a budget, and it is not about to end. */
export const isPodUp = ({ metadata, status }: Pod): boolean =>
  status?.phase === 'Running' && metadata.deletionTimestamp === undefined;

export const createKubeView = (kube: Pick<KubeClient, 'create' | 'get' | 'patch'>): ClusterView => ({
  review: async (token, audience, signal) => {
    const audiences = audience === undefined ? {} : { audiences: [audience] };
    const user = await askWhose(new Secret(token), { kube, signal, ...audiences });
    const [, namespace, name] = ACCOUNT.exec(user?.username ?? '') ?? [];
    if (namespace === undefined || name === undefined) return undefined;
    const podUid = user?.extra?.[POD_UID]?.[0];
    return { namespace, name, ...(podUid === undefined ? {} : { podUid }) };
  },
  poolOf: async (account, signal) =>
    (await readIfThere(SERVICE_ACCOUNTS, account, { kube, signal }))?.metadata.labels?.[LABELS.runnerPool],
  podOf: async (account, signal) => {
    const pod = await readIfThere(PODS, account, { kube, signal });
    if (pod?.metadata.uid === undefined) return undefined;
    const { uid, labels = {} } = pod.metadata;
    return { uid, labels, image: pod.spec.containers[0]?.image, isUp: isPodUp(pod) };
  },
  imageOf: async (pool, signal) => (await readIfThere(RUNNER_POOLS, pool, { kube, signal }))?.spec.image,
  label: async ({ uid, ...pod }, labels, signal) => {
    // A new Pod of the same name is another runner.
    const patch = { type: 'merge', body: { metadata: { uid, labels } } } as const;
    await kube.patch(PODS, pod, patch, { signal });
  },
});
