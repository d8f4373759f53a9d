/** Who may do what: authentication, RBAC, impersonation, reviews, the Node authorizer and NodeRestriction, policies. */
import { chapter, NOBODY, type RequestStep } from '../case.ts';
import { absent, including, present } from '../match.ts';
import { clusterRole, clusterRoleBinding, pod, refused, role, roleBinding, secret } from '../objects.ts';
import { forbidden, grant, person, RBAC } from '../rights.ts';

const readPods = { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] };
const SAR = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
const review = (spec: object) => ({ apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec });
const may = (spec: object, status: object): RequestStep => ({
  ask: `POST ${SAR}`,
  send: review(spec),
  is: 'eventual',
  expect: { status: 201, body: { status } },
});
const bootstrap = (id: string, more: Readonly<Record<string, string>> = {}) => ({
  ...{
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: `bootstrap-token-${id}`, namespace: 'kube-system' },
    type: 'bootstrap.kubernetes.io/token',
  },
  stringData: { 'token-id': id, 'token-secret': '0123456789abcdef', 'usage-bootstrap-authentication': 'true', ...more },
});
const whoami = {
  ask: 'POST /apis/authentication.k8s.io/v1/selfsubjectreviews',
  send: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
};

export const ACCESS = [
  ...chapter('access', 'Authenticating', [
    {
      id: 'anonymous-is-refused',
      steps: [
        {
          ask: 'GET ~/pods',
          as: NOBODY,
          expect: forbidden(
            'pods is forbidden: User "system:anonymous" cannot list resource "pods" in API group "" in the namespace "anonymous-is-refused"',
          ),
        },
      ],
    },
    {
      id: 'bad-token',
      steps: [
        {
          ask: 'GET ~/pods',
          token: 'nonsense',
          expect: refused({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' }),
        },
      ],
    },
    {
      id: 'unsigned-token',
      steps: [
        {
          ask: 'GET ~/pods',
          token:
            'eyJhbGciOiJub25lIn0.eyJpc3MiOiJodHRwczovL2t1YmVybmV0ZXMuZGVmYXVsdC5zdmMiLCJzdWIiOiJzeXN0ZW06c2VydmljZWFjY291bnQ6YTpiIn0.',
          expect: { status: 401 },
        },
      ],
    },
    {
      id: 'certificate-says-who',
      steps: [
        {
          ...whoami,
          as: { name: 'ada', groups: ['devs', 'ops'] },
          expect: {
            status: 201,
            body: { status: { userInfo: { username: 'ada', groups: ['devs', 'ops', 'system:authenticated'] } } },
          },
        },
      ],
    },
    {
      id: 'bootstrap-token',
      steps: [
        {
          ask: 'POST /api/v1/namespaces/kube-system/secrets',
          send: bootstrap('aaaaaa', { 'auth-extra-groups': 'system:bootstrappers:mine' }),
          expect: { status: 201 },
        },
        {
          ...whoami,
          token: 'aaaaaa.0123456789abcdef',
          is: 'eventual',
          expect: {
            status: 201,
            body: {
              status: {
                userInfo: {
                  username: 'system:bootstrap:aaaaaa',
                  groups: including('system:bootstrappers', 'system:bootstrappers:mine', 'system:authenticated'),
                },
              },
            },
          },
        },
        { ...whoami, token: 'aaaaaa.0123456789abcdee', expect: { status: 401 } },
        { ask: 'DELETE /api/v1/namespaces/kube-system/secrets/bootstrap-token-aaaaaa', expect: { status: 200 } },
        { ...whoami, token: 'aaaaaa.0123456789abcdef', is: 'eventual', expect: { status: 401 } },
      ],
    },
    {
      id: 'bootstrap-token-expired',
      steps: [
        {
          ask: 'POST /api/v1/namespaces/kube-system/secrets',
          send: bootstrap('bbbbbb', { expiration: '2020-01-01T00:00:00Z' }),
          expect: { status: 201 },
        },
        { ...whoami, token: 'bbbbbb.0123456789abcdef', expect: { status: 401 } },
      ],
    },
    {
      id: 'bootstrap-token-other-usage',
      steps: [
        {
          ask: 'POST /api/v1/namespaces/kube-system/secrets',
          send: bootstrap('cccccc', { 'usage-bootstrap-authentication': 'false' }),
          expect: { status: 201 },
        },
        { ...whoami, token: 'cccccc.0123456789abcdef', expect: { status: 401 } },
      ],
    },
  ]),
  ...chapter('access', 'Using RBAC authorization', [
    {
      id: 'rbac-refuses-in-words',
      steps: [
        {
          ask: 'GET ~/pods/a',
          as: 'petra',
          expect: refused({
            code: 403,
            reason: 'Forbidden',
            message:
              'pods "a" is forbidden: User "petra" cannot get resource "pods" in API group "" in the namespace "rbac-refuses-in-words"',
            details: { name: 'a', kind: 'pods' },
          }),
        },
        {
          ask: 'GET /api/v1/nodes',
          as: 'petra',
          expect: forbidden(
            'nodes is forbidden: User "petra" cannot list resource "nodes" in API group "" at the cluster scope',
          ),
        },
        {
          ask: 'POST ~apps/v1/deployments',
          as: 'petra',
          send: {},
          expect: forbidden(
            'deployments.apps is forbidden: User "petra" cannot create resource "deployments" in API group "apps" in the namespace "rbac-refuses-in-words"',
          ),
        },
        {
          ask: 'PATCH ~/pods/a/status',
          as: 'petra',
          patch: 'merge',
          send: {},
          expect: forbidden(
            'pods "a" is forbidden: User "petra" cannot patch resource "pods/status" in API group "" in the namespace "rbac-refuses-in-words"',
          ),
        },
        { ask: 'GET /metrics', as: 'petra', expect: forbidden('forbidden: User "petra" cannot get path "/metrics"') },
        { ask: 'DELETE ~/pods', as: 'petra', expect: forbidden(/cannot deletecollection resource "pods"/) },
        { ask: 'GET ~/pods?watch=1', as: 'petra', expect: forbidden(/cannot watch resource "pods"/) },
      ],
    },
    {
      id: 'rbac-role-grants',
      given: [pod('a'), ...grant('rita', readPods)],
      steps: [
        { ask: 'GET ~/pods/a', as: 'rita', is: 'eventual', expect: { status: 200 } },
        { ask: 'GET ~/pods', as: 'rita', expect: { status: 200 } },
        { ask: 'DELETE ~/pods/a', as: 'rita', expect: { status: 403 } },
        { ask: 'GET /api/v1/namespaces/default/pods', as: 'rita', expect: { status: 403 } },
        { ask: 'GET /api/v1/pods', as: 'rita', expect: { status: 403 } },
        { ask: 'GET ~/pods/a/status', as: 'rita', expect: { status: 403 } },
      ],
    },
    {
      id: 'rbac-resource-names',
      given: [
        secret('s1'),
        secret('s2'),
        ...grant('nell', { apiGroups: [''], resources: ['secrets'], resourceNames: ['s1'], verbs: ['get', 'list'] }),
      ],
      steps: [
        { ask: 'GET ~/secrets/s1', as: 'nell', is: 'eventual', expect: { status: 200 } },
        { ask: 'GET ~/secrets/s2', as: 'nell', expect: { status: 403 } },
        { ask: 'GET ~/secrets', as: 'nell', expect: { status: 403 } },
        { ask: 'GET ~/secrets?fieldSelector=metadata.name%3Ds1', as: 'nell', expect: { status: 200 } },
      ],
    },
    {
      id: 'rbac-no-escalation',
      given: grant('eve', { apiGroups: [RBAC], resources: ['roles', 'rolebindings'], verbs: ['create', 'get'] }),
      steps: [
        {
          ask: `POST ~${RBAC}/v1/roles`,
          as: 'eve',
          is: 'eventual',
          send: role('more', { rules: [readPods] }),
          expect: forbidden(
            /^roles\.rbac\.authorization\.k8s\.io "more" is forbidden: user "eve" \(groups=\["system:authenticated"\]\) is attempting to grant RBAC permissions not currently held:\n\{APIGroups:\[""\], Resources:\["pods"\], Verbs:\["get" "list"\]\}$/,
          ),
        },
        {
          ask: `POST ~${RBAC}/v1/rolebindings`,
          as: 'eve',
          send: roleBinding('more', {
            roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'cluster-admin' },
            subjects: person('eve'),
          }),
          expect: forbidden(/is attempting to grant RBAC permissions not currently held/),
        },
        {
          ask: `POST ~${RBAC}/v1/roles`,
          as: 'eve',
          send: role('same', { rules: [{ apiGroups: [RBAC], resources: ['roles'], verbs: ['get'] }] }),
          expect: { status: 201 },
        },
      ],
    },
    {
      id: 'rbac-non-resource',
      given: [
        clusterRole('paths', { rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }] }),
        clusterRoleBinding('paths', {
          roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'paths' },
          subjects: person('mona'),
        }),
      ],
      steps: [
        { ask: 'GET /metrics', as: 'mona', is: 'eventual', expect: { status: 200 } },
        { ask: 'GET /logs', as: 'mona', expect: { status: 403 } },
      ],
    },
    {
      id: 'discovery-for-everybody-known',
      steps: [
        { ask: 'GET /apis', as: 'petra', expect: { status: 200 } },
        { ask: 'GET /openapi/v3', as: 'petra', expect: { status: 200 } },
      ],
    },
  ]),
  ...chapter('access', 'User impersonation', [
    {
      id: 'impersonate-as-admin',
      steps: [
        {
          ...whoami,
          headers: { 'Impersonate-User': 'petra', 'Impersonate-Group': 'devs' },
          expect: {
            status: 201,
            body: { status: { userInfo: { username: 'petra', groups: ['devs', 'system:authenticated'] } } },
          },
        },
      ],
    },
    {
      id: 'impersonate-acts-as',
      steps: [
        {
          ask: 'GET ~/pods',
          headers: { 'Impersonate-User': 'petra' },
          expect: forbidden(/^pods is forbidden: User "petra" cannot list resource "pods"/),
        },
      ],
    },
    {
      id: 'impersonate-refused',
      steps: [
        {
          ask: 'GET ~/pods',
          as: 'petra',
          headers: { 'Impersonate-User': 'admin' },
          expect: forbidden(
            'pods is forbidden: User "petra" cannot impersonate-on:user-info:list resource "pods" in API group "" in the namespace "impersonate-refused"',
          ),
        },
      ],
    },
    {
      id: 'impersonate-for-one-purpose',
      given: [
        ...grant('quentin', readPods),
        clusterRole('impersonate-for-one-purpose', {
          rules: [
            {
              apiGroups: ['authentication.k8s.io'],
              resources: ['users'],
              resourceNames: ['quentin'],
              verbs: ['impersonate:user-info'],
            },
            { apiGroups: [''], resources: ['pods'], verbs: ['impersonate-on:user-info:list'] },
          ],
        }),
        clusterRoleBinding('impersonate-for-one-purpose', {
          roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'impersonate-for-one-purpose' },
          subjects: person('pia'),
        }),
      ],
      steps: [
        {
          ...{ ask: 'GET ~/pods', as: 'pia', headers: { 'Impersonate-User': 'quentin' }, is: 'eventual' },
          expect: { status: 200 },
        },
        {
          ...{ ask: 'GET ~/pods/a', as: 'pia', headers: { 'Impersonate-User': 'quentin' } },
          expect: forbidden(/^pods "a" is forbidden: User "pia" cannot impersonate-on:user-info:get resource "pods"/),
        },
        {
          ...{ ask: 'GET ~/pods', as: 'pia', headers: { 'Impersonate-User': 'root' } },
          expect: forbidden(
            'users.authentication.k8s.io "root" is forbidden: User "pia" cannot impersonate:user-info resource "users" in API group "authentication.k8s.io" at the cluster scope',
          ),
        },
        {
          ...{ ask: 'GET ~/pods', as: 'pia' },
          headers: { 'Impersonate-User': 'quentin', 'Impersonate-Group': 'system:masters' },
          expect: { status: 403 },
        },
      ],
    },
    {
      id: 'impersonate-a-node',
      steps: [
        {
          ...whoami,
          headers: { 'Impersonate-User': 'system:node:n1' },
          expect: {
            status: 201,
            body: {
              status: { userInfo: { username: 'system:node:n1', groups: ['system:nodes', 'system:authenticated'] } },
            },
          },
        },
      ],
    },
    {
      id: 'impersonate-group-alone',
      steps: [
        {
          ask: 'GET ~/pods',
          headers: { 'Impersonate-Group': 'devs' },
          expect: { status: 400, body: { reason: 'BadRequest', message: /without impersonating a user name$/ } },
        },
      ],
    },
    {
      id: 'impersonate-service-account',
      steps: [
        {
          ...whoami,
          headers: { 'Impersonate-User': 'system:serviceaccount:<ns>:default' },
          expect: {
            status: 201,
            body: {
              status: { userInfo: { groups: including('system:serviceaccounts', 'system:serviceaccounts:<ns>') } },
            },
          },
        },
      ],
    },
  ]),
  ...chapter('access', 'Authorization: reviews', [
    {
      id: 'subject-review',
      given: grant('sara', readPods),
      steps: [
        may(
          { user: 'sara', resourceAttributes: { namespace: 'subject-review', verb: 'get', resource: 'pods' } },
          {
            allowed: true,
            reason: 'RBAC: allowed by RoleBinding "granted/subject-review" of Role "granted" to User "sara"',
          },
        ),
        may(
          { user: 'sara', resourceAttributes: { namespace: 'subject-review', verb: 'delete', resource: 'pods' } },
          { allowed: false },
        ),
        may(
          { user: 'x', groups: ['system:masters'], resourceAttributes: { verb: '*', resource: '*' } },
          { allowed: true },
        ),
        may({ user: 'x', nonResourceAttributes: { path: '/version', verb: 'get' } }, { allowed: false }),
      ],
    },
    {
      id: 'self-review',
      steps: [
        {
          ask: 'POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
          as: 'petra',
          send: {
            apiVersion: 'authorization.k8s.io/v1',
            kind: 'SelfSubjectAccessReview',
            spec: { resourceAttributes: { verb: 'list', resource: 'pods', namespace: 'default' } },
          },
          expect: { status: 201, body: { status: { allowed: false } } },
        },
        {
          ask: 'POST /apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
          as: 'petra',
          send: {
            apiVersion: 'authorization.k8s.io/v1',
            kind: 'SelfSubjectRulesReview',
            spec: { namespace: 'default' },
          },
          expect: {
            status: 201,
            body: {
              status: {
                incomplete: present,
                resourceRules: including({ verbs: ['create'], resources: including('selfsubjectaccessreviews') }),
                nonResourceRules: including({ verbs: ['get'] }),
              },
            },
          },
        },
      ],
    },
    {
      id: 'review-without-question',
      steps: [
        {
          ask: `POST ${SAR}`,
          send: review({ user: 'x' }),
          expect: {
            status: 422,
            body: { message: /exactly one of nonResourceAttributes or resourceAttributes must be specified/ },
          },
        },
      ],
    },
    {
      id: 'token-review',
      steps: [
        {
          ask: 'POST /apis/authentication.k8s.io/v1/tokenreviews',
          send: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: 'nonsense' } },
          expect: { status: 201, body: { status: { authenticated: absent, error: present } } },
        },
      ],
    },
  ]),
];
