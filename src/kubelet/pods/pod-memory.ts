/**
 * What this life of the agent knows of the Pods' VMs beyond the journal: work under way, runs, addresses, health. Everything in
 * here can be lost; a pass then looks again.
 */
import type { Retry } from '../../base/backoff.ts';
import type { FleetError } from '../../base/errors.ts';
import type { Pod } from '../../kube/types/pod.ts';
import type { VmExit, VmRun } from '../vm/vm-port.ts';
import type { Grace } from './grace.ts';
import type { Waiting } from './render-status.ts';

export type Work = 'making' | 'stopping' | 'removing';

export interface Stumble {
  /** Other work does not wait for it: a Pod whose making failed may be removed at once. */
  readonly work: Work;
  readonly error: FleetError;
  readonly retry: Retry;
}

export interface PodMemory {
  readonly uid: string;
  readonly key: string;
  work?: Work;
  /** What making it waits for. */
  progress?: Waiting;
  run?: VmRun;
  exit?: VmExit;
  /** Ends whoever attends to the run. */
  endAttendance?: () => void;
  podIp?: string;
  /** Where its metrics are passed on from; that is told instead of its own address, which nobody outside reaches. */
  servedIp?: string;
  /** By its probes; without any, as soon as it has an address. */
  isReady: boolean;
  isStarted: boolean;
  unwellBecause?: string;
  /** Of the probe that gave it up, where that has one of its own. */
  unwellGraceSeconds?: number;
  /** What is left of the guest's grace; kept when a stop fails and is tried again. */
  grace?: Grace;
  /** Why its command does not run yet; undefined once it was launched, and for a Pod without one. */
  launching?: Waiting;
  /** The guest left the exit code of its command. */
  isDone?: true;
  /** Why the last work failed, and when the next may be. */
  stumble?: Stumble;
  imageDigest?: string;
  /** The API itself said that there is no such Pod. */
  isGone?: true;
}

export interface PodMemories {
  /** Made when there is none. */
  of(uid: string, key: string): PodMemory;
  get(uid: string): PodMemory | undefined;
  all(): readonly PodMemory[];
  forget(uid: string): void;
}

export const createPodMemories = (): PodMemories => {
  const memories = new Map<string, PodMemory>();
  return {
    of: (uid, key) => {
      const known = memories.get(uid);
      if (known !== undefined) return known;
      const fresh: PodMemory = { uid, key, isReady: false, isStarted: false };
      memories.set(uid, fresh);
      return fresh;
    },
    get: (uid) => memories.get(uid),
    all: () => [...memories.values()],
    forget: (uid) => {
      memories.get(uid)?.endAttendance?.();
      memories.delete(uid);
    },
  };
};

/**
 * A run that was found goes on as it was told: a restart of the agent changes nothing that a user sees. What is no longer so is
 * told as soon as it is known.
 */
export const recallRun = (memory: PodMemory, { status }: Pod): void => {
  const [container] = status?.containerStatuses ?? [];
  if (container?.imageID) memory.imageDigest = container.imageID;
  if (status?.podIP === undefined || container?.state?.running === undefined) return;
  memory.podIp = status.podIP;
  memory.isReady = container.ready;
  memory.isStarted = container.started === true;
};

/** A run is over, or about to be made anew: what was known of it no longer counts. */
export const forgetRun = (memory: PodMemory): void => {
  memory.endAttendance?.();
  delete memory.endAttendance;
  delete memory.run;
  delete memory.exit;
  delete memory.podIp;
  delete memory.servedIp;
  delete memory.unwellBecause;
  delete memory.unwellGraceSeconds;
  delete memory.grace;
  delete memory.launching;
  delete memory.isDone;
  memory.isReady = false;
  memory.isStarted = false;
};
