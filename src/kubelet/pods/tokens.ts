/**
 * Tokens of a Pod's ServiceAccount, bound to the Pod: they end with it. The dispatch token of a runner, and one per
 * projected volume; renewed well before they expire, where the guest finds them.
 */
import { type Clock, parseTimestamp } from '../../base/clock.ts';
import { FleetError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import { DISPATCH_AUDIENCE } from '../../kinds/labels.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { TokenRequest } from '../../kube/types/authentication.ts';
import { SERVICE_ACCOUNTS } from '../../kube/types/core.ts';
import type { Pod } from '../../kube/types/pod.ts';
import type { GuestToken } from '../guest/guest-shares.ts';
import { uidOf } from './vm-name.ts';

/** As long as a warm VM waits and its job lasts. */
const DISPATCH_TOKEN_SECONDS = 28_800;
const VOLUME_TOKEN_SECONDS = 3_600;

export interface WantedToken {
  /** Relative to the env share. */
  readonly path: string;
  /** Undefined is the API server's own. */
  readonly audience?: string;
  readonly seconds: number;
}

/** Only a Pod that says so gets the dispatch token; silence means no, unlike upstream. */
export const tokensOf = ({ spec }: Pod): readonly WantedToken[] => [
  ...(spec.automountServiceAccountToken === true
    ? [{ path: 'sa_token', audience: DISPATCH_AUDIENCE, seconds: DISPATCH_TOKEN_SECONDS }]
    : []),
  ...(spec.volumes ?? [])
    .filter((volume) => isMounted(spec, volume.name))
    .flatMap((volume) =>
      (volume.projected?.sources ?? []).flatMap(({ serviceAccountToken }) => {
        if (serviceAccountToken === undefined) return [];
        const { audience, expirationSeconds = VOLUME_TOKEN_SECONDS, path } = serviceAccountToken;
        const token = { path: `tokens/${volume.name}/${path}`, seconds: expirationSeconds };
        return [audience === undefined ? token : { ...token, audience }];
      }),
    ),
];

/** How the volume is called that admission adds to every Pod, with the API's own token, its authority and the namespace. */
export const GIVEN_VOLUME = 'kube-api-access-';

/** That one is not for VMs: it is in no Pod's manifest. */
const isMounted = ({ containers }: Pod['spec'], volume: string): boolean =>
  !volume.startsWith(GIVEN_VOLUME) &&
  containers.some(({ volumeMounts = [] }) => volumeMounts.some(({ name }) => name === volume));

export interface MintedToken extends GuestToken {
  /** When the next one is due, by the life that this one got: an API server may give less than it is asked for. */
  readonly dueMs: number;
}

export interface MintDeps {
  readonly client: Pick<KubeClient, 'createSubresource'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export const mintTokens = (pod: Pod, deps: MintDeps): Promise<readonly MintedToken[]> =>
  Promise.all(tokensOf(pod).map((wanted) => mint(pod, wanted, deps)));

/** Renewed when four fifths of its life are over. */
const RENEW_AT = 0.8;

const mint = async (
  pod: Pod,
  { path, audience, seconds }: WantedToken,
  { client, clock, signal }: MintDeps,
): Promise<MintedToken> => {
  const { namespace = 'default', name } = pod.metadata;
  const account = pod.spec.serviceAccountName ?? 'default';
  const body: TokenRequest = {
    metadata: { name: account, namespace },
    spec: {
      audiences: audience === undefined ? [] : [audience],
      expirationSeconds: seconds,
      boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid: uidOf(pod) },
    },
  };
  const request = { subresource: 'token', body, signal };
  const { status } = await client.createSubresource(SERVICE_ACCOUNTS, { namespace, name: account }, request);
  const expiresMs = parseTimestamp(status?.expirationTimestamp);
  if (status === undefined || expiresMs === undefined) {
    const message = `mint sa token: the API answered without a token for ServiceAccount ${namespace}/${account}`;
    throw new FleetError('contract', { code: 'TokenMissing', message });
  }
  const nowMs = clock.now();
  return { path, token: new Secret(status.token), dueMs: nowMs + (expiresMs - nowMs) * RENEW_AT };
};

/** When the first of them is due; never when there are none. */
export const firstDueMs = (tokens: readonly Pick<MintedToken, 'dueMs'>[]): number =>
  Math.min(...tokens.map(({ dueMs }) => dueMs));
