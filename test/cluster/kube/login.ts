/** Ways to be somebody: tokens, certificates, and the question who we are. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Secret } from '../../../src/base/secret.ts';
import type { KubeClient } from '../../../src/kube/client/client.ts';
import type { ClusterConfig, Login } from '../../../src/kube/client/login/select-context.ts';
import type { TokenRequest } from '../../../src/kube/types/authentication.ts';
import { SERVICE_ACCOUNTS } from '../../../src/kube/types/core.ts';
import type { KubeObject } from '../../../src/kube/types/meta.ts';
import type { Resource } from '../../../src/kube/types/resource.ts';
import type { Cluster } from '../bench/cluster.ts';
import type { Scene } from './scene.ts';

interface SelfReview extends KubeObject {
  readonly status?: { readonly userInfo?: { readonly username?: string } };
}

const SELF_REVIEWS: Resource<SelfReview> = {
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectReview',
  plural: 'selfsubjectreviews',
  scope: 'Cluster',
};

/** As the server sees it. */
export const whoAmI = async (client: KubeClient, signal: AbortSignal): Promise<string | undefined> => {
  const { status } = await client.create(SELF_REVIEWS, { metadata: { name: '' } }, { signal });
  return status?.userInfo?.username;
};

export const configFor = ({ server, caPem }: Cluster, login: Login): ClusterConfig => ({
  ...{ source: 'this test', server, verifyServer: 'yes', login },
  ca: { in: 'data', pem: new Secret(caPem) },
});

/** A token for a ServiceAccount, which is made when it is not there. With `boundTo` it lasts as long as that Secret. */
export const requestToken = async (
  { client, namespace, signal }: Scene,
  name: string,
  boundTo?: KubeObject,
): Promise<string> => {
  const key = { namespace, name };
  await client.create(SERVICE_ACCOUNTS, { metadata: key }, { signal }).catch(() => undefined);
  const { name: secret = '', uid = '' } = boundTo?.metadata ?? {};
  const boundObjectRef = { apiVersion: 'v1', kind: 'Secret', name: secret, uid };
  const body: TokenRequest = {
    metadata: { name },
    spec: { audiences: [], expirationSeconds: 600, ...(boundTo === undefined ? {} : { boundObjectRef }) },
  };
  const { status } = await client.createSubresource(SERVICE_ACCOUNTS, key, { subresource: 'token', body, signal });
  if (status === undefined) throw new Error('the server gave no token');
  return status.token;
};

/** For files of this test alone. */
export const makeDirectory = async ({ undo }: Scene): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'kube-login-'));
  undo(() => rm(directory, { recursive: true }));
  return directory;
};
