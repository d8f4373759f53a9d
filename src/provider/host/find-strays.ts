/**
 * Servers that somebody of our kind named and nobody has on record: a claim that died half-way, or a machine's name on a
 * server that the machine does not know. They cost money and may hold data; they are counted and told of, never touched.
 */
import { parseServerName } from '../../kinds/names.ts';
import type { CloudServer } from '../../scaleway/port/cloud.ts';

export const STRAY_KINDS = ['pending', 'machine'] as const;

export interface Stray {
  readonly id: string;
  readonly name: string;
  /** `pending`: between a pool and a machine; `machine`: under the name of one. */
  readonly kind: (typeof STRAY_KINDS)[number];
}

export interface StraysView {
  /** All servers of the project in the zone. */
  readonly servers: readonly CloudServer[];
  /** Of hosts on record, and of servers that a machine names. */
  readonly knownIds: ReadonlySet<string>;
  readonly machineNames: ReadonlySet<string>;
}

export const findStrays = ({ servers, knownIds, machineNames }: StraysView): readonly Stray[] =>
  servers.flatMap(({ id, name }): readonly Stray[] => {
    if (knownIds.has(id)) return [];
    if (parseServerName(name, [])?.kind === 'claim-pending') return [{ id, name, kind: 'pending' }];
    return machineNames.has(name) ? [{ id, name, kind: 'machine' }] : [];
  });

export interface StraySightings {
  /** Those that are astray for long. */
  readonly lasting: readonly Stray[];
  /** Those of them that were not before. */
  readonly fresh: readonly Stray[];
}

/** Remembers since when each is astray: another cluster of the project may be claiming one this very minute. */
export const createStrayWatch = (patienceMs: number): ((strays: readonly Stray[], nowMs: number) => StraySightings) => {
  let known: ReadonlyMap<string, { readonly sinceMs: number; readonly isTold: boolean }> = new Map();
  return (strays, nowMs) => {
    const before = known;
    const sinceMs = ({ id }: Stray): number => before.get(id)?.sinceMs ?? nowMs;
    const lasting = strays.filter((stray) => nowMs - sinceMs(stray) >= patienceMs);
    const isTold = (stray: Stray): boolean => lasting.includes(stray);
    known = new Map(strays.map((stray) => [stray.id, { sinceMs: sinceMs(stray), isTold: isTold(stray) }]));
    return { lasting, fresh: lasting.filter(({ id }) => before.get(id)?.isTold !== true) };
  };
};
