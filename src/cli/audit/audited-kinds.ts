/** The kinds that an audit lists. */

import { LEASES } from '../../kube/types/coordination.ts';
import { NODES, PODS, SECRETS } from '../../kube/types/core.ts';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES } from '../../kube/types/rbac.ts';
import { MAC_HOSTS, MACHINES } from '../fleet/resources.ts';

export const AUDITED_KINDS = {
  hosts: MAC_HOSTS,
  machines: MACHINES,
  nodes: NODES,
  pods: PODS,
  secrets: SECRETS,
  clusterRoles: CLUSTER_ROLES,
  clusterRoleBindings: CLUSTER_ROLE_BINDINGS,
  leases: LEASES,
};
