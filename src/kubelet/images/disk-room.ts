/**
 * Keeps pulls from filling the disk. As soon as a pull says how much will come, that much is set aside; one that cannot fit
 * beside the others is given up before it has written anything worth speaking of.
 */
import { FleetError } from '../../base/errors.ts';
import type { MeasureDisk } from '../host/host-files.ts';

export interface DiskReservation {
  /** The disk will grow by at least this. Ends the pull when that is more than there is. */
  need(what: string, bytes: number): void;
  /** So many per cent of that are on the disk: whoever measures it sees them there. */
  came(percent: number): void;
  release(): void;
}

export interface DiskRoom {
  reserve(refuse: (error: FleetError) => void): DiskReservation;
}

export const createDiskRoom = (measure: MeasureDisk, path: string): DiskRoom => {
  const reserved = new Map<symbol, { readonly bytes: number; readonly leftBytes: number }>();
  const othersThan = (id: symbol): number =>
    [...reserved].reduce((sum, [other, { leftBytes }]) => (other === id ? sum : sum + leftBytes), 0);
  return {
    reserve: (refuse) => {
      const id = Symbol('pull');
      const check = async (what: string, bytes: number): Promise<void> => {
        const others = othersThan(id);
        reserved.set(id, { bytes, leftBytes: bytes });
        const { freeBytes } = await measure(path);
        if (reserved.has(id) && bytes > freeBytes - others) refuse(noRoom({ what, bytes, freeBytes, others }));
      };
      return {
        need: (what, bytes) => {
          // What cannot be measured is left to Tart.
          check(what, bytes).catch(() => undefined);
        },
        came: (percent) => {
          const { bytes } = reserved.get(id) ?? {};
          if (bytes !== undefined) reserved.set(id, { bytes, leftBytes: Math.round((bytes * (100 - percent)) / 100) });
        },
        release: () => {
          reserved.delete(id);
        },
      };
    },
  };
};

export interface PullRoom extends DiskRoom {
  /** How far the pull is whose room was last reserved here. */
  came(percent: number): void;
}

/** The room of one pull, for whoever hears how far it is. */
export const followPull = (room: DiskRoom): PullRoom => {
  let last: DiskReservation | undefined;
  return {
    reserve: (refuse) => {
      last = room.reserve(refuse);
      return last;
    },
    came: (percent) => last?.came(percent),
  };
};

interface Shortage {
  readonly what: string;
  readonly bytes: number;
  readonly freeBytes: number;
  readonly others: number;
}

const inGb = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;

const noRoom = ({ what, bytes, freeBytes, others }: Shortage): FleetError => {
  const elsewhere = others === 0 ? '' : `, of which other pulls need ${inGb(others)}`;
  return new FleetError('no-capacity', {
    code: 'NoSpace',
    message: `tart pull: ${what} needs at least ${inGb(bytes)}, and ${inGb(freeBytes)} are free${elsewhere}`,
    hint: 'Free space on the Mac, or use a smaller image.',
    details: { bytes, freeBytes, others },
  });
};
