/**
 * What this process has just decided for Macs of a pool, before its cache shows the record of it: all Macs that are looked at meanwhile would else find a
 * limit of the pool unreached, and pass it together (R20, R21). What a process before this one put on record is in the list that a cache begins with.
 */
import type { MacHost } from '../../kinds/mac-host.ts';

export type Decision = 'wipe' | 'quarantine';

export interface Decisions {
  /** Right before it is put on record, and with nothing waited for since the limit was looked at. */
  note(host: MacHost, decision: Decision): void;
  /** How many there are for other hosts of its pool that the records do not show yet. */
  unseen(host: MacHost, decision: Decision, records: Records): number;
}

type Records = Pick<ReadonlyMap<string, MacHost>, 'get'>;

interface Entry {
  readonly decision: Decision;
  readonly pool: string | undefined;
  readonly version: string | undefined;
}

export const createDecisions = (): Decisions => {
  const entries = new Map<string, Entry>();
  return {
    note: ({ metadata, spec }, decision) => {
      entries.set(metadata.name, { decision, pool: spec.pool?.prefix, version: metadata.resourceVersion });
    },
    unseen: ({ metadata, spec }, decision, records) => {
      for (const [name, { version }] of entries) if (isOver(records.get(name), version)) entries.delete(name);
      return [...entries].filter(
        ([name, entry]) => name !== metadata.name && entry.decision === decision && entry.pool === spec.pool?.prefix,
      ).length;
    },
  };
};

/** A record is written on the version that was read: whatever comes after that shows the decision, or that it was refused. */
const isOver = (record: MacHost | undefined, version: string | undefined): boolean =>
  record?.metadata.resourceVersion !== version;
