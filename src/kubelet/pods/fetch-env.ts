/** Reads what a Pod's environment refers to, live and never through a cache: a Node may see only what its Pods name. */
import { isKind } from '../../base/errors.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { CONFIG_MAPS, SECRETS } from '../../kube/types/core.ts';
import type { Container, Pod } from '../../kube/types/pod.ts';
import { type Reference, referencesOf, resolveEnv } from './resolve-env.ts';

type Values = Readonly<Record<string, string>>;

export interface FetchEnv {
  readonly client: Pick<KubeClient, 'get'>;
  readonly pod: Pod;
  readonly container: Container;
  readonly hostIp: string | undefined;
  readonly signal: AbortSignal;
}

export const fetchEnv = async ({
  client,
  pod,
  container,
  hostIp,
  signal,
}: FetchEnv): Promise<ReadonlyMap<string, string>> => {
  const references = referencesOf(container);
  const found = await Promise.all(references.map((reference) => readValues(client, pod, { reference, signal })));
  const lookUp = ({ kind, name }: Reference): Values | undefined =>
    found[references.findIndex((reference) => reference.kind === kind && reference.name === name)];
  return resolveEnv({ pod, container, lookUp, ...(hostIp !== undefined && { hostIp }) });
};

const readValues = async (
  client: Pick<KubeClient, 'get'>,
  { metadata }: Pod,
  { reference, signal }: { readonly reference: Reference; readonly signal: AbortSignal },
): Promise<Values | undefined> => {
  const key = { namespace: metadata.namespace ?? 'default', name: reference.name };
  try {
    if (reference.kind === 'ConfigMap') return (await client.get(CONFIG_MAPS, key, { signal })).data ?? {};
    const { data = {} } = await client.get(SECRETS, key, { signal });
    return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, decode(value)]));
  } catch (error) {
    // The Node authorizer refuses what is not there as it refuses what is not ours.
    if (isKind(error, 'not-found', 'denied')) return undefined;
    throw error;
  }
};

const decode = (base64: string): string => Buffer.from(base64, 'base64').toString('utf8');
