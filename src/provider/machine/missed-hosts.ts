/**
 * Macs whose record is missing although a machine that is on its way names them. Somebody may have deleted the record by
 * force: the inventory makes it anew, as long as there is the Mac (R15). That there is none takes two complete lists (R19).
 */
import type { Clock } from '../../base/clock.ts';
import type { ScalewayAppleSiliconMachine } from '../../kinds/machine.ts';
import type { CompleteLists } from '../host/complete-lists.ts';

/** As far apart as two looks at a server that is gone. */
const LISTS_APART_MS = 30_000;

export interface MissedHosts {
  /** Whether the inventory had its time to make the record of the Mac that this machine names, and made none. */
  isLostFor(machine: ScalewayAppleSiliconMachine): boolean;
  /** For how long it has been missed. */
  forMs(machine: ScalewayAppleSiliconMachine): number;
  /** It is there, or nobody waits for it any more. */
  forget(machine: ScalewayAppleSiliconMachine): void;
}

interface Miss {
  readonly serverId: string;
  readonly sinceMs: number;
  /** When the first complete list was asked for that was to bring it back. */
  readonly listedMs: number | undefined;
}

export const createMissedHosts = (clock: Pick<Clock, 'elapsed'>, lists: Pick<CompleteLists, 'lastOf'>): MissedHosts => {
  const misses = new Map<string, Miss>();
  return {
    isLostFor: ({ metadata: { uid = '' }, spec: { zone }, status }) => {
      const serverId = status?.serverID ?? '';
      const before = misses.get(uid);
      const isSame = before?.serverId === serverId;
      const sinceMs = isSame ? before.sinceMs : clock.elapsed();
      const lastMs = lists.lastOf(zone) ?? Number.NEGATIVE_INFINITY;
      const listedMs = (isSame ? before.listedMs : undefined) ?? (lastMs >= sinceMs ? lastMs : undefined);
      misses.set(uid, { serverId, sinceMs, listedMs });
      return listedMs !== undefined && lastMs - listedMs >= LISTS_APART_MS;
    },
    forMs: ({ metadata: { uid = '' } }) => clock.elapsed() - (misses.get(uid)?.sinceMs ?? clock.elapsed()),
    forget: ({ metadata: { uid = '' } }) => void misses.delete(uid),
  };
};
