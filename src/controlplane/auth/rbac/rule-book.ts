/**
 * Who has which rules, read from the store's Roles and bindings and kept up to date change by change. A question then
 * looks only at the bindings that name the user or one of its groups.
 */
import { isRecord } from '../../../base/json.ts';
import { type Fields, fieldsOf, type StoredObject } from '../../store/object.ts';
import { type Change, keyFor, type Store } from '../../store/store.ts';
import { serviceAccountUserName, type User } from '../user.ts';
import { type PolicyRule, parseRules } from './policy-rule.ts';

const GROUP = 'rbac.authorization.k8s.io';
const ROLES = `${GROUP}/roles`;
const CLUSTER_ROLES = `${GROUP}/clusterroles`;
const ROLE_BINDINGS = `${GROUP}/rolebindings`;
const CLUSTER_ROLE_BINDINGS = `${GROUP}/clusterrolebindings`;

export interface RoleRef {
  readonly kind: string;
  readonly name: string;
}

/** The rules that one binding gives to one subject; undefined when its Role is not there. */
export interface Grant {
  readonly rules: readonly PolicyRule[] | undefined;
  readonly roleRef: RoleRef;
  /** `ClusterRoleBinding "cluster-admin" of ClusterRole "cluster-admin" to Group "system:masters"`. */
  describe(): string;
}

export interface RuleBook {
  /** Every grant to the user: cluster-wide ones first, then those of the namespace, if one is given. */
  grantsFor(user: User, namespace: string): Generator<Grant>;
  /** Undefined when there is no such Role. */
  rulesOf(roleRef: RoleRef, namespace: string): readonly PolicyRule[] | undefined;
}

interface Bound {
  readonly roleRef: RoleRef;
  /** Empty for a ClusterRoleBinding. */
  readonly namespace: string;
  readonly describe: () => string;
}

/** By subject, then by binding. */
type SubjectIndex = Map<string, Map<string, Bound>>;

export const createRuleBook = (store: Store): RuleBook => {
  const roles = new Map<string, readonly PolicyRule[]>();
  const bindings = new Map<string, SubjectIndex>();

  const followRoles = (collection: string): void => {
    const learn = ({ metadata, ...role }: StoredObject): void => {
      roles.set(keyFor(metadata.namespace, metadata.name), parseRules(role['rules']));
    };
    for (const { object } of store.list(collection)) learn(object);
    store.subscribe(collection, ({ type, entry }) => {
      if (type === 'DELETED') roles.delete(entry.key);
      else learn(entry.object);
    });
  };

  const followBindings = (collection: string): void => {
    const indexOf = ({ metadata: { namespace = '' } }: StoredObject): SubjectIndex => {
      const index: SubjectIndex = bindings.get(namespace) ?? new Map();
      bindings.set(namespace, index);
      return index;
    };
    for (const { object } of store.list(collection)) addBinding(indexOf(object), object);
    store.subscribe(collection, ({ type, entry, previous }: Change) => {
      if (previous !== undefined) removeBinding(indexOf(previous.object), previous.object);
      if (type !== 'DELETED') addBinding(indexOf(entry.object), entry.object);
    });
  };

  followRoles(CLUSTER_ROLES);
  followRoles(ROLES);
  followBindings(CLUSTER_ROLE_BINDINGS);
  followBindings(ROLE_BINDINGS);

  const rulesOf = ({ kind, name }: RoleRef, namespace: string): readonly PolicyRule[] | undefined => {
    if (kind === 'ClusterRole') return roles.get(keyFor(undefined, name));
    return kind === 'Role' && namespace !== '' ? roles.get(keyFor(namespace, name)) : undefined;
  };

  const grantsFor = function* (user: User, namespace: string): Generator<Grant> {
    const subjects = [`User ${user.name}`, ...user.groups.map((group) => `Group ${group}`)];
    for (const scope of namespace === '' ? [''] : ['', namespace]) {
      const index = bindings.get(scope);
      if (index === undefined) continue;
      for (const subject of subjects) {
        for (const { roleRef, describe, namespace: inNamespace } of index.get(subject)?.values() ?? []) {
          yield { roleRef, describe, rules: rulesOf(roleRef, inNamespace) };
        }
      }
    }
  };

  return { grantsFor, rulesOf };
};

const addBinding = (index: SubjectIndex, binding: StoredObject): void => {
  for (const { key, said } of subjectsOf(binding)) {
    const bound = index.get(key) ?? new Map<string, Bound>();
    index.set(key, bound);
    if (!bound.has(binding.metadata.name)) bound.set(binding.metadata.name, toBound(binding, said));
  }
};

const removeBinding = (index: SubjectIndex, binding: StoredObject): void => {
  for (const { key } of subjectsOf(binding)) {
    const bound = index.get(key);
    bound?.delete(binding.metadata.name);
    if (bound?.size === 0) index.delete(key);
  }
};

const toBound = (binding: StoredObject, subject: string): Bound => {
  const roleRef = parseRoleRef(binding['roleRef']);
  const { name, namespace = '' } = binding.metadata;
  const kind = namespace === '' ? 'ClusterRoleBinding' : 'RoleBinding';
  const shown = namespace === '' ? name : `${name}/${namespace}`;
  const describe = (): string => `${kind} "${shown}" of ${roleRef.kind} "${roleRef.name}" to ${subject}`;
  return { roleRef, namespace, describe };
};

export const parseRoleRef = (value: unknown): RoleRef => {
  const { kind, name } = fieldsOf(value);
  return { kind: String(kind), name: String(name) };
};

interface Subject {
  /** How grants are found: a ServiceAccount is the user that its tokens say. */
  readonly key: string;
  readonly said: string;
}

const subjectsOf = (binding: StoredObject): readonly Subject[] => {
  const { subjects } = binding;
  return Array.isArray(subjects) ? subjects.filter(isRecord).flatMap((one) => toSubject(one, binding)) : [];
};

const toSubject = (subject: Fields, { metadata }: StoredObject): readonly Subject[] => {
  const { kind, name } = subject;
  if (typeof name !== 'string') return [];
  if (kind === 'User' || kind === 'Group') return [{ key: `${kind} ${name}`, said: `${kind} "${name}"` }];
  const given = subject['namespace'];
  const namespace = typeof given === 'string' && given !== '' ? given : (metadata.namespace ?? '');
  if (kind !== 'ServiceAccount' || namespace === '') return [];
  return [
    { key: `User ${serviceAccountUserName({ namespace, name })}`, said: `ServiceAccount "${name}/${namespace}"` },
  ];
};
