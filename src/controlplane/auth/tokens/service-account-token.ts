/**
 * What a ServiceAccount's token says, and whether it still holds: it is good until it expires, and no longer than the
 * ServiceAccount and the object it is bound to live, known by their uids.
 */
import { parseTimestamp } from '../../../base/clock.ts';
import { type Fields, fieldsOf, type StoredObject } from '../../store/object.ts';
import { keyFor, type Store } from '../../store/store.ts';
import { serviceAccountGroups, serviceAccountUserName, type User } from '../user.ts';
import type { Claims } from './jwt.ts';

/** Kubernetes tolerates clocks that differ, and what was deleted just now. */
const LEEWAY_MS = 60_000;

export interface Bound {
  readonly kind: 'Pod' | 'Secret' | 'Node';
  readonly object: StoredObject;
  /** Of a Pod: where it runs. The uid is missing when there is no such Node. */
  readonly node?: { readonly name: string; readonly uid?: string };
}

export interface TokenFacts {
  readonly issuer: string;
  readonly id: string;
  readonly audiences: readonly string[];
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
  readonly account: StoredObject;
  readonly bound: Bound | undefined;
}

const seconds = (atMs: number): number => Math.floor(atMs / 1_000);
const refTo = ({ metadata: { name, uid } }: StoredObject): Fields => ({ name, uid });

export const renderClaims = ({ account, bound, ...facts }: TokenFacts): Claims => {
  const { name, namespace = '' } = account.metadata;
  return {
    aud: facts.audiences,
    exp: seconds(facts.expiresAtMs),
    iat: seconds(facts.issuedAtMs),
    iss: facts.issuer,
    jti: facts.id,
    'kubernetes.io': {
      namespace,
      ...(bound?.node !== undefined && { node: bound.node }),
      ...(bound !== undefined && { [bound.kind.toLowerCase()]: refTo(bound.object) }),
      serviceaccount: refTo(account),
    },
    nbf: seconds(facts.issuedAtMs),
    sub: serviceAccountUserName({ namespace, name }),
  };
};

export type TokenVerdict = { readonly is: 'good'; readonly user: User } | { readonly is: 'bad'; readonly why: string };

const bad = (why: string): TokenVerdict => ({ is: 'bad', why });

/** Whether claims whose signature is good hold at this time, and whom they speak for. */
export const judgeClaims = (claims: Claims, { store, nowMs }: { store: Store; nowMs: number }): TokenVerdict => {
  const said = fieldsOf(claims['kubernetes.io']);
  const namespace = String(said['namespace'] ?? '');
  const account = fieldsOf(said['serviceaccount']);
  const name = String(account['name'] ?? '');
  const userName = serviceAccountUserName({ namespace, name });
  if (claims['sub'] !== userName) return bad('sub claim does not match the service account');
  const stale = staleness(claims, nowMs);
  if (stale !== undefined) return bad(stale);
  const lookedUp: readonly Lookup[] = [
    { collection: '/serviceaccounts', namespace, ref: account },
    { collection: '/secrets', namespace, ref: said['secret'] },
    { collection: '/pods', namespace, ref: said['pod'] },
    // A Pod's token names the Node as well, but lives and dies with the Pod.
    { collection: '/nodes', namespace: undefined, ref: said['pod'] === undefined ? said['node'] : undefined },
  ];
  const gone = lookedUp.find((lookup) => !isThere(store, lookup, nowMs));
  if (gone !== undefined) return bad('service account token has been invalidated');
  const groups = serviceAccountGroups(namespace);
  return { is: 'good', user: { name: userName, uid: String(account['uid']), groups, extra: extraOf(claims, said) } };
};

const staleness = (claims: Claims, nowMs: number): string | undefined => {
  const { exp, nbf, iat } = claims;
  if (typeof exp !== 'number' || nowMs - LEEWAY_MS > exp * 1_000) return 'service account token has expired';
  if (typeof nbf === 'number' && nowMs + LEEWAY_MS < nbf * 1_000) return 'service account token is not valid yet';
  if (typeof iat === 'number' && nowMs + LEEWAY_MS < iat * 1_000)
    return 'service account token is issued in the future';
  return undefined;
};

interface Lookup {
  readonly collection: string;
  readonly namespace: string | undefined;
  /** Undefined: the token says nothing about such an object. */
  readonly ref: unknown;
}

const isThere = (store: Store, { collection, namespace, ref }: Lookup, nowMs: number): boolean => {
  if (ref === undefined) return true;
  const { name, uid } = fieldsOf(ref);
  const found = store.get(collection, keyFor(namespace, String(name)))?.object.metadata;
  if (found === undefined || found.uid !== uid) return false;
  const deletedAtMs = parseTimestamp(found.deletionTimestamp);
  return deletedAtMs === undefined || deletedAtMs >= nowMs - LEEWAY_MS;
};

const extraOf = ({ jti }: Claims, said: Fields): NonNullable<User['extra']> => {
  const key = (name: string): string => `authentication.kubernetes.io/${name}`;
  const about = (word: 'pod' | 'node'): readonly (readonly [string, readonly string[]])[] => {
    const { name, uid } = fieldsOf(said[word]);
    return [
      ...(typeof name === 'string' ? [[key(`${word}-name`), [name]] as const] : []),
      ...(typeof uid === 'string' ? [[key(`${word}-uid`), [uid]] as const] : []),
    ];
  };
  const credential = typeof jti === 'string' ? [[key('credential-id'), [`JTI=${jti}`]] as const] : [];
  return Object.fromEntries([...credential, ...about('node'), ...about('pod')]);
};
