/**
 * By which rights somebody may act as another. Kubernetes 1.36 knows constrained ones, each of two halves: whom one may act
 * as (`impersonate:user-info` on users of authentication.k8s.io) and what for (`impersonate-on:user-info:list` on the very
 * thing that is asked for). The older right, the verb `impersonate`, is good for everything. Any one of them is enough.
 */
import { subdomain } from '../api/kinds/checks/names.ts';
import type { ApiRefusal } from '../api/refusal.ts';
import type { Attempt, ResourceAttempt } from './attempt.ts';
import { forbiddenAttempt } from './authorize.ts';
import type { Authorize } from './decision.ts';
import { MASTERS_GROUP, NODE_USER_PREFIX, NODES_GROUP, parseServiceAccountUser, type User } from './user.ts';

/** Whom somebody wants to be. */
export interface Wish {
  readonly user: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: readonly (readonly [key: string, value: string])[];
}

type Constraint = 'associated-node' | 'arbitrary-node' | 'serviceaccount' | 'user-info';

const AUTHENTICATION = { group: 'authentication.k8s.io', version: 'v1' } as const;
const CORE = { group: '', version: 'v1' } as const;
const NODE_NAME = 'authentication.kubernetes.io/node-name';

/** The groups that come with the right to be that user, where it fixes them; throws the first refusal when no right suffices. */
export const authorizeImpersonation = (
  wish: Wish,
  attempt: Attempt,
  authorize: Authorize,
): readonly string[] | undefined => {
  let first: ApiRefusal | undefined;
  for (const constraint of constraintsFor(wish, attempt.user)) {
    const refusal =
      refusalOf(constrainedAttempts(wish, attempt, constraint), authorize) ?? forbiddenWish(wish, attempt);
    if (refusal === undefined) return constraint.endsWith('-node') ? [NODES_GROUP] : undefined;
    first ??= refusal;
  }
  const refusal = refusalOf(attemptsFor(wish, attempt.user, { verb: 'impersonate', named: CORE }), authorize);
  if (refusal === undefined) return undefined;
  throw first ?? refusal;
};

const refusalOf = (attempts: readonly Attempt[], authorize: Authorize): ApiRefusal | undefined => {
  for (const attempt of attempts) {
    const { isAllowed, reason } = authorize(attempt);
    if (!isAllowed) return forbiddenAttempt(attempt, reason);
  }
  return undefined;
};

const nodeNameOf = (user: string): string | undefined => {
  if (!user.startsWith(NODE_USER_PREFIX)) return undefined;
  const name = user.slice(NODE_USER_PREFIX.length);
  return subdomain(name).length === 0 ? name : undefined;
};

const constraintsFor = ({ user, uid, groups, extra }: Wish, requestor: User): readonly Constraint[] => {
  const isBare = uid === '' && groups.length === 0 && extra.length === 0;
  const node = nodeNameOf(user);
  if (node !== undefined) {
    if (!isBare) return [];
    return isOnNode(requestor, node) ? ['associated-node', 'arbitrary-node'] : ['arbitrary-node'];
  }
  if (parseServiceAccountUser(user) !== undefined) return isBare ? ['serviceaccount'] : [];
  return ['user-info'];
};

/** Whether it is the ServiceAccount of a Pod on that very Node. */
const isOnNode = ({ name, extra = {} }: User, node: string): boolean => {
  const [said, ...more] = extra[NODE_NAME] ?? [];
  return parseServiceAccountUser(name) !== undefined && said === node && more.length === 0;
};

const constrainedAttempts = (wish: Wish, attempt: Attempt, constraint: Constraint): readonly Attempt[] => {
  const onThis: Attempt = { ...attempt, verb: `impersonate-on:${constraint}:${attempt.verb}` };
  const whom = attemptsFor(wish, attempt.user, { verb: `impersonate:${constraint}`, named: AUTHENTICATION });
  return [onThis, ...whom.map((one) => (constraint === 'associated-node' ? { ...one, name: '*' } : one))];
};

/** What no constrained right covers. */
const forbiddenWish = ({ groups, extra }: Wish, { user }: Attempt): ApiRefusal | undefined => {
  const about = (resource: string, name: string): ResourceAttempt =>
    askFor(user, { verb: 'impersonate:user-info', ...AUTHENTICATION, resource, name });
  if (groups.includes(''))
    return forbiddenAttempt(about('groups', ''), 'impersonating the empty string group is not allowed');
  if (groups.includes(MASTERS_GROUP)) {
    const why = `impersonating the ${MASTERS_GROUP} group is not allowed`;
    return forbiddenAttempt(about('groups', MASTERS_GROUP), why);
  }
  const isEmpty = extra.some(([key, value]) => key === '' || value === '');
  const why = 'impersonating the empty string value in extra is not allowed';
  return isEmpty ? forbiddenAttempt(about('userextras', ''), why) : undefined;
};

interface Right {
  readonly verb: string;
  /** Where users, groups, nodes and serviceaccounts are, as far as this right is concerned. */
  readonly named: typeof AUTHENTICATION | typeof CORE;
}

const attemptsFor = (wish: Wish, user: User, { verb, named }: Right): readonly ResourceAttempt[] => {
  const ask = (target: Partial<ResourceAttempt>): ResourceAttempt => askFor(user, { verb, ...target });
  return [
    ask({ ...named, ...whomOf(wish.user, named) }),
    ...wish.groups.map((name) => ask({ ...named, resource: 'groups', name })),
    ...wish.extra.map(([subresource, name]) => ask({ ...AUTHENTICATION, resource: 'userextras', subresource, name })),
    ...(wish.uid === '' ? [] : [ask({ ...AUTHENTICATION, resource: 'uids', name: wish.uid })]),
  ];
};

const whomOf = (user: string, named: Right['named']): Partial<ResourceAttempt> => {
  const node = named === AUTHENTICATION ? nodeNameOf(user) : undefined;
  if (node !== undefined) return { resource: 'nodes', name: node };
  const account = parseServiceAccountUser(user);
  return account === undefined ? { resource: 'users', name: user } : { resource: 'serviceaccounts', ...account };
};

const askFor = (user: User, target: Partial<ResourceAttempt>): ResourceAttempt => ({
  ...{ on: 'resource', user, verb: '', group: '', version: '', resource: '', subresource: '' },
  ...{ namespace: '', name: '', fields: [] },
  ...target,
});
