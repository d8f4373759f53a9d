/** How long a Job waits after failures before it tries again: 10 s, 20 s, 40 s … and never more than ten minutes. Pure. */
import { parseTimestamp } from '../../../base/clock.ts';
import type { Pod } from '../../../kube/types/pod.ts';

const FIRST_MS = 10_000;
const LONGEST_MS = 600_000;

/** The time before which no Pod is to be made; undefined when it may be made now. A success forgives what was before. */
export const retryAtMs = (pods: readonly Pod[], nowMs: number): number | undefined => {
  const endsOf = (phase: string): readonly number[] =>
    pods.flatMap((pod) => (pod.status?.phase === phase ? [endedMs(pod) ?? 0] : []));
  const lastSuccessMs = Math.max(0, ...endsOf('Succeeded'));
  const failures = endsOf('Failed').filter((atMs) => atMs > lastSuccessMs);
  if (failures.length === 0) return undefined;
  const delayMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures.length - 1));
  const atMs = Math.max(...failures) + delayMs;
  return atMs > nowMs ? atMs : undefined;
};

/** The last of its containers to end; a Pod that never ran ended with its last word. */
const endedMs = ({ metadata, status }: Pod): number | undefined => {
  const ends = (status?.containerStatuses ?? []).flatMap(
    ({ state }) => parseTimestamp(state?.terminated?.finishedAt) ?? [],
  );
  if (ends.length > 0) return Math.max(...ends);
  const words = (status?.conditions ?? []).flatMap(
    ({ lastTransitionTime }) => parseTimestamp(lastTransitionTime) ?? [],
  );
  return words.length > 0 ? Math.max(...words) : parseTimestamp(metadata.deletionTimestamp);
};
