/** Servers that are astray, as the last list of each zone showed them: who looks for a Mac may have one of them already (T-43). */
import type { Stray } from './find-strays.ts';

/** A server that nobody has on record. */
export interface StrayServer {
  readonly id: string;
  readonly zone: string;
}

export interface KnownStrays {
  /** To be called before anything of that list is put on record: nobody takes a Mac of it sooner. */
  note(zone: string, strays: readonly Stray[]): void;
  /** Undefined: no list of this process shows one of that name. */
  named(name: string): StrayServer | undefined;
}

export const createKnownStrays = (): KnownStrays => {
  const byZone = new Map<string, readonly Stray[]>();
  return {
    note: (zone, strays) => void byZone.set(zone, strays),
    named: (name) => {
      for (const [zone, strays] of byZone) {
        const found = strays.find((stray) => stray.name === name);
        if (found !== undefined) return { id: found.id, zone };
      }
      return undefined;
    },
  };
};
