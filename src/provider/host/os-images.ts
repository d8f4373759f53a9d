/**
 * What can be installed on Macs of a type, remembered for a while: a fleet that ends at once asks once, not once per Mac. An
 * image that was retired meanwhile is refused, and the next list does not have it.
 */
import { abortable, neverAborted } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import type { CloudReads } from '../../scaleway/port/cloud.ts';
import type { OsImage } from '../../scaleway/port/os-family.ts';

export interface OsImages {
  /** At hand at once if somebody asked for them lately. A list that failed is remembered by nobody. */
  of(zone: string, serverType: string, signal: AbortSignal): Promise<readonly OsImage[]>;
}

export interface OsImageDeps {
  readonly cloud: Pick<CloudReads, 'listOsImages'>;
  readonly clock: Pick<Clock, 'elapsed'>;
}

const GOOD_FOR_MS = 300_000;

interface Shelf {
  readonly sinceMs: number;
  readonly images: Promise<readonly OsImage[]>;
}

export const createOsImages = ({ cloud, clock }: OsImageDeps): OsImages => {
  const shelves = new Map<string, Shelf>();
  const fill = (zone: string, serverType: string): Shelf => {
    const key = `${zone} ${serverType}`;
    const images = cloud.listOsImages(zone, serverType, neverAborted());
    const shelf = { sinceMs: clock.elapsed(), images };
    shelves.set(key, shelf);
    images.catch(() => {
      if (shelves.get(key) === shelf) shelves.delete(key);
    });
    return shelf;
  };
  return {
    of: (zone, serverType, signal) => {
      const known = shelves.get(`${zone} ${serverType}`);
      const isGood = known !== undefined && clock.elapsed() - known.sinceMs < GOOD_FOR_MS;
      return abortable((isGood ? known : fill(zone, serverType)).images, signal);
    },
  };
};
