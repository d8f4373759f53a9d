/** Roles around Nodes: their own, how they get a certificate, who approves it, and who may ask an agent. */
import { eventsRule, READ, type RoleSpec, rule } from './role.ts';

/** What the Node authorizer asks for everything that it has no rule of its own for. */
export const NODE_RULES = [
  rule('create', 'authentication.k8s.io', 'tokenreviews'),
  rule('create', 'authorization.k8s.io', 'subjectaccessreviews localsubjectaccessreviews'),
  rule(READ, 'core', 'services'),
  rule(`create ${READ}`, 'core', 'nodes'),
  rule('update patch', 'core', 'nodes/status'),
  rule('update patch', 'core', 'nodes'),
  eventsRule(),
  rule(READ, 'core', 'pods'),
  rule('create delete', 'core', 'pods'),
  rule('update patch', 'core', 'pods/status'),
  rule('create', 'core', 'pods/eviction'),
  rule(READ, 'core', 'secrets configmaps'),
  rule('get', 'core', 'persistentvolumeclaims persistentvolumes'),
  rule('get', 'core', 'endpoints'),
  rule(`create ${READ}`, 'certificates.k8s.io', 'certificatesigningrequests'),
  rule('get create update patch delete', 'coordination.k8s.io', 'leases'),
  rule('get', 'storage.k8s.io', 'volumeattachments'),
  rule('create', 'core', 'serviceaccounts/token'),
  rule('get update patch', 'core', 'persistentvolumeclaims/status'),
  rule('get watch list', 'storage.k8s.io', 'csidrivers'),
  rule('get create update patch delete', 'storage.k8s.io', 'csinodes'),
  rule(READ, 'node.k8s.io', 'runtimeclasses'),
  rule('get', 'resource.k8s.io', 'resourceclaims'),
  rule('deletecollection', 'resource.k8s.io', 'resourceslices'),
  rule('get', 'core', 'serviceaccounts'),
];

const CSRS = 'certificatesigningrequests';
const SIGNERS = 'kubernetes.io/';

const approver = (signer: string): RoleSpec => ({
  name: `system:certificates.k8s.io:${signer}-approver`,
  rules: [rule('approve', 'certificates.k8s.io', 'signers', [`${SIGNERS}${signer}`])],
});

export const ROLES_FOR_NODES: readonly RoleSpec[] = [
  { name: 'system:node', rules: NODE_RULES },
  { name: 'system:node-bootstrapper', rules: [rule(`create ${READ}`, 'certificates.k8s.io', CSRS)] },
  {
    name: `system:certificates.k8s.io:${CSRS}:nodeclient`,
    rules: [rule('create', 'certificates.k8s.io', `${CSRS}/nodeclient`)],
  },
  {
    name: `system:certificates.k8s.io:${CSRS}:selfnodeclient`,
    rules: [rule('create', 'certificates.k8s.io', `${CSRS}/selfnodeclient`)],
  },
  ...['legacy-unknown', 'kubelet-serving', 'kube-apiserver-client', 'kube-apiserver-client-kubelet'].map(approver),
  {
    name: 'system:kubelet-api-admin',
    rules: [
      rule(READ, 'core', 'nodes'),
      rule('proxy', 'core', 'nodes'),
      rule('*', 'core', 'nodes/proxy nodes/metrics nodes/stats nodes/log'),
      rule('*', 'core', 'nodes/pods nodes/healthz nodes/configz'),
    ],
  },
];
