/**
 * Macs that a person took back from a machine: a release stored by hand was carried out (R11). Such a machine has the Mac no more, although it
 * says so until it may be written to again: nobody writes to a paused one (001-2). One that claims the Mac anew has it.
 */
import type { ObjectChange } from './truth.ts';

/** Of an intent that a person stored by hand, which may concern a Mac at work. */
export const BY_HAND = /^by-hand/;

export interface TakenBack {
  hear(change: ObjectChange): void;
  /** The UIDs of the machines that a server was taken back from. */
  from(serverId: string): ReadonlySet<string>;
}

export const createTakenBack = (): TakenBack => {
  const machines = new Map<string, Set<string>>();
  return {
    hear: (change) => {
      if (change.kind !== 'hosts' || change.after === undefined) return;
      const { before, after } = change;
      const [old, now] = [before?.spec.claimRef?.uid, after.spec.claimRef?.uid];
      const losers = machines.get(after.metadata.name) ?? new Set();
      machines.set(after.metadata.name, losers);
      if (now !== undefined) losers.delete(now);
      else if (old !== undefined && BY_HAND.test(before?.spec.release?.intentID ?? '')) losers.add(old);
    },
    from: (serverId) => machines.get(serverId) ?? NOBODY,
  };
};

const NOBODY: ReadonlySet<string> = new Set();
