/** S8 on the Macs: no two processes of a cluster work on one life of a Mac under the same epoch (R10), so that its fence tells them apart. */
import { LEASE_NAMES } from '../../../kinds/names.ts';
import type { Happening, ObjectChange, Truth } from '../truth.ts';
import { processOf } from './process-of.ts';

/** Whoever takes an agent out of service needs no epoch of its own: nothing comes after that but a wipe. */
const WITHOUT_EPOCH = ['stop-agent'];

/** Says what is wrong with the batch that it is told of, if anything. */
export const createEpochWatch = (): ((happening: Happening, truth: Truth) => string | undefined) => {
  const leaders = new Set<string>();
  /** By the server: who was the first to work under an epoch of a life of its Mac. */
  const workers = new Map<string, Map<string, string>>();
  const hear = (change: ObjectChange): void => {
    const { before, after } = change;
    if (change.kind === 'leases' && after?.metadata.name === LEASE_NAMES.manager)
      leaders.add(processOf(change.after?.spec?.holderIdentity ?? ''));
    // A record that is made anew does not know the epochs that were raised before, nor does an older etcd.
    if (change.kind === 'hosts' && after === undefined) workers.delete(before?.metadata.name ?? '');
  };
  return (happening, truth) => {
    if (happening.is === 'object') hear(happening.change);
    if (happening.is === 'reopened' && happening.how === 'restored') workers.clear();
    if (happening.is !== 'batch') return undefined;
    const { caller, serverId, epoch, steps } = happening.batch;
    if (!leaders.has(caller) || steps.every((step) => WITHOUT_EPOCH.includes(step))) return undefined;
    const known = workers.get(serverId) ?? new Map<string, string>();
    workers.set(serverId, known);
    const key = `${truth.server(serverId)?.wipes} ${epoch}`;
    const first = known.get(key) ?? caller;
    known.set(key, first);
    return first === caller ? undefined : `${caller} works on ${serverId} under the epoch ${epoch} of ${first}`;
  };
};
