/** What people, processes and machines do to a simulated fleet at bad moments: one row each. The order of rows is part of recorded schedules: add at the end. */
import { ADMINISTRATOR_DISTURBANCES } from './disturbances/administrators.ts';
import { afterWrite } from './disturbances/after-write.ts';
import { AGENT_DISTURBANCES } from './disturbances/agents.ts';
import { API_DISTURBANCES } from './disturbances/api.ts';
import { CLOUD_DISTURBANCES, MORE_CLOUD_DISTURBANCES } from './disturbances/cloud.ts';
import { CLUSTER_DISTURBANCES } from './disturbances/clusters.ts';
import type { Disturbance } from './disturbances/disturbance.ts';
import { LATE_MAC_DISTURBANCES, MAC_DISTURBANCES, MORE_MAC_DISTURBANCES } from './disturbances/macs.ts';
import { NAMESAKE_DISTURBANCES } from './disturbances/namesakes.ts';
import { ORIGINAL_DISTURBANCES } from './disturbances/original.ts';
import { MORE_PROCESS_DISTURBANCES, PROCESS_DISTURBANCES } from './disturbances/processes.ts';
import { USER_DISTURBANCES } from './disturbances/users.ts';

const BY_TIME: readonly Disturbance[] = [
  ...USER_DISTURBANCES,
  ...PROCESS_DISTURBANCES,
  ...CLOUD_DISTURBANCES,
  ...MAC_DISTURBANCES,
  ...API_DISTURBANCES,
  ...ADMINISTRATOR_DISTURBANCES,
  ...CLUSTER_DISTURBANCES,
  ...MORE_CLOUD_DISTURBANCES,
  ...MORE_MAC_DISTURBANCES,
  ...MORE_PROCESS_DISTURBANCES,
];

/** What is worst in the moment of a write. */
const AFTER_WRITES = [
  ...['kill-manager', 'freeze-manager', 'restart-controllers', 'api-away', 'api-restarts', 'etcd-restored'],
  ...['watches-break', 'watch-lags', 'conflicts', 'delete-machine', 'delete-infra-machine', 'force-delete'],
  ...['pause-machine', 'pause-cluster', 'detach', 'release-host', 'hold-host', 'delete-host', 'force-delete-host'],
  ...['console-reboot', 'console-delete', 'F29', 'corrupt-machine', 'upgrade'],
];

export const DISTURBANCES: readonly Disturbance[] = [
  ...BY_TIME,
  ...BY_TIME.filter(({ id }) => AFTER_WRITES.includes(id)).map(afterWrite),
  ...LATE_MAC_DISTURBANCES,
  ...ORIGINAL_DISTURBANCES,
  ...NAMESAKE_DISTURBANCES,
  ...AGENT_DISTURBANCES,
];
