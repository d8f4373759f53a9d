/** What a Mac says that waits to be changed (004-3): pure. Said once in a roll, and once more when it halts: a fleet of a thousand does not write with every wave. */
import type { RollMember, Wave } from './plan-wave.ts';

export interface WaitView {
  /** Fingerprint that is wanted on the Mac that waits. */
  readonly wanted: string;
  readonly wave: Wave;
  readonly members: readonly RollMember[];
  /** What it says already. */
  readonly told: string;
}

export const describeWait = ({ wanted, wave, members, told }: WaitView): string => {
  const what = `to get the configuration ${wanted.slice(0, 12)}`;
  const haltedBy = (id: string): string =>
    `waits ${what}: the roll of its fleet is halted, because ${id} could not be changed`;
  // The one that halts it is tried again now and then: that is no news before it has succeeded.
  const isStillSo = members.some(({ id, hasFailed }) => hasFailed && told === haltedBy(id));
  if (isStillSo) return told;
  const [first] = wave.is === 'halted' ? wave.because : [];
  return first === undefined
    ? `waits for its turn ${what}: its fleet is changed in waves, and none begins while a Mac of the last one is not well`
    : haltedBy(first);
};

/** Of one that was given up itself. */
export const describeGivenUp = (wanted: string, failures: number): string =>
  `could not be changed to the configuration ${wanted.slice(0, 12)} in ${failures} attempts; works on with the old one, and halts the roll of its fleet`;
