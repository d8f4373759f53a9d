/** The volumes of a Pod as folders of this machine, filled with what the Node of the Pod may read: nobody else's rights are used. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { KubeClient } from '../../src/kube/client/client.ts';
import type { TokenRequest } from '../../src/kube/types/authentication.ts';
import { CONFIG_MAPS, SECRETS, SERVICE_ACCOUNTS } from '../../src/kube/types/core.ts';
import type { Pod } from '../../src/kube/types/pod.ts';

interface Named {
  readonly name?: string;
  readonly secretName?: string;
  readonly items?: readonly { readonly key: string; readonly path: string }[];
  readonly optional?: boolean;
}

interface Token {
  readonly audience?: string;
  readonly expirationSeconds?: number;
  readonly path: string;
}

interface Source {
  readonly secret?: Named;
  readonly configMap?: Named;
  readonly serviceAccountToken?: Token;
  readonly downwardAPI?: {
    readonly items?: readonly { readonly path: string; readonly fieldRef?: { readonly fieldPath: string } }[];
  };
}

interface Volume extends Source {
  readonly name: string;
  readonly emptyDir?: object;
  readonly projected?: { readonly sources?: readonly Source[] };
}

export interface VolumeMaker {
  /** The Node's. */
  readonly client: KubeClient;
  /** Of this Pod alone. */
  readonly dir: string;
  readonly signal: AbortSignal;
}

/** Writes them all; rejects when something that is not optional is missing. Who reads them is another user. */
export const writeVolumes = async (pod: Pod, maker: VolumeMaker): Promise<ReadonlyMap<string, string>> => {
  const volumes = (pod.spec.volumes ?? []) as readonly Volume[];
  const written = volumes.map(async (volume) => {
    const path = join(maker.dir, volume.name);
    mkdirSync(path, { recursive: true, mode: 0o777 });
    const sources = volume.projected?.sources ?? [volume];
    const files = (await Promise.all(sources.map((source) => filesOf(pod, source, maker)))).flat();
    for (const [name, content] of files) {
      mkdirSync(dirname(join(path, name)), { recursive: true });
      writeFileSync(join(path, name), content);
    }
    return [volume.name, path] as const;
  });
  return new Map(await Promise.all(written));
};

type Files = readonly (readonly [string, string | Uint8Array])[];

const filesOf = async (pod: Pod, source: Source, maker: VolumeMaker): Promise<Files> => {
  const { secret, configMap, serviceAccountToken: token, downwardAPI } = source;
  if (token !== undefined) return [[token.path, await mintToken(pod, token, maker)]];
  if (secret !== undefined) return chosen(secret, await readSecret(pod, secret, maker));
  if (configMap !== undefined) return chosen(configMap, await readConfigMap(pod, configMap, maker));
  return (downwardAPI?.items ?? []).map(({ path, fieldRef }) => [path, fieldOf(pod, fieldRef?.fieldPath ?? '')]);
};

const chosen = ({ items }: Named, files: Files): Files =>
  items?.flatMap(({ key, path }) => files.filter(([name]) => name === key).map(([, content]) => [path, content])) ??
  files;

const orNothing =
  ({ optional }: Named) =>
  (error: unknown): undefined => {
    if (optional !== true) throw error;
  };

const readSecret = async ({ metadata }: Pod, named: Named, { client, signal }: VolumeMaker): Promise<Files> => {
  const key = { namespace: metadata.namespace ?? '', name: named.secretName ?? named.name ?? '' };
  const found = await client.get(SECRETS, key, { signal }).catch(orNothing(named));
  return Object.entries(found?.data ?? {}).map(([name, value]) => [name, Buffer.from(value, 'base64')]);
};

const readConfigMap = async ({ metadata }: Pod, named: Named, { client, signal }: VolumeMaker): Promise<Files> => {
  const key = { namespace: metadata.namespace ?? '', name: named.name ?? '' };
  const found = await client.get(CONFIG_MAPS, key, { signal }).catch(orNothing(named));
  return Object.entries(found?.data ?? {});
};

const mintToken = async (
  { metadata, spec }: Pod,
  { audience, expirationSeconds = 3_600 }: Token,
  { client, signal }: VolumeMaker,
): Promise<string> => {
  const { namespace = '', name: pod, uid = '' } = metadata;
  const name = spec.serviceAccountName ?? 'default';
  const body: TokenRequest = {
    metadata: { name, namespace },
    spec: {
      ...{ audiences: audience === undefined ? [] : [audience], expirationSeconds },
      boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: pod, uid },
    },
  };
  const { status } = await client.createSubresource(
    SERVICE_ACCOUNTS,
    { namespace, name },
    { subresource: 'token', body, signal },
  );
  if (status === undefined) throw new Error(`no token was given for ${namespace}/${name}`);
  return status.token;
};

const fieldOf = ({ metadata }: Pod, path: string): string => {
  if (path === 'metadata.namespace') return metadata.namespace ?? '';
  if (path === 'metadata.name') return metadata.name;
  throw new Error(`no value is known for ${path}`);
};
