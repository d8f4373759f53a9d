/**
 * Where the embedded control plane answers otherwise than the real kube-apiserver, and why. The suite fails for a
 * difference that is not here, and for one here that is gone. None is in verbs, patch or watch.
 */

export interface Difference {
  /** The case. */
  readonly id: string;
  /** What the embedded one does instead. */
  readonly embedded: string;
  readonly reason: string;
}

export const DIFFERENCES: readonly Difference[] = [];
