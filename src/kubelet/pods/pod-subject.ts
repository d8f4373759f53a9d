/** One Pod in one pass: what is stored of it, what is known of it, and how a move ends. */
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { Verdict } from '../../kube/queue/work-queue.ts';
import type { Pod } from '../../kube/types/pod.ts';
import type { VmRun } from '../vm/vm-port.ts';
import type { MadeVm } from './make-vm.ts';
import type { Wish } from './plan-pod.ts';
import type { PodMemory } from './pod-memory.ts';
import type { PodPorts } from './pod-ports.ts';
import type { PodOperations } from './pod-work.ts';

export interface PodParts extends PodPorts {
  readonly operations: PodOperations;
  /**
   * Begins to attend to a run, one that was just made or one that was found, until it ends or is forgotten. An end that is
   * known already is known afterwards.
   */
  attend(subject: PodSubject, run: VmRun, made?: MadeVm): Promise<void>;
  /** Lists the VMs that earlier lives left, once; later calls return at once. Rejects when that cannot be known. */
  takeInventory(signal: AbortSignal): Promise<void>;
  /** A VM ended: those that wait for a place may try again. */
  placeIsFree(): void;
}

export interface PodSubject {
  readonly uid: string;
  readonly key: string;
  /** As stored; a move that writes leaves what it wrote. Undefined when there is none. */
  pod: Pod | undefined;
  wish: Wish;
  readonly memory: PodMemory;
  /** Records what was written, for read-your-writes. */
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** `on`: look again at once, the move changed something. */
export type MoveEnd = Verdict | { readonly next: 'on' };

export const ON: MoveEnd = { next: 'on' };
export const REST: MoveEnd = { next: 'rest' };
