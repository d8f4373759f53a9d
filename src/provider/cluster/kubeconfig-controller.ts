/** Keeps `<cluster>-kubeconfig` for every control plane of ours, with a token of the ServiceAccount that core may use. */
import { createHash } from 'node:crypto';
import { parseTimestamp } from '../../base/clock.ts';
import { Secret } from '../../base/secret.ts';
import { CONTROL_PLANES, type ScalewayAppleSiliconControlPlane } from '../../kinds/control-plane.ts';
import type { Cache } from '../../kube/cache/cache.ts';
import { readIfThere } from '../../kube/client/if-there.ts';
import { renderKubeconfig } from '../../kube/client/login/render-kubeconfig.ts';
import {
  type Controller,
  createController,
  type ReconcileContext,
  watchPrimary,
} from '../../kube/controller/controller.ts';
import type { Verdict } from '../../kube/queue/work-queue.ts';
import type { TokenRequest } from '../../kube/types/authentication.ts';
import type { ClusterApiCluster } from '../../kube/types/cluster-api.ts';
import { type Secret as KubeSecret, SECRETS, SERVICE_ACCOUNTS } from '../../kube/types/core.ts';
import { apiVersionOf } from '../../kube/types/resource.ts';
import { clusterNameOf, isPaused } from './pause.ts';
import { kubeconfigNameOf, planKubeconfig, renderKubeconfigSecret } from './plan-kubeconfig.ts';

/** How Cluster API core gets to the cluster that Macs are Nodes of. */
export interface RemoteAccess {
  /** As core reaches it. */
  readonly server: string;
  readonly authority: string;
  /** In whose name core comes; it has the rights of `macfleet-capi-remote`. */
  readonly account: { readonly namespace: string; readonly name: string };
  readonly tokenLifeMs: number;
}

export interface KubeconfigParts {
  readonly controlPlanes: Cache<ScalewayAppleSiliconControlPlane>;
  readonly clusters: Cache<ClusterApiCluster>;
  readonly remote: RemoteAccess;
}

export const createKubeconfigController = (parts: KubeconfigParts): Controller =>
  createController({
    name: `${CONTROL_PLANES.plural}.kubeconfig`,
    watches: [watchPrimary(parts.controlPlanes)],
    reconcile: (context) => keepKubeconfig(parts, context),
  });

/** However the Secret is changed by hand, it is right again after so long. */
const LOOK_EVERY_MS = 600_000;

const keepKubeconfig = async (parts: KubeconfigParts, context: ReconcileContext): Promise<Verdict> => {
  const { controlPlanes, clusters, remote } = parts;
  const controlPlane = controlPlanes.get(context.key);
  const clusterName = controlPlane === undefined ? undefined : clusterNameOf(controlPlane);
  if (controlPlane === undefined || clusterName === undefined) return { next: 'rest' };
  const isLeaving = controlPlane.metadata.deletionTimestamp !== undefined;
  if (isLeaving || isPaused(clusters, controlPlane)) return { next: 'rest' };
  const key = { namespace: controlPlane.metadata.namespace ?? '', name: kubeconfigNameOf(clusterName) };
  const secret = await readIfThere(SECRETS, key, context);
  const madeFor = fingerprintOf(remote);
  const plan = planKubeconfig({ nowMs: context.clock.now(), secret, madeFor, tokenLifeMs: remote.tokenLifeMs });
  // Nobody tells of a Secret: should it go, there is one of ours.
  if (plan.do === 'leave') return { next: 'again', afterMs: LOOK_EVERY_MS };
  if (plan.do === 'keep') return { next: 'again', afterMs: Math.min(plan.renewInMs, LOOK_EVERY_MS) };
  const { token, expiresAtMs } = await issueToken(remote, context);
  const kubeconfig = renderKubeconfig({ ...remote, name: clusterName, client: { token } });
  const owners = [ownerOf(controlPlane)];
  const made = renderKubeconfigSecret({ ...key, clusterName, owners, kubeconfig, madeFor, expiresAtMs });
  await write(secret, made, context);
  return { next: 'again', afterMs: LOOK_EVERY_MS };
};

const fingerprintOf = ({ server, authority, account }: RemoteAccess): string =>
  createHash('sha256')
    .update(JSON.stringify([server, authority, account]))
    .digest('hex')
    .slice(0, 32);

const ownerOf = ({ metadata }: ScalewayAppleSiliconControlPlane) => ({
  apiVersion: apiVersionOf(CONTROL_PLANES),
  kind: CONTROL_PLANES.kind,
  name: metadata.name,
  uid: metadata.uid ?? '',
});

const issueToken = async (
  { account, tokenLifeMs }: RemoteAccess,
  { kube, clock, signal }: ReconcileContext,
): Promise<{ readonly token: Secret<string>; readonly expiresAtMs: number }> => {
  const wish: TokenRequest = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: { name: account.name },
    // None: those of the API server itself.
    spec: { audiences: [], expirationSeconds: Math.round(tokenLifeMs / 1_000) },
  };
  const { status } = await kube.createSubresource(SERVICE_ACCOUNTS, account, {
    subresource: 'token',
    body: wish,
    signal,
  });
  const expiresAtMs = parseTimestamp(status?.expirationTimestamp) ?? clock.now() + tokenLifeMs;
  return { token: new Secret(status?.token ?? ''), expiresAtMs };
};

/** Only what was looked at is replaced: whoever else wrote there meanwhile is looked at again. */
const write = async (
  found: KubeSecret | undefined,
  made: KubeSecret,
  { kube, signal }: ReconcileContext,
): Promise<void> => {
  if (found === undefined) {
    await kube.create(SECRETS, made, { signal });
    return;
  }
  const { uid, resourceVersion, namespace = '', name } = found.metadata;
  const body = { metadata: { ...made.metadata, uid, resourceVersion }, data: made.data };
  await kube.patch(SECRETS, { namespace, name }, { type: 'merge', body }, { signal });
};
