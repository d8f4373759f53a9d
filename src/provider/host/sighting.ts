/** What a server looked like, and when: as a host's status has it. */
import { toTimestamp } from '../../base/clock.ts';
import { isEqualJson } from '../../base/json.ts';
import type { MacHostStatus } from '../../kinds/mac-host.ts';
import type { CloudServer } from '../../scaleway/port/cloud.ts';

export type Sighting = NonNullable<MacHostStatus['server']>;

export const recordSighting = ({ name, status, address, deletableAtMs }: CloudServer, nowMs: number): Sighting => ({
  ...{ name, status, address },
  ...(deletableAtMs === undefined ? {} : { deletableAt: toTimestamp(deletableAtMs) }),
  seenAt: toTimestamp(nowMs),
});

/** When it was seen does not count: what did not change is not written again. */
export const isSameSighting = (known: Sighting | undefined, seen: Sighting): boolean =>
  isEqualJson({ ...known, seenAt: undefined }, { ...seen, seenAt: undefined });

/** Whether what is on record was seen later, or is the same. */
export const isNewer = (known: Sighting | undefined, seen: Sighting): boolean =>
  known !== undefined && (isSameSighting(known, seen) || (known.seenAt ?? '') > (seen.seenAt ?? ''));
