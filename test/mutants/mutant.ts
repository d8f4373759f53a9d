/** A defect that somebody once made, or that is easily made, as the smallest edit that brings it back into our code. */

export interface Edit {
  /** From the root of the project. */
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly from: string;
  readonly to: string;
}

export interface Mutant {
  /** M and N as in the reliability spec; R after the rule of a Mac's life that it breaks. */
  readonly id: string;
  readonly story: string;
  /** The promises any of which must be seen broken. */
  readonly killedBy: readonly string[];
  /** Within so many schedules. */
  readonly budget: number;
  /** Where it is looked for: schedules of the fleet unless given, or days of runners. */
  readonly world?: 'runners';
  readonly edits: readonly Edit[];
}

/** A historical defect that has no place in our code to come back to. */
export interface DesignedOut {
  readonly id: string;
  readonly story: string;
  readonly why: string;
}
