/**
 * When each Node was last heard: the moment at which we saw its Lease change, by our own clock that never jumps. What time a
 * Mac writes into its Lease says nothing, because its clock may be wrong (as Kubernetes' node lifecycle controller does it).
 */
import { type Clock, parseTimestamp } from '../../../base/clock.ts';
import type { Lease } from '../../../kube/types/coordination.ts';
import type { Node } from '../../../kube/types/core.ts';

/** A Node that never had a Lease is given this time from its birth on. */
const STARTUP_MS = 60_000;

export interface HeardNodes {
  /** That this is what a Node's Lease says now; one that says the same as before is no news. */
  note(nodeName: string, lease: Lease | undefined): void;
  /** Nobody could be heard until now. */
  noteDeafness(): void;
  /** How long until the Node counts as silent, by its Lease; 0 or less when it does. */
  leftMs(node: Node): number;
  /** How long until all Nodes have had their time again after nobody could be heard; 0 or less when they had. */
  deafLeftMs(): number;
  forget(nodeName: string): void;
}

export const createHeardNodes = (clock: Clock, silentAfterMs: number): HeardNodes => {
  const heard = new Map<string, { readonly renewTime: string; readonly atMs: number }>();
  let deafMs = Number.NEGATIVE_INFINITY;
  return {
    note: (nodeName, lease) => {
      const renewTime = lease?.spec?.renewTime;
      if (renewTime === undefined || renewTime === heard.get(nodeName)?.renewTime) return;
      heard.set(nodeName, { renewTime, atMs: clock.elapsed() });
    },
    noteDeafness: () => {
      deafMs = clock.elapsed();
    },
    leftMs: ({ metadata }) => {
      const atMs = heard.get(metadata.name)?.atMs;
      if (atMs !== undefined) return atMs + silentAfterMs - clock.elapsed();
      const bornMs = parseTimestamp(metadata.creationTimestamp) ?? 0;
      return bornMs + Math.max(STARTUP_MS, silentAfterMs) - clock.now();
    },
    deafLeftMs: () => deafMs + silentAfterMs - clock.elapsed(),
    forget: (nodeName) => void heard.delete(nodeName),
  };
};
