/**
 * Acting as somebody else: the headers `Impersonate-User`, `-Group`, `-Uid` and `-Extra-…`. Each of them is a right of
 * its own, the verb `impersonate` on users, groups, serviceaccounts, uids or userextras.
 */
import { badRequest } from '../api/refusal.ts';
import type { ResourceAttempt } from './attempt.ts';
import { forbiddenAttempt } from './authorize.ts';
import type { Authorize } from './decision.ts';
import {
  ANONYMOUS,
  AUTHENTICATED_GROUP,
  parseServiceAccountUser,
  serviceAccountGroups,
  UNAUTHENTICATED_GROUP,
  type User,
} from './user.ts';

type Headers = Readonly<Record<string, string>>;

const EXTRA_PREFIX = 'impersonate-extra-';
const AUTHENTICATION_GROUP = 'authentication.k8s.io';

interface Wish {
  readonly user: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: readonly (readonly [key: string, value: string])[];
}

/** Who the request is served as: the user itself, or whom it may act as. Throws the refusal. */
export const impersonate = (user: User, headers: Headers, authorize: Authorize): User => {
  const wish = readWish(headers);
  if (wish === undefined) return user;
  for (const attempt of attemptsFor(user, wish)) {
    const { isAllowed, reason } = authorize(attempt);
    if (!isAllowed) throw forbiddenAttempt(attempt, reason);
  }
  return toUser(wish);
};

const readWish = (headers: Headers): Wish | undefined => {
  const names = Object.keys(headers).filter((name) => name.startsWith('impersonate-'));
  if (names.length === 0) return undefined;
  const { 'impersonate-user': user = '', 'impersonate-uid': uid = '' } = headers;
  const groups = valuesOf(headers['impersonate-group']);
  const extra = names
    .filter((name) => name.startsWith(EXTRA_PREFIX))
    .flatMap((name) =>
      valuesOf(headers[name]).map((value) => [unescapeKey(name.slice(EXTRA_PREFIX.length)), value] as const),
    );
  if (user !== '') return { user, uid, groups, extra };
  if (uid === '' && groups.length === 0 && extra.length === 0) return undefined;
  throw badRequest(`requested ${names.sort().join(', ')} without impersonating a user`);
};

/** HTTP joins a header that is repeated by commas. */
const valuesOf = (header: string | undefined): readonly string[] =>
  header === undefined ? [] : header.split(',').map((value) => value.trim());

const unescapeKey = (key: string): string => {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
};

const attemptsFor = (user: User, wish: Wish): readonly ResourceAttempt[] => {
  const ask = (target: Partial<ResourceAttempt>): ResourceAttempt => ({
    ...{ on: 'resource', user, verb: 'impersonate', group: '', version: '', resource: '', subresource: '' },
    ...{ namespace: '', name: '', fields: [] },
    ...target,
  });
  const account = parseServiceAccountUser(wish.user);
  return [
    account === undefined
      ? ask({ resource: 'users', name: wish.user })
      : ask({ resource: 'serviceaccounts', ...account }),
    ...wish.groups.map((name) => ask({ resource: 'groups', name })),
    ...wish.extra.map(([subresource, name]) =>
      ask({ group: AUTHENTICATION_GROUP, version: 'v1', resource: 'userextras', subresource, name }),
    ),
    ...(wish.uid === '' ? [] : [ask({ group: AUTHENTICATION_GROUP, version: 'v1', resource: 'uids', name: wish.uid })]),
  ];
};

const toUser = ({ user: name, uid, groups, extra }: Wish): User => {
  const account = parseServiceAccountUser(name);
  const given = groups.length === 0 && account !== undefined ? serviceAccountGroups(account.namespace) : groups;
  const extras: Record<string, readonly string[]> = {};
  for (const [key, value] of extra) extras[key] = [...(extras[key] ?? []), value];
  return {
    name,
    groups: withBasicGroup(name, given),
    ...(uid !== '' && { uid }),
    ...(extra.length > 0 && { extra: extras }),
  };
};

const withBasicGroup = (name: string, groups: readonly string[]): readonly string[] => {
  if (name === ANONYMOUS.name) {
    return groups.includes(UNAUTHENTICATED_GROUP) ? groups : [...groups, UNAUTHENTICATED_GROUP];
  }
  const isSaid = groups.includes(AUTHENTICATED_GROUP) || groups.includes(UNAUTHENTICATED_GROUP);
  return isSaid ? groups : [...groups, AUTHENTICATED_GROUP];
};
