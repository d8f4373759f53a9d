/** Which of the suite's cases are run, which are not and why, and how those that are run are shared out. Pure. */

/** Cases that are not run. */
export interface Exclusion {
  /** Tried on the case's full name. */
  readonly cases: RegExp;
  readonly why: string;
}

export interface Selection {
  /** Full names. */
  readonly run: readonly string[];
  readonly excluded: readonly { readonly name: string; readonly why: string }[];
  /** Exclusions that no case needs any more. */
  readonly idle: readonly Exclusion[];
}

/** A line of `--list-tests` is `file.go:12: [sig-x] Name of the case`. */
const LISTED = /^\s+\S+\.go:\d+: (\[sig-.+)$/;

export const parseListedCases = (listing: string): readonly string[] =>
  listing.split('\n').flatMap((line) => LISTED.exec(line)?.[1]?.trim() ?? []);

/** The first exclusion that matches gives the reason. */
export const selectCases = (
  listed: readonly string[],
  { suites, exclusions }: { readonly suites: readonly string[]; readonly exclusions: readonly Exclusion[] },
): Selection => {
  const ours = listed.filter((name) => suites.some((suite) => name.startsWith(`[${suite}] `)));
  const judged = ours.map((name) => ({ name, exclusion: exclusions.find(({ cases }) => cases.test(name)) }));
  const needed = new Set(judged.map(({ exclusion }) => exclusion));
  return {
    run: judged.flatMap(({ name, exclusion }) => (exclusion === undefined ? [name] : [])),
    excluded: judged.flatMap(({ name, exclusion }) => (exclusion === undefined ? [] : [{ name, why: exclusion.why }])),
    idle: exclusions.filter((exclusion) => !needed.has(exclusion)),
  };
};

const isSerial = (name: string): boolean => name.includes('[Serial]');

export interface Shares {
  /** Run beside each other. */
  readonly atOnce: readonly (readonly string[])[];
  /** Run afterwards, by themselves: they count on having the cluster to themselves. */
  readonly alone: readonly string[];
}

/** Neighbours in the list take equally long, so they are dealt out in turn. */
export const shareOut = (names: readonly string[], shares: number): Shares => {
  const together = names.filter((name) => !isSerial(name));
  const atOnce = Array.from({ length: shares }, (_, share) => together.filter((_name, at) => at % shares === share));
  return { atOnce: atOnce.filter((share) => share.length > 0), alone: names.filter(isSerial) };
};

/** For `--ginkgo.focus`: exactly these cases. The suite's own name stands before that of a case. */
export const renderFocus = (names: readonly string[]): string =>
  names.map((name) => `${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`).join('|');
