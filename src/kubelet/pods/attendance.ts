/** What those who attend to a VM that runs are given. */
import type { Pod } from '../../kube/types/pod.ts';
import type { VmRun } from '../vm/vm-port.ts';
import type { MadeVm } from './make-vm.ts';
import type { PodMemory } from './pod-memory.ts';

export interface Attendance {
  readonly pod: Pod;
  readonly run: VmRun;
  readonly memory: PodMemory;
  /** What is known of a run that this life of the agent began; undefined when it was found. */
  readonly made?: Pick<MadeVm, 'tokensDueMs'>;
  /** Has the Pod looked at again. */
  readonly wake: () => void;
  readonly signal: AbortSignal;
}
