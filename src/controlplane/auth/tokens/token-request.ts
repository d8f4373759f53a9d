/** POST serviceaccounts/<name>/token: a new token for a ServiceAccount, for an audience, a while, and a Pod or the like. */
import { type Clock, toTimestamp } from '../../../base/clock.ts';
import type { Ids } from '../../../base/ids.ts';
import { isRecord } from '../../../base/json.ts';
import { NODES, PODS, SECRETS, SERVICE_ACCOUNTS } from '../../../kube/types/core.ts';
import { badRequest, conflict, invalid, invalidValue, notFound } from '../../api/refusal.ts';
import { type Fields, fieldsOf, type StoredObject } from '../../store/object.ts';
import { keyFor, type Store } from '../../store/store.ts';
import { type Bound, renderClaims } from './service-account-token.ts';
import type { Tokens } from './tokens.ts';

export interface TokenRequestDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly tokens: Tokens;
}

export interface TokenWish {
  readonly namespace: string;
  readonly name: string;
  readonly body: Fields;
  /** Asked after the request was checked and before a token is made. */
  validate(request: Fields): void;
}

const KIND = { group: 'authentication.k8s.io', kind: 'TokenRequest' } as const;
const LIFE_SECONDS = 3_600;
const LIFE_SECONDS_MIN = 600;
const LIFE_SECONDS_MAX = 2 ** 32;

/** The TokenRequest with its token. Throws the refusal. */
export const requestToken = ({ store, clock, ids, tokens }: TokenRequestDeps, wish: TokenWish): Fields => {
  const { namespace, name, body } = wish;
  const account = store.get('/serviceaccounts', keyFor(namespace, name))?.object;
  if (account === undefined) throw notFound(SERVICE_ACCOUNTS, name);
  checkMetadata(wish, account);
  const spec = readSpec(fieldsOf(body['spec']), tokens.audiences);
  const nowMs = clock.now();
  const { uid } = account.metadata;
  const metadata = { name, namespace, uid, creationTimestamp: toTimestamp(nowMs) };
  const request = { kind: 'TokenRequest', apiVersion: `${KIND.group}/v1`, metadata, spec };
  wish.validate(request);
  const expiresAtMs = nowMs + spec.expirationSeconds * 1_000;
  const claims = renderClaims({
    ...{ issuer: tokens.issuer, id: ids.uuid(), audiences: spec.audiences, issuedAtMs: nowMs, expiresAtMs, account },
    bound: isRecord(spec.boundObjectRef) ? findBound(store, wish, spec.boundObjectRef) : undefined,
  });
  return { ...request, status: { token: tokens.sign(claims), expirationTimestamp: toTimestamp(expiresAtMs) } };
};

const checkMetadata = ({ namespace, name, body }: TokenWish, account: StoredObject): void => {
  const given = fieldsOf(body['metadata']);
  const differs = (field: string, value: string): boolean =>
    given[field] !== undefined && given[field] !== '' && given[field] !== value;
  for (const [field, value] of [['name', name] as const, ['namespace', namespace] as const]) {
    if (!differs(field, value)) continue;
    const why = `must match the service account ${field} if specified`;
    throw invalid(KIND, name, [invalidValue(`metadata.${field}`, given[field], why)]);
  }
  const { uid = '' } = account.metadata;
  if (!differs('uid', uid)) return;
  const why = `the UID in the token request (${String(given['uid'])}) does not match the UID of the service account (${uid})`;
  throw conflict({ ...SERVICE_ACCOUNTS, group: KIND.group, plural: KIND.kind }, name, why);
};

const readSpec = (spec: Fields, ownAudiences: readonly string[]) => {
  const { audiences, expirationSeconds = LIFE_SECONDS, boundObjectRef } = spec;
  const given = Array.isArray(audiences) ? audiences.map(String) : [];
  const problem = problemOf(expirationSeconds);
  if (problem !== undefined) {
    throw invalid(KIND, '', [invalidValue('spec.expirationSeconds', expirationSeconds, problem)]);
  }
  return {
    audiences: given.length === 0 ? ownAudiences : given,
    expirationSeconds: Number(expirationSeconds),
    ...(isRecord(boundObjectRef) && { boundObjectRef }),
  };
};

const problemOf = (lifeSeconds: unknown): string | undefined => {
  if (typeof lifeSeconds !== 'number' || !Number.isInteger(lifeSeconds)) return 'must be an integer';
  if (lifeSeconds < LIFE_SECONDS_MIN) return 'may not specify a duration less than 10 minutes';
  return lifeSeconds > LIFE_SECONDS_MAX ? 'may not specify a duration larger than 2^32 seconds' : undefined;
};

const BINDABLE = {
  Pod: { resource: PODS, collection: '/pods' },
  Secret: { resource: SECRETS, collection: '/secrets' },
  Node: { resource: NODES, collection: '/nodes' },
} as const;

const findBound = (store: Store, { namespace, name }: TokenWish, ref: Fields): Bound => {
  const kind = parseBindable(ref);
  const refName = String(ref['name'] ?? '');
  const { resource, collection } = BINDABLE[kind];
  const object = store.get(collection, keyFor(kind === 'Node' ? undefined : namespace, refName))?.object;
  if (object === undefined) throw notFound(resource, refName);
  const { serviceAccountName, nodeName } = fieldsOf(object['spec']);
  if (kind === 'Pod' && serviceAccountName !== name) {
    throw badRequest(
      `cannot bind token for serviceaccount "${name}" to pod running with different serviceaccount name.`,
    );
  }
  const { uid } = ref;
  if (uid !== undefined && uid !== '' && uid !== object.metadata.uid) {
    const why = `the UID in the bound object reference (${String(uid)}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict({ ...resource, plural: kind }, refName, why);
  }
  if (kind !== 'Pod' || typeof nodeName !== 'string' || nodeName === '') return { kind, object };
  const node = store.get('/nodes', keyFor(undefined, nodeName))?.object.metadata.uid;
  return { kind, object, node: { name: nodeName, ...(node !== undefined && { uid: node }) } };
};

const parseBindable = ({ apiVersion, kind }: Fields): keyof typeof BINDABLE => {
  if (apiVersion === 'v1' && (kind === 'Pod' || kind === 'Secret' || kind === 'Node')) return kind;
  throw badRequest(`cannot bind token to object of type ${String(apiVersion ?? '')}, Kind=${String(kind ?? '')}`);
};
