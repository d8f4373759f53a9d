/**
 * For tests: requests in the cluster of access-world.ts and how they are answered. A real kube-apiserver 1.36 gave the same
 * status and, where one is written here, the same message.
 */
import { createSeededRandom } from '../../../base/random.ts';
import { createCsr } from '../../../pki/csr.ts';
import { createKeyPair } from '../../../pki/key.ts';
import type { WHO } from './access-cases.ts';

export interface AccessRequest {
  readonly story: string;
  readonly who: keyof typeof WHO;
  readonly method?: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly status: number;
  /** Of a refusal, whole. */
  readonly message?: string;
}

const as = (user: string, more: Readonly<Record<string, string>> = {}) => ({
  headers: { 'impersonate-user': user, ...more },
});

const PODS = '/api/v1/namespaces/a/pods';
const WHOAMI = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const self = {
  method: 'POST',
  path: WHOAMI,
  body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
} as const;

export const REFUSALS: readonly AccessRequest[] = [
  {
    ...{ story: 'a list over all namespaces', who: 'petra', path: '/api/v1/pods', status: 403 },
    message: 'pods is forbidden: User "petra" cannot list resource "pods" in API group "" at the cluster scope',
  },
  {
    ...{ story: 'one object of a group', who: 'petra', path: '/apis/batch/v1/namespaces/b/jobs/j', status: 403 },
    message:
      'jobs.batch "j" is forbidden: User "petra" cannot get resource "jobs" in API group "batch" in the namespace "b"',
  },
  {
    ...{ story: 'a subresource', who: 'petra', path: `${PODS}/on-n1/log`, status: 403 },
    message:
      'pods "on-n1" is forbidden: User "petra" cannot get resource "pods/log" in API group "" in the namespace "a"',
  },
  {
    ...{ story: 'a path', who: 'petra', path: '/metrics', status: 403 },
    message: 'forbidden: User "petra" cannot get path "/metrics"',
  },
  {
    ...{ story: 'a kind that does not exist', who: 'petra', path: '/apis/no.such/v1/things', status: 403 },
    message:
      'things.no.such is forbidden: User "petra" cannot list resource "things" in API group "no.such" at the cluster scope',
  },
  {
    ...{ story: 'a collection to delete', who: 'petra', method: 'DELETE', path: PODS, status: 403 },
    message:
      'pods is forbidden: User "petra" cannot deletecollection resource "pods" in API group "" in the namespace "a"',
  },
  {
    ...{ story: 'an object selected by its name', who: 'petra', status: 403 },
    path: '/api/v1/namespaces/b/pods?fieldSelector=metadata.name%3Dx&watch=1',
    message: 'pods "x" is forbidden: User "petra" cannot watch resource "pods" in API group "" in the namespace "b"',
  },
  {
    ...{ story: 'a name that looks like HTML', who: 'petra', path: '/api/v1/namespaces/b/pods/%3Cb%3E', status: 403 },
    message: 'pods "<b>" is forbidden: User "petra" cannot get resource "pods" in API group "" in the namespace "b"',
  },
  {
    ...{
      story: 'everything that is not public, without an identity',
      who: 'nobody',
      path: '/api/v1/nodes',
      status: 403,
    },
    message:
      'nodes is forbidden: User "system:anonymous" cannot list resource "nodes" in API group "" at the cluster scope',
  },
  { story: 'nothing of the version', who: 'nobody', path: '/version', status: 200 },
  { story: 'nothing that a role allows', who: 'petra', path: `${PODS}/on-n1`, status: 200 },
  { story: 'nothing that is selected by a name that a role allows', who: 'petra', path: PODS, status: 200 },
  {
    ...{ story: 'a Role that is not there', who: 'dan', path: `${PODS}/on-n1`, status: 403 },
    message:
      'pods "on-n1" is forbidden: User "dan" cannot get resource "pods" in API group "" in the namespace "a": RBAC: role.rbac.authorization.k8s.io "not-there" not found',
  },
];

export const IMPERSONATIONS: readonly AccessRequest[] = [
  { story: 'as a user that may be impersonated', who: 'actor', path: `${PODS}/on-n1`, ...as('petra'), status: 200 },
  {
    story: 'as a group that may be impersonated',
    ...{ who: 'actor', path: '/api/v1/nodes/n1', ...as('petra', { 'impersonate-group': 'devs' }), status: 200 },
  },
  {
    ...{ story: 'as somebody else', who: 'actor', path: PODS, ...as('root'), status: 403 },
    message:
      'pods is forbidden: User "actor" cannot impersonate-on:user-info:list resource "pods" in API group "" in the namespace "a"',
  },
  {
    ...{ story: 'as a group that may not', who: 'actor', path: PODS, status: 403 },
    ...as('petra', { 'impersonate-group': 'system:masters' }),
    message:
      'pods is forbidden: User "actor" cannot impersonate-on:user-info:list resource "pods" in API group "" in the namespace "a"',
  },
  {
    ...{ story: 'as a ServiceAccount', who: 'actor', path: PODS, ...as('system:serviceaccount:a:idle'), status: 403 },
    message:
      'pods is forbidden: User "actor" cannot impersonate-on:serviceaccount:list resource "pods" in API group "" in the namespace "a"',
  },
  {
    ...{ story: 'with a uid', who: 'actor', path: PODS, ...as('petra', { 'impersonate-uid': 'u' }), status: 403 },
    message:
      'pods is forbidden: User "actor" cannot impersonate-on:user-info:list resource "pods" in API group "" in the namespace "a"',
  },
  {
    ...{
      story: 'with extra words',
      who: 'actor',
      path: PODS,
      ...as('petra', { 'impersonate-extra-team': 'x' }),
      status: 403,
    },
    message:
      'pods is forbidden: User "actor" cannot impersonate-on:user-info:list resource "pods" in API group "" in the namespace "a"',
  },
  {
    ...{
      story: 'as a group of nobody',
      who: 'root',
      path: PODS,
      headers: { 'impersonate-group': 'devs' },
      status: 400,
    },
  },
  { story: 'as somebody who may not', who: 'root', path: '/api/v1/nodes', ...as('petra'), status: 403 },
  { story: 'as anonymous', who: 'root', ...self, ...as('system:anonymous'), status: 403 },
  {
    story: 'as a ServiceAccount with its groups',
    who: 'root',
    path: '/openid/v1/jwks',
    ...as('system:serviceaccount:a:x'),
    status: 200,
  },
  {
    story: 'as what only looks like a ServiceAccount',
    who: 'root',
    path: '/openid/v1/jwks',
    ...as('system:serviceaccount:A:x'),
    status: 403,
  },
];

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const meta = (kind: string, name: string, more: object) => ({
  ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind, metadata: { name } },
  ...more,
});
const roleIn = (name: string, rules: readonly object[]) => meta('Role', name, { rules });
const bindingTo = (name: string, kind: string, role: string) =>
  meta('RoleBinding', name, {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: role },
    subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'x' }],
  });
const post = (plural: string) => ({ method: 'POST', path: `${RBAC}/namespaces/a/${plural}` }) as const;

export const ESCALATIONS: readonly AccessRequest[] = [
  {
    ...{ story: 'a Role with less than one has', who: 'ada', ...post('roles'), status: 201 },
    body: roleIn('less', [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'delete'] }]),
  },
  {
    ...{ story: 'a Role with a name of what one has', who: 'ada', ...post('roles'), status: 201 },
    body: roleIn('named', [{ apiGroups: [''], resources: ['secrets'], resourceNames: ['s'], verbs: ['get'] }]),
  },
  {
    ...{ story: 'a Role with more than one has', who: 'ada', ...post('roles'), status: 403 },
    body: roleIn('more', [{ apiGroups: [''], resources: ['nodes', 'pods'], verbs: ['get', 'delete'] }]),
    message:
      'roles.rbac.authorization.k8s.io "more" is forbidden: user "ada" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["nodes"], Verbs:["get" "delete"]}',
  },
  {
    ...{ story: 'a Role with everything', who: 'ada', ...post('roles'), status: 403 },
    body: roleIn('all', [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]),
    message:
      'roles.rbac.authorization.k8s.io "all" is forbidden: user "ada" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:["*"], Resources:["*"], Verbs:["*"]}',
  },
  {
    ...{ story: 'a binding to a Role that one has', who: 'ada', ...post('rolebindings'), status: 201 },
    body: bindingTo('to-edit', 'ClusterRole', 'edit'),
  },
  {
    ...{ story: 'a binding to a Role that has more', who: 'ada', ...post('rolebindings'), status: 403 },
    body: bindingTo('to-nodes', 'ClusterRole', 'node-reader'),
    message:
      'rolebindings.rbac.authorization.k8s.io "to-nodes" is forbidden: user "ada" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["nodes"], Verbs:["get" "list"]}',
  },
  {
    ...{ story: 'a binding to a Role that is not there', who: 'ada', ...post('rolebindings'), status: 404 },
    body: bindingTo('to-none', 'ClusterRole', 'none'),
    message: 'rolebindings.rbac.authorization.k8s.io "none" not found',
  },
  {
    ...{
      story: 'a Role changed to more',
      who: 'ada',
      method: 'PATCH',
      path: `${RBAC}/namespaces/a/roles/less`,
      status: 403,
    },
    body: { rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['get'] }] },
    message:
      'roles.rbac.authorization.k8s.io "less" is forbidden: user "ada" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["nodes"], Verbs:["get"]}',
  },
  { story: 'a Role deleted', who: 'ada', method: 'DELETE', path: `${RBAC}/namespaces/a/roles/named`, status: 200 },
  {
    ...{ story: 'a Role with more, by a master', who: 'root', ...post('roles'), status: 201 },
    body: roleIn('more', [{ apiGroups: [''], resources: ['nodes'], verbs: ['get'] }]),
  },
];

const TOKEN = '/api/v1/namespaces/a/serviceaccounts/builder/token';
const request = (spec: object) => ({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec });
const asked = { who: 'root', method: 'POST', path: TOKEN } as const;

export const TOKEN_REQUESTS: readonly AccessRequest[] = [
  { story: 'without wishes', ...asked, body: request({}), status: 201 },
  { story: 'for an audience', ...asked, body: request({ audiences: ['vault'], expirationSeconds: 600 }), status: 201 },
  {
    ...{ story: 'for too short a time', ...asked, body: request({ expirationSeconds: 599 }), status: 422 },
    message:
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
  },
  {
    ...{ story: 'for too long a time', ...asked, body: request({ expirationSeconds: 4294967297 }), status: 422 },
    message:
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds',
  },
  {
    ...{ story: 'for an account that is not there', who: 'root', method: 'POST', body: request({}), status: 404 },
    path: '/api/v1/namespaces/a/serviceaccounts/none/token',
    message: 'serviceaccounts "none" not found',
  },
  {
    story: 'bound to a Pod of another account',
    ...asked,
    body: request({ boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'on-n2' } }),
    status: 400,
    message: 'cannot bind token for serviceaccount "builder" to pod running with different serviceaccount name.',
  },
  {
    story: 'bound to a Pod that is not there',
    ...asked,
    body: request({ boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'none' } }),
    status: 404,
    message: 'pods "none" not found',
  },
  {
    story: 'bound to a Pod of another uid',
    ...asked,
    body: request({ boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'on-n1', uid: 'old' } }),
    status: 409,
    message:
      'Operation cannot be fulfilled on Pod "on-n1": the UID in the bound object reference (old) does not match the UID in record. The object might have been deleted and then recreated',
  },
  {
    story: 'bound to what cannot be bound to',
    ...asked,
    body: request({ boundObjectRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x' } }),
    status: 400,
    message: 'cannot bind token to object of type apps/v1, Kind=Deployment',
  },
  {
    story: 'bound to a Node',
    ...asked,
    body: request({ boundObjectRef: { apiVersion: 'v1', kind: 'Node', name: 'n1' } }),
    status: 201,
  },
  { story: 'by somebody who may edit', ...asked, who: 'edna', body: request({}), status: 201 },
  {
    ...{ story: 'by somebody who may not', ...asked, who: 'vera', body: request({}), status: 403 },
    message:
      'serviceaccounts "builder" is forbidden: User "vera" cannot create resource "serviceaccounts/token" in API group "" in the namespace "a"',
  },
];

const REVIEW = '/apis/authorization.k8s.io/v1';
const review = (kind: string, spec: object, metadata: object = {}) => ({
  apiVersion: 'authorization.k8s.io/v1',
  kind,
  metadata,
  spec,
});
const sar = { who: 'root', method: 'POST', path: `${REVIEW}/subjectaccessreviews` } as const;
const getPods = { resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'a' } };

export const REVIEW_REQUESTS: readonly AccessRequest[] = [
  {
    ...{ story: 'about nobody', ...sar, body: review('SubjectAccessReview', getPods), status: 422 },
    message:
      '.authorization.k8s.io "" is invalid: spec.user: Invalid value: "": at least one of user or group must be specified',
  },
  {
    ...{ story: 'about nothing', ...sar, body: review('SubjectAccessReview', { user: 'x' }), status: 422 },
    message:
      '.authorization.k8s.io "" is invalid: spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
  },
  {
    story: 'about another namespace than its own',
    ...{ who: 'root', method: 'POST', path: `${REVIEW}/namespaces/b/localsubjectaccessreviews`, status: 422 },
    body: review('LocalSubjectAccessReview', { user: 'x', ...getPods }, { namespace: 'b' }),
    message:
      '.authorization.k8s.io "" is invalid: spec.resourceAttributes.namespace: Invalid value: "a": must match metadata.namespace',
  },
  { story: 'by somebody who may not', ...sar, who: 'petra', body: review('SubjectAccessReview', getPods), status: 403 },
  {
    ...{ story: 'that is read', who: 'root', path: `${REVIEW}/subjectaccessreviews`, status: 405 },
    message: 'the server does not allow this method on the requested resource',
  },
  {
    story: 'of rules without a namespace',
    ...{ who: 'petra', method: 'POST', path: `${REVIEW}/selfsubjectrulesreviews`, status: 400 },
    body: review('SelfSubjectRulesReview', {}),
    message: 'no namespace on request',
  },
  {
    story: 'of no token',
    ...{ who: 'root', method: 'POST', path: '/apis/authentication.k8s.io/v1/tokenreviews', status: 400 },
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: {} },
    message: 'token is required for TokenReview in authentication',
  },
];

const CSRS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const keyPair = createKeyPair(createSeededRandom('requests'));

const csr = (name: string, signer: string, [commonName, ...organizations]: readonly [string, ...string[]]) => ({
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: { name },
  spec: {
    signerName: `kubernetes.io/${signer}`,
    usages: ['digital signature', 'client auth'],
    request: Buffer.from(createCsr({ identity: { commonName, organizations }, keyPair })).toString('base64'),
  },
});

const approval = {
  status: {
    conditions: [
      {
        type: 'Approved',
        status: 'True',
        reason: 'r',
        message: 'm',
        lastUpdateTime: '2026-01-01T00:00:00Z',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ],
  },
};
const decide = (name: string, subresource: 'approval' | 'status') =>
  ({ method: 'PATCH', path: `${CSRS}/${name}/${subresource}` }) as const;
const NODE_CLIENT = 'kube-apiserver-client-kubelet';

export const SIGNING_REQUESTS: readonly AccessRequest[] = [
  {
    ...{ story: 'a certificate for masters', who: 'root', method: 'POST', path: CSRS, status: 403 },
    body: csr('masters', 'kube-apiserver-client', ['x', 'system:masters']),
    message:
      'certificatesigningrequests.certificates.k8s.io "masters" is forbidden: use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed',
  },
  {
    ...{ story: 'a certificate for a person', who: 'root', method: 'POST', path: CSRS, status: 201 },
    body: csr('person', 'kube-apiserver-client', ['x', 'devs']),
  },
  {
    ...{ story: 'a certificate of its own', who: 'n1', method: 'POST', path: CSRS, status: 201 },
    body: csr('own', NODE_CLIENT, ['system:node:n1', 'system:nodes']),
  },
  {
    ...{ story: 'a certificate of another Node', who: 'n1', method: 'POST', path: CSRS, status: 403 },
    body: csr('other', NODE_CLIENT, ['system:node:n2', 'system:nodes']),
    message:
      'certificatesigningrequests.certificates.k8s.io "other" is forbidden: can only create a node CSR with CN=system:node:n1',
  },
  {
    ...{
      story: 'approval by who may approve nothing of this signer',
      who: 'clerk',
      ...decide('person', 'approval'),
      status: 403,
    },
    body: approval,
    message:
      'certificatesigningrequests.certificates.k8s.io "person" is forbidden: user not permitted to approve requests with signerName "kubernetes.io/kube-apiserver-client"',
  },
  { story: 'approval by who may', who: 'clerk', ...decide('own', 'approval'), body: approval, status: 200 },
  {
    ...{ story: 'a failure reported by who may not sign', who: 'clerk', ...decide('person', 'status'), status: 403 },
    body: { status: { conditions: [{ type: 'Failed', status: 'True', reason: 'r', message: 'm' }] } },
    message:
      'certificatesigningrequests.certificates.k8s.io "person" is forbidden: user not permitted to sign requests with signerName "kubernetes.io/kube-apiserver-client"',
  },
];

const plain = (name: string, spec: object, annotations: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, annotations },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});
const pod = { who: 'root', method: 'POST', path: PODS } as const;
const MIRROR = { 'kubernetes.io/config.mirror': 'x' };

export const ACCOUNT_REQUESTS: readonly AccessRequest[] = [
  { story: 'a Pod that names no account', ...pod, body: plain('plain', {}), status: 201 },
  {
    ...{ story: 'a Pod of an account that is not there', ...pod, status: 403 },
    body: plain('zz', { serviceAccountName: 'nope' }),
    message: 'pods "zz" is forbidden: error looking up service account a/nope: serviceaccount "nope" not found',
  },
  {
    ...{ story: 'a mirror Pod with an account', ...pod, status: 403 },
    body: plain('zz', { nodeName: 'n1', serviceAccountName: 'builder' }, MIRROR),
    message: 'pods "zz" is forbidden: a mirror pod may not reference service accounts',
  },
  {
    ...{ story: 'a mirror Pod with a Secret', ...pod, status: 403 },
    body: plain('zz', { nodeName: 'n1', volumes: [{ name: 'v', secret: { secretName: 's' } }] }, MIRROR),
    message: 'pods "zz" is forbidden: a mirror pod may not reference secrets',
  },
];
