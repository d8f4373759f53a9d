/** What those who attend to a VM that runs are given. */
import type { Pod } from '../../kube/types/pod.ts';
import type { VmRun } from '../vm/vm-port.ts';
import type { PodMemory } from './pod-memory.ts';

export interface Attendance {
  readonly pod: Pod;
  readonly run: VmRun;
  readonly memory: PodMemory;
  /** Whether the run was begun by this life of the agent, or found. */
  readonly begun: 'now' | 'earlier';
  /** Has the Pod looked at again. */
  readonly wake: () => void;
  readonly signal: AbortSignal;
}
