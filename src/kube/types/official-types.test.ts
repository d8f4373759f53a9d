import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type {
  AuthenticationV1TokenRequest,
  CoreV1Event,
  V1CertificateSigningRequest,
  V1ClusterRole,
  V1ClusterRoleBinding,
  V1ConfigMap,
  V1Deployment,
  V1Lease,
  V1Namespace,
  V1Node,
  V1Pod,
  V1Secret,
  V1ServiceAccount,
} from '@kubernetes/client-node';
import { collectionPath } from '../client/paths.ts';
import { DEPLOYMENTS, type Deployment } from './apps.ts';
import type { TokenRequest } from './authentication.ts';
import { CERTIFICATE_SIGNING_REQUESTS, type CertificateSigningRequest } from './certificates.ts';
import { CLUSTER_API_RESOURCES } from './cluster-api.ts';
import { LEASES, type Lease } from './coordination.ts';
import {
  CONFIG_MAPS,
  type ConfigMap,
  EVENTS,
  type Event,
  NAMESPACES,
  type Namespace,
  NODES,
  type Node,
  PODS,
  SECRETS,
  SERVICE_ACCOUNTS,
  type Secret,
  type ServiceAccount,
} from './core.ts';
import type { KubeObject } from './meta.ts';
import type { Pod } from './pod.ts';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, type ClusterRole, type ClusterRoleBinding } from './rbac.ts';
import type { Resource } from './resource.ts';

/** The names of fields of `Ours`, at any depth, that `Theirs` does not have. */
type Misspelt<Ours, Theirs> = Ours extends readonly (infer Item)[]
  ? Theirs extends readonly (infer TheirItem)[]
    ? Misspelt<Item, TheirItem>
    : 'not a list'
  : Ours extends object
    ? string extends keyof Ours
      ? never
      : {
          [Key in keyof Ours]-?: Key extends keyof Theirs
            ? Misspelt<NonNullable<Ours[Key]>, NonNullable<Theirs[Key]>>
            : Key;
        }[keyof Ours]
    : never;

/** Does not compile when a field is misspelt: the missing value then has to be its name. */
const hasOnlyFieldsOf = <Ours, Theirs>(
  ...misspelt: [Misspelt<Ours, Theirs>] extends [never] ? [] : [Misspelt<Ours, Theirs>]
) => misspelt.length === 0;

describe('the narrow types of Kubernetes kinds', () => {
  it('have only fields that the official client knows', () => {
    assert.ok(hasOnlyFieldsOf<Pod, V1Pod>());
    assert.ok(hasOnlyFieldsOf<Omit<Node, 'status'>, V1Node>());
    // The official client spells `Port` of the kubelet's endpoint its own way.
    assert.ok(hasOnlyFieldsOf<Omit<NonNullable<Node['status']>, 'daemonEndpoints'>, NonNullable<V1Node['status']>>());
    assert.ok(hasOnlyFieldsOf<Secret, V1Secret>());
    assert.ok(hasOnlyFieldsOf<ConfigMap, V1ConfigMap>());
    assert.ok(hasOnlyFieldsOf<Namespace, V1Namespace>());
    assert.ok(hasOnlyFieldsOf<ServiceAccount, V1ServiceAccount>());
    assert.ok(hasOnlyFieldsOf<Event, CoreV1Event>());
    assert.ok(hasOnlyFieldsOf<Lease, V1Lease>());
    assert.ok(hasOnlyFieldsOf<CertificateSigningRequest, V1CertificateSigningRequest>());
    assert.ok(hasOnlyFieldsOf<ClusterRoleBinding, V1ClusterRoleBinding>());
    assert.ok(hasOnlyFieldsOf<ClusterRole, V1ClusterRole>());
    assert.ok(hasOnlyFieldsOf<Deployment, V1Deployment>());
    assert.ok(hasOnlyFieldsOf<TokenRequest, AuthenticationV1TokenRequest>());
  });

  const paths: readonly (readonly [Resource<KubeObject>, string])[] = [
    [PODS, '/api/v1/pods'],
    [NODES, '/api/v1/nodes'],
    [SECRETS, '/api/v1/secrets'],
    [CONFIG_MAPS, '/api/v1/configmaps'],
    [NAMESPACES, '/api/v1/namespaces'],
    [SERVICE_ACCOUNTS, '/api/v1/serviceaccounts'],
    [EVENTS, '/api/v1/events'],
    [LEASES, '/apis/coordination.k8s.io/v1/leases'],
    [CERTIFICATE_SIGNING_REQUESTS, '/apis/certificates.k8s.io/v1/certificatesigningrequests'],
    [CLUSTER_ROLE_BINDINGS, '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings'],
    [CLUSTER_ROLES, '/apis/rbac.authorization.k8s.io/v1/clusterroles'],
    [DEPLOYMENTS, '/apis/apps/v1/deployments'],
    [CLUSTER_API_RESOURCES.clusters, '/apis/cluster.x-k8s.io/v1beta2/clusters'],
    [CLUSTER_API_RESOURCES.machines, '/apis/cluster.x-k8s.io/v1beta2/machines'],
    [CLUSTER_API_RESOURCES.machineSets, '/apis/cluster.x-k8s.io/v1beta2/machinesets'],
    [CLUSTER_API_RESOURCES.machineDeployments, '/apis/cluster.x-k8s.io/v1beta2/machinedeployments'],
  ];
  for (const [resource, path] of paths) {
    it(`find every ${resource.kind} under ${path}`, () => assert.equal(collectionPath(resource), path));
  }
});
