/**
 * Nobody grants what one does not have: a Role's rules, or those of the Role that a binding names, must be covered by the
 * writer's own, unless it has the verb `escalate` or `bind`.
 */
import { isEqualJson, isRecord } from '../../../base/json.ts';
import type { ResourceAttempt } from '../../auth/attempt.ts';
import { renderMissing, uncovered } from '../../auth/rbac/covers.ts';
import { type PolicyRule, parseRules } from '../../auth/rbac/policy-rule.ts';
import { parseRoleRef, type RuleBook } from '../../auth/rbac/rule-book.ts';
import { MASTERS_GROUP } from '../../auth/user.ts';
import { type Fields, fieldsOf } from '../../store/object.ts';
import type { Write } from '../gate.ts';
import { notFound } from '../refusal.ts';
import { type AdmissionDeps, type Admit, refusedWrite } from './plugin.ts';

const GROUP = 'rbac.authorization.k8s.io';

const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [], nonResourceURLs: [] },
  { verbs: ['*'], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: ['*'] },
];

export const createEscalationGuard =
  (book: RuleBook): Admit =>
  (write, deps) => {
    const { resource, operation, user, object } = write;
    if (resource.group !== GROUP || operation === 'DELETE' || object === undefined) return;
    if (user.groups.includes(MASTERS_GROUP) || isBookkeeping(write)) return;
    if (resource.kind.endsWith('Binding')) guardBinding({ write, object, book }, deps);
    else guardRole({ write, object, book }, deps);
  };

/** Taking finalizers and owners away must stay possible for the garbage collector. */
const isBookkeeping = ({ object, old }: Write): boolean => {
  if (old === undefined) return false;
  const rest = (from: Fields): unknown => {
    const { finalizers: _f, ownerReferences: _o, managedFields: _m, ...metadata } = fieldsOf(from['metadata']);
    return { ...from, metadata };
  };
  return isEqualJson(rest(object ?? {}), rest(old));
};

interface Scene {
  readonly write: Write;
  readonly object: Fields;
  readonly book: RuleBook;
}

const guardRole = ({ write, object, book }: Scene, { authorize }: AdmissionDeps): void => {
  const { user, namespace, resource, name } = write;
  const escalate = ask(write, { verb: 'escalate', resource: resource.plural, name, namespace });
  if (authorize(escalate).isAllowed) return;
  const owned = ownedRules(book, write);
  const missing = uncovered(owned, parseRules(object['rules']));
  if (missing.length > 0) throw refusedWrite(write, renderEscalation(user, missing));
  if (!hasAggregation(object) && !hasAggregation(write.old ?? {})) return;
  if (uncovered(owned, EVERYTHING).length === 0) return;
  throw refusedWrite(write, 'must have cluster-admin privileges to use the aggregationRule');
};

const hasAggregation = (role: Fields): boolean => {
  const selectors = fieldsOf(role['aggregationRule'])['clusterRoleSelectors'];
  return Array.isArray(selectors) && selectors.some(isRecord);
};

const guardBinding = ({ write, object, book }: Scene, { authorize }: AdmissionDeps): void => {
  const roleRef = parseRoleRef(object['roleRef']);
  const { namespace, user } = write;
  const resource = roleRef.kind === 'ClusterRole' ? 'clusterroles' : 'roles';
  if (authorize(ask(write, { verb: 'bind', resource, name: roleRef.name, namespace })).isAllowed) return;
  const rules = book.rulesOf(roleRef, namespace);
  if (rules === undefined) throw notFound(write.resource, roleRef.name);
  const missing = uncovered(ownedRules(book, write), rules);
  if (missing.length > 0) throw refusedWrite(write, renderEscalation(user, missing));
};

const ask = (
  { user }: Write,
  target: Pick<ResourceAttempt, 'verb' | 'resource' | 'name' | 'namespace'>,
): ResourceAttempt => ({ on: 'resource', user, group: GROUP, version: '*', subresource: '', fields: [], ...target });

const ownedRules = (book: RuleBook, { user, namespace }: Write): readonly PolicyRule[] =>
  [...book.grantsFor(user, namespace)].flatMap(({ rules = [] }) => rules);

const renderEscalation = ({ name, groups }: Write['user'], missing: readonly PolicyRule[]): string => {
  const said = groups.map((group) => JSON.stringify(group)).join(' ');
  return `user ${JSON.stringify(name)} (groups=[${said}]) is attempting to grant RBAC permissions not currently held:\n${renderMissing(missing)}`;
};
