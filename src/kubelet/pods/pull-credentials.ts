/** Logins for registries, from the Secrets that a Pod names as its imagePullSecrets. */
import { isKind } from '../../base/errors.ts';
import { isRecord } from '../../base/json.ts';
import { Secret } from '../../base/secret.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { SECRETS } from '../../kube/types/core.ts';
import type { Pod } from '../../kube/types/pod.ts';
import type { RegistryCredentials } from '../images/image-port.ts';

export interface FetchCredentials {
  readonly client: Pick<KubeClient, 'get'>;
  readonly signal: AbortSignal;
}

/** A Secret that is missing or unreadable gives none, as a kubelet does it: the pull says what it lacked. */
export const fetchPullCredentials = async (
  { metadata, spec }: Pod,
  { client, signal }: FetchCredentials,
): Promise<readonly RegistryCredentials[]> => {
  const names = (spec.imagePullSecrets ?? []).flatMap(({ name }) => (name === undefined ? [] : [name]));
  const all = await Promise.all(
    names.map(async (name) => {
      try {
        const { data } = await client.get(SECRETS, { namespace: metadata.namespace ?? 'default', name }, { signal });
        return parseDockerConfig(data?.['.dockerconfigjson'] ?? data?.['.dockercfg'] ?? '');
      } catch (error) {
        if (isKind(error, 'not-found', 'denied')) return [];
        throw error;
      }
    }),
  );
  return all.flat();
};

/** `{"auths": {host: {auth | username, password}}}`, or the older form without `auths`; in base64. */
export const parseDockerConfig = (base64: string): readonly RegistryCredentials[] => {
  const value = parseJson(Buffer.from(base64, 'base64').toString('utf8'));
  if (!isRecord(value)) return [];
  const auths = isRecord(value['auths']) ? value['auths'] : value;
  return Object.entries(auths).flatMap(([address, login]) => {
    const found = isRecord(login) ? parseLogin(login) : undefined;
    return found === undefined ? [] : [{ host: hostOf(address), ...found }];
  });
};

const parseLogin = (
  login: Readonly<Record<string, unknown>>,
): Pick<RegistryCredentials, 'username' | 'password'> | undefined => {
  const { username, password, auth } = login;
  if (typeof username === 'string' && typeof password === 'string') return { username, password: new Secret(password) };
  if (typeof auth !== 'string') return undefined;
  const text = Buffer.from(auth, 'base64').toString('utf8');
  const at = text.indexOf(':');
  return at < 1 ? undefined : { username: text.slice(0, at), password: new Secret(text.slice(at + 1)) };
};

const hostOf = (address: string): string => address.replace(/^https?:\/\//, '').split('/')[0] ?? address;

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
