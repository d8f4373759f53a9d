/** Pods that wait for a look, the most important first. */
import { parseTimestamp } from '../../../base/clock.ts';
import type { Cache } from '../../../kube/cache/cache.ts';
import { keyOf, renderKey } from '../../../kube/types/meta.ts';
import type { SchedulablePod } from './schedulable.ts';

export interface WaitingLine {
  /** Lines Pods up and gives their keys. */
  join(pods: readonly SchedulablePod[]): readonly string[];
  /** The Pod whose turn it is: by priority, then by age. It leaves the line. */
  next(): SchedulablePod | undefined;
}

export const createWaitingLine = (pods: Pick<Cache<SchedulablePod>, 'get'>): WaitingLine => {
  const keys = new Set<string>();
  return {
    join: (joining) => {
      const joined = joining.map((pod) => renderKey(keyOf(pod)));
      for (const key of joined) keys.add(key);
      return joined;
    },
    next: () => {
      let best: SchedulablePod | undefined;
      for (const key of keys) {
        const pod = pods.get(key);
        if (pod === undefined) keys.delete(key);
        else if (best === undefined || isBefore(pod, best)) best = pod;
      }
      if (best !== undefined) keys.delete(renderKey(keyOf(best)));
      return best;
    },
  };
};

const isBefore = (left: SchedulablePod, right: SchedulablePod): boolean => {
  const priority = ({ spec }: SchedulablePod): number => spec.priority ?? 0;
  if (priority(left) !== priority(right)) return priority(left) > priority(right);
  const bornMs = ({ metadata }: SchedulablePod): number => parseTimestamp(metadata.creationTimestamp) ?? 0;
  return bornMs(left) < bornMs(right);
};
