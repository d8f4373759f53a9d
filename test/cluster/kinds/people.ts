/** People with exactly the rights a test gives them, on a real API server. */
import { neverAborted } from '../../../src/base/abort.ts';
import { MAC_HOSTS } from '../../../src/kinds/mac-host.ts';
import type { KubeClient } from '../../../src/kube/client/client.ts';
import type { KubeObject } from '../../../src/kube/types/meta.ts';
import { CLUSTER_ROLE_BINDINGS } from '../../../src/kube/types/rbac.ts';
import type { Resource } from '../../../src/kube/types/resource.ts';
import { eventually, type Scene } from '../kube/scene.ts';
import { newId } from './kinds-scene.ts';

interface ClusterRole extends KubeObject {
  readonly rules: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
    readonly resourceNames?: readonly string[];
  }[];
}

const RBAC_GROUP = 'rbac.authorization.k8s.io';

const CLUSTER_ROLES: Resource<ClusterRole> = {
  group: RBAC_GROUP,
  version: 'v1',
  kind: 'ClusterRole',
  plural: 'clusterroles',
  scope: 'Cluster',
};

const ON_HOSTS = { apiGroups: [MAC_HOSTS.group], resources: [MAC_HOSTS.plural] };

/**
 * A client of somebody new who may read and write MacHosts as far as Kubernetes is concerned, and besides has `verbs`
 * on them, each written `<host>:<verb>`.
 */
export const createPerson = async (
  { cluster, client, signal, undo }: Scene,
  verbs: readonly string[],
): Promise<KubeClient> => {
  const name = `person-${newId()}`;
  const special = verbs.map((granted) => {
    const [host = '', verb = ''] = granted.split(':');
    return { ...ON_HOSTS, verbs: [verb], resourceNames: [host] };
  });
  const usual = { ...ON_HOSTS, verbs: ['get', 'create', 'update', 'patch'] };
  const role = await client.create(CLUSTER_ROLES, { metadata: { name }, rules: [usual, ...special] }, { signal });
  const subjects = [{ apiGroup: RBAC_GROUP, kind: 'User', name }];
  const roleRef = { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name };
  await client.create(CLUSTER_ROLE_BINDINGS, { metadata: { name }, roleRef, subjects }, { signal });
  undo(async () => {
    await client.delete(CLUSTER_ROLE_BINDINGS, { name: role.metadata.name }, { signal: neverAborted() });
    await client.delete(CLUSTER_ROLES, { name: role.metadata.name }, { signal: neverAborted() });
  });
  const person = await cluster.client(await cluster.kubeconfigFor({ name }));
  await eventually(`the rights of ${name} are known to the server`, () => isKnown(person, signal));
  return person;
};

/** Nothing but a missing right makes a read forbidden: a host that does not exist will do. */
const isKnown = async (person: KubeClient, signal: AbortSignal): Promise<boolean> => {
  const refusal = await person.get(MAC_HOSTS, { name: 'nobody' }, { signal }).catch((error: unknown) => error);
  return refusal instanceof Error && 'kind' in refusal && refusal.kind === 'not-found';
};
