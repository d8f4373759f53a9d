/** What each Node holds, bindings included that we made and the cache has not shown yet: they take their place already. */
import type { Cache } from '../../../kube/cache/cache.ts';
import { keyOf, renderKey } from '../../../kube/types/meta.ts';
import type { NodeLoad } from './node-fit.ts';
import { type Amounts, requestsOf, sumAmounts } from './resources.ts';
import type { SchedulablePod } from './schedulable.ts';

export interface NodeLoads {
  assume(pod: SchedulablePod, nodeName: string): void;
  drop(pod: SchedulablePod): void;
  isAssumed(pod: SchedulablePod): boolean;
  loadOf(nodeName: string): NodeLoad;
}

interface Assumption {
  readonly pod: SchedulablePod;
  readonly nodeName: string;
}

/** `pods` needs index `node`. */
export const createNodeLoads = (pods: Pick<Cache<SchedulablePod>, 'get' | 'byIndex'>): NodeLoads => {
  const byUid = new Map<string, Assumption>();
  /** An object in a cache never changes, so that what it asks for is read once. */
  const requests = new WeakMap<SchedulablePod, Amounts>();
  const requestsFor = (pod: SchedulablePod): Amounts => {
    const known = requests.get(pod) ?? requestsOf(pod);
    requests.set(pod, known);
    return known;
  };
  /** What the cache shows by now, or will never show because the Pod is gone, is no assumption any more. */
  const forgetSeen = (): void => {
    for (const [uid, { pod }] of byUid) {
      const held = pods.get(renderKey(keyOf(pod)));
      if (held?.metadata.uid !== uid || held.spec.nodeName !== undefined) byUid.delete(uid);
    }
  };
  return {
    assume: (pod, nodeName) => byUid.set(uidOf(pod), { pod, nodeName }),
    drop: (pod) => byUid.delete(uidOf(pod)),
    isAssumed: (pod) => byUid.has(uidOf(pod)),
    loadOf: (nodeName) => {
      forgetSeen();
      const assumed = [...byUid.values()].flatMap((entry) => (entry.nodeName === nodeName ? [entry.pod] : []));
      const all = [...pods.byIndex('node', nodeName), ...assumed];
      return { pods: all.length, used: sumAmounts(all.map(requestsFor)) };
    },
  };
};

const uidOf = ({ metadata }: SchedulablePod): string => metadata.uid ?? '';
