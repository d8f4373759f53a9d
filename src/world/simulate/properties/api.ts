/** S36–S38: what the embedded API promises to everybody who writes and watches. */

import type { WatchFact } from '../../watch-tap.ts';
import type { Property } from '../truth.ts';

interface Watched {
  readonly collection: string;
  readonly about: WatchFact['about'];
  /** Of what it was told last, or from where it began. */
  revision: number;
}

/** Events are sent in the moment of their write: when it has been judged, every watch has it. */
export const watchesAreWhole: Property = {
  id: 'S36',
  promise: 'a watch is told of every change once, in order, and never goes back in time',
  judge: () => {
    const open = new Map<number, Watched>();
    const follow = ({ is, watch, collection, about, revision }: WatchFact): string | undefined => {
      const known = open.get(watch);
      if (is === 'opened') open.set(watch, { collection, about, revision });
      if (is === 'closed') open.delete(watch);
      if (known === undefined || (is !== 'event' && is !== 'bookmark')) return undefined;
      // A watch that asks for no version begins with what is there, in the order of names.
      const isBehind = is === 'event' ? revision <= known.revision : revision < known.revision;
      if (known.about === 'all' && isBehind)
        return `a watch of ${collection} is told ${revision} after ${known.revision}`;
      known.revision = Math.max(revision, known.revision);
      return undefined;
    };
    return (happening) => {
      if (happening.is === 'reopened') open.clear();
      if (happening.is === 'watch') return follow(happening.fact);
      if (happening.is !== 'stored') return undefined;
      const { collection, key, revision } = happening;
      const isBehind = (watch: Watched): boolean =>
        watch.about === 'all' && watch.collection === collection && watch.revision < revision;
      return open.values().some(isBehind)
        ? `a watch of ${collection} was not told of ${key} at ${revision}`
        : undefined;
    };
  },
};

const REFUSED_FROM = 400;

export const staleWritesConflict: Property = {
  id: 'S37',
  promise: 'a write that names another version of its object than there is, is refused',
  judge: () => (happening) => {
    if (happening.is !== 'stale-write') return undefined;
    const { what, meant, met, code } = happening.write;
    return code < REFUSED_FROM ? `${what} was meant for ${meant}, met ${met}, and was answered ${code}` : undefined;
  },
};

export const acknowledgedSurvives: Property = {
  id: 'S38',
  promise: 'what the API has acknowledged is there after its server was killed',
  judge: () => {
    /** By collection and key; undefined where the last that was acknowledged is a removal. */
    const written = new Map<
      string,
      { readonly place: readonly [string, string]; readonly revision: number | undefined }
    >();
    return (happening) => {
      if (happening.is === 'stored') {
        const { collection, key, effect, revision } = happening;
        const last = effect === 'removed' ? undefined : revision;
        written.set(`${collection} ${key}`, { place: [collection, key], revision: last });
      }
      if (happening.is !== 'reopened') return undefined;
      if (happening.how === 'restored') written.clear();
      const lost = written.values().find(({ place, revision }) => happening.revisionOf(...place) !== revision);
      return lost && `${lost.place.join(' ')} was at ${lost.revision ?? 'its end'}, and after the restart it is not`;
    };
  },
};
