/**
 * S41: absence never wipes (R15–R18). A Mac whose machine is missing, detached or moved away, or goes with its namespace, stays
 * as it is until a person says otherwise.
 */
import { parseTimestamp } from '../../../base/clock.ts';
import type { ScalewayAppleSiliconMachine } from '../../../kinds/machine.ts';
import { CLUSTER_API_ANNOTATIONS } from '../../../kube/types/cluster-api.ts';
import type { Happening, Property, Truth } from '../truth.ts';

/** Of an intent that a person stored by hand. */
const BY_HAND = /^by-hand/;

/** Why this machine cannot have asked for the release of its Mac. */
const cannotAsk = (machine: ScalewayAppleSiliconMachine | undefined, truth: Truth): string | undefined => {
  if (machine === undefined) return 'is not there';
  const { annotations = {} } = machine.metadata;
  if (goesWithNamespace(machine, truth)) return 'goes with its namespace';
  if (annotations[CLUSTER_API_ANNOTATIONS.deleteForMove] !== undefined) return 'is moved away';
  const isPaused = annotations[CLUSTER_API_ANNOTATIONS.paused] !== undefined;
  return isPaused && !machine.status?.serverID ? 'was detached from it' : undefined;
};

/** Nobody had deleted it when its namespace was. */
const goesWithNamespace = ({ metadata }: ScalewayAppleSiliconMachine, truth: Truth): boolean => {
  const endsMs = parseTimestamp(truth.find('namespaces', metadata.namespace ?? '')?.metadata.deletionTimestamp);
  const deletedMs = parseTimestamp(metadata.deletionTimestamp);
  return endsMs !== undefined && deletedMs !== undefined && deletedMs >= endsMs;
};

/** The record of a Mac whose release was just stored, and not by a person. */
const releasedBy = (happening: Happening) => {
  if (happening.is !== 'object' || happening.change.kind !== 'hosts') return undefined;
  const { before, after } = happening.change;
  const intent = after?.spec.release?.intentID;
  return intent !== undefined && before?.spec.release === undefined && !BY_HAND.test(intent) ? after : undefined;
};

export const absenceNeverWipes: Property = {
  id: 'S41',
  promise: 'no Mac is given back because its machine is missing, detached, moved away or gone with its namespace',
  judge: () => {
    const lastGone = createLastGone();
    return (happening, truth) => {
      lastGone.hear(happening, truth);
      const host = releasedBy(happening);
      const uid = host?.spec.claimRef?.uid;
      if (host === undefined || uid === undefined) return undefined;
      const machine = truth.list('machines').find(({ metadata }) => metadata.uid === uid) ?? lastGone.find(uid, truth);
      const why = cannotAsk(machine, truth);
      return why && `${host.metadata.name} is to be given back, and its machine ${why}`;
    };
  },
};

/** A manager that saw that a machine was deleted may be about to say so when somebody strips that of its finalizers. */
const UNDER_WAY_MS = 5_000;

const createLastGone = () => {
  const gone = new Map<string, { readonly machine: ScalewayAppleSiliconMachine; readonly atMs: number }>();
  return {
    hear: (happening: Happening, truth: Truth): void => {
      if (happening.is !== 'object' || happening.change.kind !== 'machines') return;
      const { before, after } = happening.change;
      if (after !== undefined || before?.metadata.deletionTimestamp === undefined) return;
      gone.set(before.metadata.uid ?? '', { machine: before, atMs: truth.nowMs() });
    },
    find: (uid: string, truth: Truth): ScalewayAppleSiliconMachine | undefined => {
      const found = gone.get(uid);
      return found !== undefined && truth.nowMs() - found.atMs < UNDER_WAY_MS ? found.machine : undefined;
    },
  };
};
