/**
 * `clusterctl move` takes our finalizer off the machine that it moved, often before we have seen that it goes. What the machine was like
 * last still tells that it lives on elsewhere (R17): its Mac is forgotten here. Whoever missed that holds it, as one whose machine vanished (R15).
 */
import { toTimestamp } from '../../base/clock.ts';
import type { ScalewayAppleSiliconMachine } from '../../kinds/machine.ts';
import type { Cache } from '../../kube/cache/cache.ts';
import { type Controller, createController, watchMapped } from '../../kube/controller/controller.ts';
import { isMoving } from '../host/host-caches.ts';
import { findHost, patchHost } from '../host/host-record.ts';
import { isHoldOfOwner, MOVED } from '../host/plan-owner.ts';

/** A key is the Mac and the UID of the machine that is gone. */
export const createForgetMoved = (machines: Cache<ScalewayAppleSiliconMachine>): Controller =>
  createController({
    name: 'machines.moved',
    watches: [
      watchMapped(machines, (change) => {
        if (change.type !== 'deleted' || !isMoving(change.old)) return [];
        const { metadata, status } = change.old;
        return status?.serverID ? [`${status.serverID} ${metadata.uid}`] : [];
      }),
    ],
    reconcile: async (context) => {
      const [name = '', uid] = context.key.split(' ');
      const host = await findHost(name, context);
      const { claimRef, release, hold } = host?.spec ?? {};
      const isSaid = hold !== undefined && !isHoldOfOwner(hold.reason);
      if (host === undefined || claimRef?.uid !== uid || release !== undefined || isSaid) return { next: 'rest' };
      const since = toTimestamp(context.clock.now());
      await patchHost(host, { hold: { ...MOVED, since, by: 'macfleet' } }, context);
      return { next: 'rest' };
    },
  });
