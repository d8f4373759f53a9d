/**
 * The roles and bindings that every cluster has from the start. What is missing of them is made when the server starts, as
 * Kubernetes does it: rules and subjects that somebody added stay, and who takes the mark off a role keeps it as it is.
 */
import { isEqualJson } from '../../../base/json.ts';
import type { ApiRequest, ApiResponse } from '../../api/http.ts';
import { fieldsOf, type StoredObject } from '../../store/object.ts';
import { keyFor, type Store } from '../../store/store.ts';
import type { PolicyRule } from '../rbac/policy-rule.ts';
import { ADMIN, AUTHENTICATED_GROUP, MASTERS_GROUP, SERVICE_ACCOUNTS_GROUP, UNAUTHENTICATED_GROUP } from '../user.ts';
import { type BindingSpec, type RoleSpec, urlRule } from './role.ts';
import { BINDINGS_FOR_CONTROLLERS, ROLES_FOR_CONTROLLERS } from './roles-for-controllers.ts';
import { ROLES_FOR_NODES } from './roles-for-nodes.ts';
import { ROLES_FOR_PEOPLE } from './roles-for-people.ts';

const GROUP = 'rbac.authorization.k8s.io';
const AUTOUPDATE = 'rbac.authorization.kubernetes.io/autoupdate';
const COMMON = {
  labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
  annotations: { [AUTOUPDATE]: 'true' },
} as const;

const ISSUER_DISCOVERY: RoleSpec = {
  name: 'system:service-account-issuer-discovery',
  rules: [
    urlRule(
      'get',
      '/.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/',
    ),
  ],
};

const BOOTSTRAP_ROLES: readonly RoleSpec[] = [
  ...ROLES_FOR_PEOPLE,
  ...ROLES_FOR_NODES,
  ...ROLES_FOR_CONTROLLERS,
  ISSUER_DISCOVERY,
];

const BOOTSTRAP_BINDINGS: readonly BindingSpec[] = [
  { name: 'cluster-admin', groups: [MASTERS_GROUP] },
  { name: 'system:monitoring', groups: ['system:monitoring'] },
  { name: 'system:discovery', groups: [AUTHENTICATED_GROUP] },
  { name: 'system:basic-user', groups: [AUTHENTICATED_GROUP] },
  { name: 'system:public-info-viewer', groups: [AUTHENTICATED_GROUP, UNAUTHENTICATED_GROUP] },
  { name: 'system:node' },
  { name: 'system:service-account-issuer-discovery', groups: [SERVICE_ACCOUNTS_GROUP] },
  ...BINDINGS_FOR_CONTROLLERS,
];

type Handle = (request: ApiRequest) => ApiResponse;

export const ensureBootstrapRoles = (store: Store, handle: Handle): void => {
  for (const { collection, path, object } of renderBootstrap()) {
    const { namespace, name } = object.metadata;
    const held = store.get(collection, keyFor(namespace, name))?.object;
    const missing = held === undefined ? undefined : planCompletion(held, object);
    if (held === undefined) handle({ method: 'POST', path, headers: {}, body: JSON.stringify(object), user: ADMIN });
    if (missing === undefined) continue;
    const headers = { 'content-type': 'application/merge-patch+json' };
    handle({ method: 'PATCH', path: `${path}/${name}`, headers, body: JSON.stringify(missing), user: ADMIN });
  }
};

interface Rendered {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  };
  readonly rules?: readonly object[];
  readonly subjects?: readonly object[];
  readonly roleRef?: object;
}

interface Placed {
  /** In the store. */
  readonly collection: string;
  readonly path: string;
  readonly object: Rendered;
}

/** Everything, where it belongs. */
export const renderBootstrap = (): readonly Placed[] => [
  ...BOOTSTRAP_ROLES.map((role) => place(role.namespace === undefined ? 'clusterroles' : 'roles', renderRole(role))),
  ...BOOTSTRAP_BINDINGS.map((binding) =>
    place(binding.namespace === undefined ? 'clusterrolebindings' : 'rolebindings', renderBinding(binding)),
  ),
];

const place = (plural: string, object: Rendered): Placed => {
  const { namespace } = object.metadata;
  const within = namespace === undefined ? '' : `namespaces/${namespace}/`;
  return { collection: `${GROUP}/${plural}`, path: `/apis/${GROUP}/v1/${within}${plural}`, object };
};

/** What an older version did not give yet is added; what somebody added stays. Undefined when nothing is missing. */
const planCompletion = (held: StoredObject, wanted: Rendered): object | undefined => {
  if (fieldsOf(held.metadata['annotations'])[AUTOUPDATE] !== 'true') return undefined;
  const field = wanted.rules === undefined ? 'subjects' : 'rules';
  const stored: unknown = held[field];
  const present: readonly unknown[] = Array.isArray(stored) ? stored : [];
  const missing = (wanted[field] ?? []).filter((one) => !present.some((other) => isEqualJson(one, other)));
  return missing.length === 0 ? undefined : { [field]: [...present, ...missing] };
};

const renderRole = ({ name, namespace, labels, rules, gathers }: RoleSpec): Rendered => ({
  ...{ apiVersion: `${GROUP}/v1`, kind: namespace === undefined ? 'ClusterRole' : 'Role' },
  metadata: { ...COMMON, name, ...inNamespace(namespace), labels: { ...COMMON.labels, ...labels } },
  ...(gathers !== undefined && {
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [gathers]: 'true' } }] },
  }),
  rules: rules.map(renderRule),
});

const inNamespace = (namespace: string | undefined): { readonly namespace?: string } =>
  namespace === undefined ? {} : { namespace };

const renderRule = (rule: PolicyRule): object =>
  Object.fromEntries(Object.entries(rule).filter(([, list]) => list.length > 0));

const subject = (kind: string, name: string): object => ({ apiGroup: GROUP, kind, name });

const renderBinding = (binding: BindingSpec): Rendered => {
  const { name, namespace, role = name, users = [], groups = [], accounts = [] } = binding;
  const isWide = namespace === undefined;
  return {
    ...{ apiVersion: `${GROUP}/v1`, kind: isWide ? 'ClusterRoleBinding' : 'RoleBinding' },
    metadata: { ...COMMON, name, ...inNamespace(namespace) },
    roleRef: { apiGroup: GROUP, kind: isWide ? 'ClusterRole' : 'Role', name: role },
    subjects: [
      ...users.map((user) => subject('User', user)),
      ...groups.map((group) => subject('Group', group)),
      ...accounts.map((account) => ({ kind: 'ServiceAccount', ...account })),
    ],
  };
};
