/** What the runners controller may do, and nothing more (§3.15, reduced to what is used). */
import { FOLLOW, READ, role, rule } from '../kinds/role.ts';

const LABELS = { 'app.kubernetes.io/part-of': 'macfleet' };

export const RUNNER_ROLES = {
  /** In the namespace of pools and runners. */
  runners: role('macfleet-runners', LABELS, [
    rule('tuist.dev', ['runnerpools'], [...FOLLOW, 'patch']),
    rule('tuist.dev', ['runnerpools/status'], ['patch']),
    rule('', ['pods'], [...READ, 'create', 'patch', 'delete']),
    // The last words of a runner that died.
    rule('', ['pods/log'], ['get']),
    rule('', ['serviceaccounts'], [...FOLLOW, 'create', 'delete']),
    rule('', ['events'], ['create', 'patch']),
  ]),
  /** Everywhere: which Macs there are, which of them are drained, and whether another controller leads elsewhere. */
  nodes: role('macfleet-runners-nodes', LABELS, [
    rule('', ['nodes'], READ),
    rule('coordination.k8s.io', ['leases'], ['list']),
  ]),
} as const;
