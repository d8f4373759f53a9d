/** The priority classes of Kubernetes itself. Names that begin with `system-` are for these two alone. */
const SYSTEM_BASE = 2_000_000_000;

export const SYSTEM_PREFIX = 'system-';

export const SYSTEM_PRIORITIES = [
  {
    name: 'system-node-critical',
    value: SYSTEM_BASE + 1_000,
    description: 'For Pods without which their Node does not work; they stay where they are.',
  },
  {
    name: 'system-cluster-critical',
    value: SYSTEM_BASE,
    description: 'For Pods without which the cluster does not work, on whichever Node they run.',
  },
] as const;
