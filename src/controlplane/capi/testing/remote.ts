/** The cluster that Machines join, in tests: the one under test itself, entered under a name of its own. */
import type { KubeClient } from '../../../kube/client/client.ts';
import { CLUSTER_API_LABELS } from '../../../kube/types/cluster-api.ts';
import type { Secret } from '../../../kube/types/core.ts';
import { MASTERS_GROUP, type User } from '../../auth/user.ts';
import type { OpenRemote } from '../remote/remote-clusters.ts';
import { CLUSTER } from './fleet-objects.ts';

export const REMOTE: User = { name: 'remote', groups: [MASTERS_GROUP] };

export const openTo =
  (client: KubeClient): OpenRemote =>
  async () => ({ client, close: () => Promise.resolve() });

const { namespace = '', name } = CLUSTER.metadata;

export const KUBECONFIG: Secret = {
  metadata: { namespace, name: `${name}-kubeconfig`, labels: { [CLUSTER_API_LABELS.clusterName]: name } },
  data: { value: Buffer.from('here').toString('base64') },
};
