/**
 * What our processes and those that act for us may do, and nothing more. Cluster roles, so that whoever installs them
 * chooses the subjects and, for the lease, the namespace. `npm run generate` writes them to deploy/rbac.
 */

import { PROVIDER_LABELS } from '../kinds/infrastructure.ts';
import { DISPATCH_AUDIENCE } from '../kinds/labels.ts';
import { MAC_HOST_VERBS } from '../kinds/policies/mac-host-guard.ts';
import { FOLLOW, READ, type Rule, role as renderRole, rule } from '../kinds/role.ts';
import { SIGNERS } from '../kube/certificates/node-request.ts';

const role = (name: string, rules: readonly Rule[]) => renderRole(name, PROVIDER_LABELS, rules);

/** Where most clusters say how they are reached from outside. */
export const CLUSTER_INFO = { namespace: 'kube-public', name: 'cluster-info' } as const;

export const PROVIDER_ROLES = {
  /** The manager, everywhere. */
  manager: role('macfleet-manager', [
    rule(
      'infrastructure.cluster.x-k8s.io',
      ['machosts'],
      [...READ, 'create', 'patch', 'delete', MAC_HOST_VERBS.manage],
    ),
    rule(
      'infrastructure.cluster.x-k8s.io',
      ['scalewayapplesiliconclusters', 'scalewayapplesiliconcontrolplanes'],
      [...FOLLOW, 'patch'],
    ),
    rule('infrastructure.cluster.x-k8s.io', ['scalewayapplesiliconmachines'], [...READ, 'patch']),
    rule(
      'infrastructure.cluster.x-k8s.io',
      [
        'machosts/status',
        'scalewayapplesiliconclusters/status',
        'scalewayapplesiliconcontrolplanes/status',
        'scalewayapplesiliconmachines/status',
      ],
      ['patch'],
    ),
    rule('cluster.x-k8s.io', ['clusters'], READ),
    rule('cluster.x-k8s.io', ['machines'], ['get']),
    rule('cluster.x-k8s.io', ['machines/status'], ['patch']),
    rule('', ['nodes'], [...READ, 'delete']),
    // Pods whose Node is gone for good lose our finalizer; a finalizer is within reach of the status alone.
    rule('', ['pods'], FOLLOW),
    rule('', ['pods/status'], ['patch']),
    rule('', ['events'], ['create', 'patch']),
    // Another manager may lead with a lease in another namespace (R27).
    rule('coordination.k8s.io', ['leases'], ['list']),
    rule('certificates.k8s.io', ['certificatesigningrequests'], FOLLOW),
    rule('certificates.k8s.io', ['certificatesigningrequests/approval'], ['update']),
    {
      ...rule('certificates.k8s.io', ['signers'], ['approve']),
      resourceNames: [SIGNERS.kubeletClient, SIGNERS.kubeletServing],
    },
    rule('', ['namespaces'], ['get']),
    {
      ...rule('apiextensions.k8s.io', ['customresourcedefinitions'], ['get']),
      resourceNames: ['scalewayapplesiliconmachines.infrastructure.cluster.x-k8s.io'],
    },
  ]),
  /** The manager, in the namespace of its lease. */
  leaderElection: role('macfleet-leader-election', [
    rule('coordination.k8s.io', ['leases'], ['get', 'create', 'update']),
  ]),
  /** The manager, in the namespace of bootstrap tokens: what Macs join with. */
  joinTokens: role('macfleet-join-tokens', [rule('', ['secrets'], ['get', 'create', 'delete'])]),
  /** The manager, in kube-public: the API server as Macs reach it, unless an operator says it. */
  clusterInfo: role('macfleet-cluster-info', [
    { ...rule('', ['configmaps'], ['get']), resourceNames: [CLUSTER_INFO.name] },
  ]),
  /** The manager, in each namespace of fleets: the kubeconfig by which Cluster API core finds the Nodes. */
  kubeconfigs: role('macfleet-kubeconfigs', [rule('', ['secrets'], ['get', 'create', 'patch'])]),
  /** The manager, in each namespace of builders: the GitHub App by which they register. */
  githubApps: role('macfleet-github-apps', [rule('', ['secrets'], ['get'])]),
  /** The manager, in the namespace of the ServiceAccount that Cluster API core comes as. */
  remoteTokens: role('macfleet-remote-tokens', [
    { ...rule('', ['serviceaccounts/token'], ['create']), resourceNames: ['capi-remote'] },
  ]),
  /** The manager, in the namespace of the fleets' SSH keys. */
  fleetKeys: role('macfleet-fleet-keys', [rule('', ['secrets'], ['get', 'create', 'patch'])]),
  /** The manager, everywhere, for a takeover only: the rights that the Go original gave to its Macs. */
  takeover: role('macfleet-takeover', [rule('rbac.authorization.k8s.io', ['clusterrolebindings'], ['get', 'delete'])]),
  /** The manager, in the namespace of the original's Secrets, for a takeover only. */
  takeoverSecrets: role('macfleet-takeover-secrets', [
    rule('', ['serviceaccounts'], ['list', 'delete']),
    rule('', ['secrets'], ['get', 'delete']),
  ]),
  /** The manager, in the namespace of the Deployment that it spreads over the Macs. */
  fleetSpread: role('macfleet-fleet-spread', [rule('apps', ['deployments'], ['get', 'patch'])]),
  /** All Nodes: the token by which a runner asks for work. They may mint it for their own Pods alone. */
  dispatchTokens: role('macfleet-dispatch-tokens', [
    rule('', [DISPATCH_AUDIENCE], ['request-serviceaccounts-token-audience']),
  ]),
  /** Cluster API core on the cluster that the Macs are Nodes of: `<cluster>-kubeconfig` speaks as this. */
  clusterApiRemote: role('macfleet-capi-remote', [
    rule('', ['nodes'], [...READ, 'patch', 'delete']),
    rule('', ['pods'], ['get', 'list']),
    rule('', ['pods/eviction'], ['create']),
    rule('', ['namespaces'], FOLLOW),
    rule('', ['persistentvolumes'], ['list']),
    rule('apps', ['daemonsets'], ['get']),
    rule('storage.k8s.io', ['volumeattachments'], ['list']),
    { nonResourceURLs: ['/'], verbs: ['get'] },
  ]),
} as const;
