/** L3: a Mac whose release was asked for, or should have been, is not left lying somewhere with nobody on the way to it. */
import { FINALIZERS } from '../../../kinds/labels.ts';
import type { MacHost } from '../../../kinds/mac-host.ts';
import type { ScalewayAppleSiliconMachine } from '../../../kinds/machine.ts';
import { CLUSTER_API_ANNOTATIONS } from '../../../kube/types/cluster-api.ts';
import { STRIPPED_BY_HAND } from '../disturbances/disturbance.ts';
import type { ObjectChange, Truth } from '../truth.ts';
import type { Memory } from './memory.ts';

type Change<K extends ObjectChange['kind']> = Extract<ObjectChange, { readonly kind: K }>;

export const createLostReleases = (): Memory => {
  /** By the id of the server: how its release was lost. */
  const lost = new Map<string, string>();
  /** By the UID of a machine that is being deleted: the Mac it had when that began. */
  const leaving = new Map<string, string>();
  const hearHost = ({ before, after }: Change<'hosts'>): void => {
    if (before === undefined || after === undefined) return;
    const { name } = after.metadata;
    if (after.spec.release !== undefined) lost.delete(name);
    else if (isGivenUp(before, after)) lost.set(name, 'its release was taken off the record before it was wiped');
  };
  const hearMachine = ({ before, after }: Change<'machines'>, truth: Truth): void => {
    const uid = (after ?? before)?.metadata.uid ?? '';
    const host = truth.list('hosts').find(({ spec }) => spec.claimRef?.uid === uid);
    if (isMarked(after) && !isMarked(before) && host !== undefined) leaving.set(uid, host.metadata.name);
    if (before === undefined || !hasLeft(before, after) || leaving.get(uid) !== before.status?.serverID) return;
    if (host !== undefined && host.spec.release === undefined && host.spec.hold === undefined)
      lost.set(host.metadata.name, `${before.metadata.name} had it, and went without a word about it`);
  };
  return {
    hear: (happening, truth) => {
      if (happening.is !== 'object') return;
      if (happening.change.kind === 'hosts') hearHost(happening.change);
      if (happening.change.kind === 'machines') hearMachine(happening.change, truth);
    },
    judge: (truth) =>
      [...lost]
        .filter(([id]) => truth.server(id) !== undefined && truth.find('hosts', id)?.spec.release === undefined)
        .map(([id, how]) => ({ property: 'L3', message: `${id} is left lying: ${how}` })),
  };
};

/** The end of a wipe is counted. One that does not end is told of, with the Mac kept apart until somebody releases it again. */
const isGivenUp = ({ spec: before }: MacHost, { spec: after }: MacHost): boolean => {
  const isKeptApart = after.quarantine !== undefined && after.quarantine.since !== before.quarantine?.since;
  const isOff = before.release?.policy === 'pool' && after.release === undefined;
  return isOff && after.wipes === before.wipes && !isKeptApart;
};

const isMarked = (machine: ScalewayAppleSiliconMachine | undefined): boolean =>
  machine?.metadata.deletionTimestamp !== undefined;

/** Our finalizer was taken off, and not by a person nor by `clusterctl move`. */
const hasLeft = (before: ScalewayAppleSiliconMachine, after: ScalewayAppleSiliconMachine | undefined): boolean => {
  const { finalizers: old = [], annotations = {} } = before.metadata;
  const { finalizers: now = [] } = after?.metadata ?? {};
  const isOff = old.includes(FINALIZERS.machine) && !now.includes(FINALIZERS.machine);
  const isByOthers =
    annotations[STRIPPED_BY_HAND] !== undefined ||
    annotations[CLUSTER_API_ANNOTATIONS.deleteForMove] !== undefined ||
    now.some((finalizer) => !old.includes(finalizer));
  return isMarked(before) && isOff && !isByOthers;
};
