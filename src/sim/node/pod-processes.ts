/**
 * The port by which an agent runs Pods as processes instead of scripts. Everything answers at once with how things are; what
 * takes time goes on by itself and is told by `subscribe`.
 */
import type { Pod } from '../../kube/types/pod.ts';
import type { PodMoment } from './pod-moment.ts';

export interface PodProcesses {
  /** How the Pod's process is. Starts it when there is none yet. */
  look(pod: Pod): PodMoment;
  /** Asks it to end, and kills it after the grace. Its end, or undefined while it is still there. */
  stop(pod: Pod, graceMs: number): Extract<PodMoment, { phase: 'Succeeded' | 'Failed' }> | undefined;
  /** The Pod is no more: kills what may be left of it. */
  forget(uid: string): void;
  /** Calls back with the key of the Pod (`namespace/name`) whenever another look would tell something new. */
  subscribe(listener: (key: string) => void): () => void;
}
