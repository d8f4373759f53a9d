/** Acting as somebody else: the headers `Impersonate-User`, `-Group`, `-Uid` and `-Extra-…`, each a right of its own. */
import type { ApiRequest } from '../api/http.ts';
import { badRequest } from '../api/refusal.ts';
import { parseAttempt } from './attempt.ts';
import type { Authorize } from './decision.ts';
import { authorizeImpersonation, type Wish } from './impersonation-modes.ts';
import {
  ANONYMOUS,
  AUTHENTICATED_GROUP,
  parseServiceAccountUser,
  serviceAccountGroups,
  UNAUTHENTICATED_GROUP,
  type User,
} from './user.ts';

type Request = Pick<ApiRequest, 'method' | 'path' | 'headers' | 'user'>;
type Headers = Readonly<Record<string, string>>;

const EXTRA_PREFIX = 'impersonate-extra-';

/** Who the request is served as: the user itself, or whom it may act as. Throws the refusal. */
export const impersonate = (request: Request, authorize: Authorize): User => {
  const wish = readWish(request.headers);
  if (wish === undefined) return request.user;
  return toUser(wish, authorizeImpersonation(wish, parseAttempt(request), authorize));
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
  throw badRequest(`requested ${names.sort().join(', ')} without impersonating a user name`);
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

/** `fixed` are the groups that the right came with. */
const toUser = ({ user: name, uid, groups, extra }: Wish, fixed: readonly string[] | undefined): User => {
  const account = parseServiceAccountUser(name);
  const usual = groups.length === 0 && account !== undefined ? serviceAccountGroups(account.namespace) : groups;
  const byKey = Map.groupBy(extra, ([key]) => key);
  const extras = Object.fromEntries([...byKey].map(([key, pairs]) => [key, pairs.map(([, value]) => value)]));
  return {
    name,
    groups: withBasicGroup(name, fixed ?? usual),
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
