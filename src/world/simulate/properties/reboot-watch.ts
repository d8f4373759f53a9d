/** S12 on the record: a Mac that fails is rebooted once under one machine, from a wipe to the next (000-4). Whoever asks for a reboot gets it besides. */
import type { MacHost } from '../../../kinds/mac-host.ts';
import type { Happening } from '../truth.ts';
import { acceptedByFleet } from './fleet-writes.ts';

/** Says what is wrong with the intent that it is told of, if anything. */
export const createRebootWatch = (): ((happening: Happening) => string | undefined) => {
  /** By the server: under whom the reboot was intended that has not been seen to arrive. */
  const intended = new Map<string, string>();
  /** By the server: under whom it was last rebooted for failing. */
  const done = new Map<string, string>();
  const arrive = (serverId: string): void => {
    const bind = intended.get(serverId);
    if (bind !== undefined) done.set(serverId, bind);
    intended.delete(serverId);
  };
  const intend = (before: MacHost | undefined, after: MacHost): string | undefined => {
    const { name } = after.metadata;
    const { claimRef, wipes, lastWrite, rebootRequest } = after.spec;
    if (lastWrite?.verb !== 'reboot' || lastWrite.id === before?.spec.lastWrite?.id) return undefined;
    intended.delete(name);
    if (before?.spec.rebootRequest !== undefined && rebootRequest === undefined) return undefined;
    const bind = `${claimRef?.uid} ${wipes}`;
    if (done.get(name) === bind) return `${name} is to be rebooted a second time for failing under ${claimRef?.name}`;
    intended.set(name, bind);
    return undefined;
  };
  return (happening) => {
    const arrived = acceptedByFleet(happening, 'reboot');
    if (arrived !== undefined) arrive(arrived.serverId);
    // A record that is made anew does not know of the reboots before, nor does an older etcd.
    if (happening.is === 'reopened' && happening.how === 'restored') done.clear();
    if (happening.is !== 'object' || happening.change.kind !== 'hosts') return undefined;
    const { before, after } = happening.change;
    if (after !== undefined) return intend(before, after);
    done.delete(before?.metadata.name ?? '');
    return undefined;
  };
};
