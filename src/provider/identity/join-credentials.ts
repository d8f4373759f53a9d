/** What the bootstrap puts on a Mac so that it can join: a kubeconfig with a token of its own. */
import type { Clock } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import { Secret } from '../../base/secret.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { renderKubeconfig } from '../../kube/client/login/render-kubeconfig.ts';
import { SECRETS } from '../../kube/types/core.ts';
import type { JoinCredentials } from '../host/ports.ts';
import { bearerOf, drawToken, renderToken, TOKEN_LIFE_MS } from './join-token.ts';
import { CERTIFICATE_LIFE_MS } from './judge-request.ts';

export interface JoinDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  /** The cluster as Macs reach it, which need not be how this process does. */
  readonly cluster: { readonly server: string; readonly authority: string };
}

export const createJoinCredentials = ({ client, clock, random, cluster }: JoinDeps): JoinCredentials => ({
  lifeMs: TOKEN_LIFE_MS + CERTIFICATE_LIFE_MS,
  issue: async (joiner, signal) => {
    const token = drawToken(random, joiner, clock.now());
    await client.create(SECRETS, renderToken(token), { signal });
    return new Secret(renderKubeconfig({ ...cluster, name: 'macfleet', client: { token: bearerOf(token) } }));
  },
});
