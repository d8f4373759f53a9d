/** One flag of a program of ours, as data. */
export interface Flag {
  /** As commander takes it: `--zones <zones>`. */
  readonly flag: string;
  readonly is: string;
  /** As it would be written. Without one the flag may be left open. */
  readonly standard?: string;
  /** The variable that counts where the flag is not given. */
  readonly env?: string;
  readonly parse?: (text: string) => unknown;
  /** Given several times it is a list. */
  readonly repeats?: 'yes';
  /** Commander's names of flags that cannot be given beside it. */
  readonly conflicts?: readonly string[];
  /** What comes of another value than the standard, where it does not count. */
  readonly otherwise?: { readonly do: 'note' | 'refuse'; readonly why: string };
}

export interface FlagGroup {
  readonly title: string;
  readonly flags: readonly Flag[];
}
