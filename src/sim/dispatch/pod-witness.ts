/** Puts on record what becomes of the Pods of runners: made, over, deleted, gone. */
import { LABELS } from '../../kinds/labels.ts';
import type { Pod } from '../../kube/types/pod.ts';
import type { PodNote } from './dispatch-record.ts';

/** Is told of all Pods that there are whenever one of them may have changed; `by` is whoever wrote last. */
export type PodWitness = (pods: readonly Pod[], by: string) => void;

/** What was last seen of one runner. */
interface Seen {
  readonly pool: string;
  readonly pod: string;
  isDeleted: boolean;
  isOver: boolean;
}

export const createPodWitness = (notePod: (note: PodNote) => void): PodWitness => {
  const seen = new Map<string, Seen>();
  return (pods, by) => {
    const runners = new Map(pods.flatMap((pod) => (isRunner(pod) ? [[pod.metadata.uid ?? '', pod] as const] : [])));
    const tell = (event: PodNote['event'], uid: string, { pool, pod }: Seen): void =>
      notePod({ event, pool, pod, uid, by });
    for (const [uid, pod] of runners) {
      const known = seen.get(uid) ?? meet(pod);
      if (!seen.has(uid)) tell('pod-made', uid, known);
      seen.set(uid, known);
      if (isOver(pod) && !known.isOver) tell('pod-over', uid, known);
      if (isDeleted(pod) && !known.isDeleted) tell('pod-deleted', uid, known);
      known.isOver ||= isOver(pod);
      known.isDeleted ||= isDeleted(pod);
    }
    for (const [uid, known] of [...seen].filter(([id]) => !runners.has(id))) {
      seen.delete(uid);
      if (!known.isDeleted) tell('pod-deleted', uid, known);
      tell('pod-gone', uid, known);
    }
  };
};

const isOver = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';
const isRunner = ({ metadata: { labels = {} } }: Pod): boolean => labels[LABELS.runnerPool] !== undefined;
const isDeleted = ({ metadata: { deletionTimestamp } }: Pod): boolean => deletionTimestamp !== undefined;

const meet = ({ metadata: { name, labels = {} } }: Pod): Seen => ({
  ...{ pool: labels[LABELS.runnerPool] ?? '', pod: name, isDeleted: false, isOver: false },
});
