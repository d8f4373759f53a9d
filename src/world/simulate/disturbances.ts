/** What people, processes and machines do to a simulated fleet at bad moments: one row each. The order of rows is part of recorded schedules: add at the end. */
import { CLOUD_DISTURBANCES } from './disturbances/cloud.ts';
import type { Disturbance } from './disturbances/disturbance.ts';
import { MAC_DISTURBANCES } from './disturbances/macs.ts';
import { PROCESS_DISTURBANCES } from './disturbances/processes.ts';
import { USER_DISTURBANCES } from './disturbances/users.ts';

export const DISTURBANCES: readonly Disturbance[] = [
  ...USER_DISTURBANCES,
  ...PROCESS_DISTURBANCES,
  ...CLOUD_DISTURBANCES,
  ...MAC_DISTURBANCES,
];
