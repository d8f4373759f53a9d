/** Reads what a Pod's environment refers to, live and never through a cache: a Node may see only what its Pods name. */
import { FleetError, isKind, messageOf } from '../../base/errors.ts';
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
    if (isKind(error, 'not-found')) return undefined;
    throw isKind(error, 'denied') ? denied(reference, error) : error;
  }
};

/** The Node authorizer lets a Node read what its Pods name, be it there or not, once it has seen the Pod: later than we do, at times. */
const denied = ({ kind, name }: Reference, cause: unknown): FleetError =>
  new FleetError('denied', {
    code: 'EnvSourceDenied',
    message: `resolve env: this Node may not read ${kind} ${name}: ${messageOf(cause)}`,
    hint: 'The API server may not have seen yet that the Pod is here; the Pod starts once it may be read.',
    cause,
  });

const decode = (base64: string): string => Buffer.from(base64, 'base64').toString('utf8');
