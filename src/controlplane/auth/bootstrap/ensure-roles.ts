/**
 * The roles and bindings that every cluster has from the start. Missing ones are made when the server starts; what
 * somebody changed is left alone.
 */
import type { ApiRequest, ApiResponse } from '../../api/http.ts';
import { keyFor, type Store } from '../../store/store.ts';
import type { PolicyRule } from '../rbac/policy-rule.ts';
import { ADMIN, AUTHENTICATED_GROUP, MASTERS_GROUP, SERVICE_ACCOUNTS_GROUP, UNAUTHENTICATED_GROUP } from '../user.ts';
import { type BindingSpec, type RoleSpec, urlRule } from './role.ts';
import { CONTROLLERS_USER, ROLES_FOR_CONTROLLERS } from './roles-for-controllers.ts';
import { ROLES_FOR_NODES } from './roles-for-nodes.ts';
import { ROLES_FOR_PEOPLE } from './roles-for-people.ts';

const GROUP = 'rbac.authorization.k8s.io';
const COMMON = {
  labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
  annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
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

export const BOOTSTRAP_ROLES: readonly RoleSpec[] = [
  ...ROLES_FOR_PEOPLE,
  ...ROLES_FOR_NODES,
  ...ROLES_FOR_CONTROLLERS,
  ISSUER_DISCOVERY,
];

/** Each binds the role of its own name, except where `role` says another. */
export const BOOTSTRAP_BINDINGS: readonly (BindingSpec & { readonly role?: string })[] = [
  { name: 'cluster-admin', groups: [MASTERS_GROUP] },
  { name: 'system:monitoring', groups: ['system:monitoring'] },
  { name: 'system:discovery', groups: [AUTHENTICATED_GROUP] },
  { name: 'system:basic-user', groups: [AUTHENTICATED_GROUP] },
  { name: 'system:public-info-viewer', groups: [AUTHENTICATED_GROUP, UNAUTHENTICATED_GROUP] },
  { name: 'system:kube-controller-manager', users: [CONTROLLERS_USER] },
  { name: 'system:node' },
  { name: 'system:service-account-issuer-discovery', groups: [SERVICE_ACCOUNTS_GROUP] },
  { name: 'capi-manager-rolebinding', role: 'capi-manager-role', users: [CONTROLLERS_USER] },
];

type Handle = (request: ApiRequest) => ApiResponse;

export const ensureBootstrapRoles = (store: Store, handle: Handle): void => {
  const ensure = (plural: string, name: string, body: object): void => {
    if (store.get(`${GROUP}/${plural}`, keyFor(undefined, name)) !== undefined) return;
    const path = `/apis/${GROUP}/v1/${plural}`;
    handle({ method: 'POST', path, headers: {}, body: JSON.stringify(body), user: ADMIN });
  };
  for (const role of BOOTSTRAP_ROLES) ensure('clusterroles', role.name, renderRole(role));
  for (const binding of BOOTSTRAP_BINDINGS) {
    ensure('clusterrolebindings', binding.name, renderBinding(binding, binding.role ?? binding.name));
  }
};

export const renderRole = ({ name, labels, rules, gathers }: RoleSpec): object => ({
  apiVersion: `${GROUP}/v1`,
  kind: 'ClusterRole',
  metadata: { ...COMMON, name, labels: { ...COMMON.labels, ...labels } },
  ...(gathers !== undefined && {
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [gathers]: 'true' } }] },
  }),
  rules: rules.map(renderRule),
});

const renderRule = (rule: PolicyRule): object =>
  Object.fromEntries(Object.entries(rule).filter(([, list]) => list.length > 0));

const subject = (kind: string, name: string): object => ({ apiGroup: GROUP, kind, name });

export const renderBinding = ({ name, users = [], groups = [] }: BindingSpec, roleName: string): object => ({
  apiVersion: `${GROUP}/v1`,
  kind: 'ClusterRoleBinding',
  metadata: { ...COMMON, name },
  roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: roleName },
  subjects: [...users.map((user) => subject('User', user)), ...groups.map((group) => subject('Group', group))],
});
