/** What a runner's Pod says about it. Pure; the words are those of the Go original (§3.4). */
import { parseTimestamp, toTimestamp } from '../base/clock.ts';
import { FINALIZERS, LABELS } from '../kinds/labels.ts';
import type { Pod } from '../kube/types/pod.ts';

export const RUNNER_CONTAINER = 'runner';

const labelOf = ({ metadata }: Pod, key: string): string => metadata.labels?.[key] ?? '';

export const poolOf = (pod: Pod): string => labelOf(pod, LABELS.runnerPool);

/** Its virtual machine is gone. */
export const hasEnded = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** Somebody deletes it. */
export const isDeleting = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;

export const isAlive = (pod: Pod): boolean => !hasEnded(pod) && !isDeleting(pod);

/** The dispatcher says that it has a job. That it does not say so means nothing: the label is best effort. */
export const isKnownBusy = (pod: Pod): boolean =>
  labelOf(pod, LABELS.runnerPoolOwner) !== '' || labelOf(pod, LABELS.runnerAccount) !== '';

/** On its way out, by the controller or by a person: it gets no job any more. */
export const isLeaving = (pod: Pod): boolean =>
  labelOf(pod, LABELS.runnerOperatorDrain) === 'true' || labelOf(pod, LABELS.drainEligible) === 'true';

export const isRunning = ({ status }: Pod): boolean => status?.phase === 'Running';

/** Since when it is up, where it runs; where its Node did not say, since when it is there. */
export const upSinceOf = ({ metadata, status }: Pod): number | undefined => {
  const starts = (status?.containerStatuses ?? []).flatMap(({ state }) => state?.running?.startedAt ?? []);
  return parseTimestamp(starts[0] ?? metadata.creationTimestamp);
};

/** Of another image than the pool's, to the letter; a Pod without containers is of none. */
export const isStale = ({ spec }: Pod, image: string): boolean => {
  const [container] = spec.containers;
  return container !== undefined && container.image !== image;
};

/**
 * Whether there may be a virtual machine that asks for jobs. The agent of a Node puts its finalizer on the Pod before it
 * makes one, so a Pod without it, that is only waiting, has none; and to begin, the agent must change the Pod.
 */
export const mayHavePolled = ({ metadata, spec, status }: Pod): boolean => {
  const isWaiting = (status?.phase ?? 'Pending') === 'Pending';
  const hasStarted = status?.containerStatuses?.some(({ state }) => state?.running ?? state?.terminated) === true;
  const isBegun = spec.nodeName !== undefined && metadata.finalizers?.includes(FINALIZERS.pod) === true;
  return !isWaiting || hasStarted || isBegun;
};

/** When it ended: the last container's end, else since when it is being deleted, else now (§3.12). */
export const endOf = (pod: Pod, nowMs: number): string => {
  const ends = (pod.status?.containerStatuses ?? []).flatMap(({ state }) => state?.terminated?.finishedAt ?? []);
  const [latest] = ends.toSorted().reverse();
  return latest ?? pod.metadata.deletionTimestamp ?? toTimestamp(nowMs);
};

/** How its virtual machine ended, where the Node told. */
export const terminationOf = ({ status }: Pod) =>
  status?.containerStatuses?.find(({ name }) => name === RUNNER_CONTAINER)?.state?.terminated;

/** What an agent says when the guest told nothing. */
const UNTOLD: readonly string[] = ['TartRunExited', 'TartRunFailed'];

/** Deleted because it was asked to leave and had no job: that is no death, however its virtual machine ends then. */
const isRetired = (pod: Pod): boolean => isDeleting(pod) && isLeaving(pod) && !isKnownBusy(pod);

/** Worth its log (§3.4). */
export const isAbnormalEnd = (pod: Pod): boolean => {
  if (isRetired(pod)) return false;
  const terminated = terminationOf(pod);
  if (terminated === undefined) return pod.status?.phase === 'Failed' || isDeleting(pod);
  return terminated.exitCode !== 0 || UNTOLD.includes(terminated.reason ?? '');
};
