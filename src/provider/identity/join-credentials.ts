/** What the bootstrap puts on a Mac so that it can join: a kubeconfig with a token of its own. */
import type { Clock } from '../../base/clock.ts';
import { isKind } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import { Secret } from '../../base/secret.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { ifThere, readIfThere } from '../../kube/client/if-there.ts';
import { renderKubeconfig } from '../../kube/client/login/render-kubeconfig.ts';
import { SECRETS } from '../../kube/types/core.ts';
import type { JoinCredentials } from '../host/ports.ts';
import {
  bearerOf,
  drawToken,
  type JoinToken,
  parseToken,
  renderToken,
  TOKEN_LIFE_MS,
  TOKEN_NAMESPACE,
  tokenIdFor,
  tokenNameOf,
} from './join-token.ts';
import { CERTIFICATE_LIFE_MS } from './judge-request.ts';

export interface JoinDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  /** The cluster as Macs reach it, which need not be how this process does. */
  readonly cluster: { readonly server: string; readonly authority: string };
}

export const createJoinCredentials = ({ client, clock, random, cluster }: JoinDeps): JoinCredentials => {
  const create = async (token: JoinToken, signal: AbortSignal): Promise<void> => {
    await client.create(SECRETS, renderToken(token), { signal });
  };
  const withdraw: JoinCredentials['withdraw'] = async (joiner, signal) => {
    const key = { namespace: TOKEN_NAMESPACE, name: tokenNameOf(tokenIdFor(joiner)) };
    const found = await readIfThere(SECRETS, key, { kube: client, signal });
    // The id is short: by chance it may be that of another Mac.
    if (found === undefined || parseToken(found)?.host !== joiner.host) return;
    await ifThere(client.delete(SECRETS, key, { signal }));
  };
  return {
    lifeMs: TOKEN_LIFE_MS + CERTIFICATE_LIFE_MS,
    withdraw,
    issue: async (joiner, signal) => {
      const token = drawToken(random, joiner, clock.now());
      await create(token, signal).catch(async (error: unknown) => {
        // One of the same operation, whose answer was lost or whose work was begun again.
        if (!isKind(error, 'exists')) throw error;
        await withdraw(joiner, signal);
        await create(token, signal);
      });
      return new Secret(renderKubeconfig({ ...cluster, name: 'macfleet', client: { token: bearerOf(token) } }));
    },
  };
};
