/** Roles that people are given: cluster-admin, admin, edit and view, and what everybody may know about oneself. */
import { READ, type RoleSpec, rule, urlRule, WRITE } from './role.ts';

const aggregateTo = (role: string): string => `rbac.authorization.k8s.io/aggregate-to-${role}`;
const HEALTH_URLS = '/livez /readyz /healthz';
const VERSION_URLS = '/version /version/';

const APPS =
  'controllerrevisions statefulsets statefulsets/status statefulsets/scale daemonsets daemonsets/status deployments deployments/status deployments/scale replicasets replicasets/status replicasets/scale';

const VIEW_RULES = [
  rule(
    READ,
    'core',
    'pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status endpoints persistentvolumeclaims persistentvolumeclaims/status configmaps',
  ),
  rule(
    READ,
    'core',
    'limitranges resourcequotas bindings pods/status resourcequotas/status namespaces/status replicationcontrollers/status pods/log',
  ),
  rule(READ, 'core', 'namespaces'),
  rule(READ, 'core events.k8s.io', 'events'),
  rule(READ, 'discovery.k8s.io', 'endpointslices'),
  rule(READ, 'apps', APPS),
  rule(READ, 'autoscaling', 'horizontalpodautoscalers horizontalpodautoscalers/status'),
  rule(READ, 'batch', 'jobs cronjobs cronjobs/status jobs/status'),
  rule(READ, 'policy', 'poddisruptionbudgets poddisruptionbudgets/status'),
  rule(READ, 'networking.k8s.io', 'networkpolicies ingresses ingresses/status'),
];

const EDIT_RULES = [
  rule(READ, 'core', 'pods/attach pods/proxy pods/exec pods/portforward secrets services/proxy'),
  rule('impersonate', 'core', 'serviceaccounts'),
  rule(WRITE, 'core', 'pods pods/attach pods/proxy pods/exec pods/portforward'),
  rule('create', 'core', 'pods/eviction'),
  rule(
    WRITE,
    'core',
    'replicationcontrollers replicationcontrollers/scale serviceaccounts services services/proxy persistentvolumeclaims configmaps secrets',
  ),
  rule('create', 'core', 'serviceaccounts/token'),
  rule(WRITE, 'core events.k8s.io', 'events'),
  rule(
    WRITE,
    'apps',
    'statefulsets statefulsets/scale daemonsets deployments deployments/scale deployments/rollback replicasets replicasets/scale',
  ),
  rule(WRITE, 'autoscaling', 'horizontalpodautoscalers'),
  rule(WRITE, 'batch', 'jobs cronjobs'),
  rule(WRITE, 'policy', 'poddisruptionbudgets'),
  rule(WRITE, 'networking.k8s.io', 'networkpolicies ingresses'),
  rule(`${READ} ${WRITE}`, 'coordination.k8s.io', 'leases'),
];

const ADMIN_RULES = [
  rule('create', 'authorization.k8s.io', 'localsubjectaccessreviews'),
  rule(`${READ} ${WRITE}`, 'rbac.authorization.k8s.io', 'roles rolebindings'),
];

export const ROLES_FOR_PEOPLE: readonly RoleSpec[] = [
  { name: 'cluster-admin', rules: [rule('*', '*', '*'), urlRule('*', '*')] },
  {
    name: 'system:discovery',
    rules: [urlRule('get', `${HEALTH_URLS} ${VERSION_URLS} /openapi /openapi/* /api /api/* /apis /apis/*`)],
  },
  {
    name: 'system:monitoring',
    rules: [
      urlRule('get', `/metrics /metrics/slis ${HEALTH_URLS} /livez/* /readyz/* /healthz/*`),
      rule('get', 'core', 'nodes/metrics'),
    ],
  },
  {
    name: 'system:basic-user',
    rules: [
      rule('create', 'authorization.k8s.io', 'selfsubjectaccessreviews selfsubjectrulesreviews'),
      rule('create', 'authentication.k8s.io', 'selfsubjectreviews'),
    ],
  },
  { name: 'system:public-info-viewer', rules: [urlRule('get', `${HEALTH_URLS} ${VERSION_URLS}`)] },
  { name: 'system:aggregate-to-admin', rules: ADMIN_RULES, labels: { [aggregateTo('admin')]: 'true' } },
  { name: 'system:aggregate-to-edit', rules: EDIT_RULES, labels: { [aggregateTo('edit')]: 'true' } },
  { name: 'system:aggregate-to-view', rules: VIEW_RULES, labels: { [aggregateTo('view')]: 'true' } },
  { name: 'view', rules: VIEW_RULES, labels: { [aggregateTo('edit')]: 'true' }, gathers: aggregateTo('view') },
  {
    name: 'edit',
    rules: [...EDIT_RULES, ...VIEW_RULES],
    labels: { [aggregateTo('admin')]: 'true' },
    gathers: aggregateTo('edit'),
  },
  { name: 'admin', rules: [...ADMIN_RULES, ...EDIT_RULES, ...VIEW_RULES], gathers: aggregateTo('admin') },
];
