/** Makes a failing list of choices small enough to read, by delta debugging: whatever is not needed becomes 0. */
import { type ChoiceList, packZeros, unpackZeros } from './choices.ts';

interface Decision {
  readonly site: string;
  readonly at: number;
  readonly value: number;
}

export interface ShrinkOptions {
  /** Replays the list; true when the run still fails in the way that matters. */
  readonly failsWith: (list: ChoiceList) => Promise<boolean>;
  /** Replays at most; the best list so far is returned then. */
  readonly triesMax: number;
}

/** A list that still fails and from which nothing can be left out, as far as `triesMax` replays can tell. */
export const shrinkChoices = async (list: ChoiceList, options: ShrinkOptions): Promise<ChoiceList> => {
  let triesLeft = options.triesMax;
  const failsWith = async (decisions: readonly Decision[]): Promise<boolean> => {
    if (triesLeft <= 0) return false;
    triesLeft -= 1;
    return await options.failsWith(toList(decisions));
  };
  const decisions = toDecisions(list);
  const sites = [...new Set(decisions.map(({ site }) => site))];
  const ofSites = (names: readonly string[]): readonly Decision[] =>
    decisions.filter(({ site }) => names.includes(site));
  const neededSites = await minimise(sites, (names) => failsWith(ofSites(names)));
  return toList(await minimise(ofSites(neededSites), failsWith));
};

/** Zeller's ddmin: removes ever smaller chunks as long as the rest still fails. */
const minimise = async <T>(
  items: readonly T[],
  failsWith: (items: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> => {
  let kept = items;
  let chunkSize = kept.length;
  while (chunkSize >= 1) {
    for (let from = 0; from < kept.length; ) {
      const rest = kept.toSpliced(from, chunkSize);
      if (await failsWith(rest)) kept = rest;
      else from += chunkSize;
    }
    chunkSize = Math.floor(chunkSize / 2);
  }
  return kept;
};

const toDecisions = (list: ChoiceList): readonly Decision[] =>
  Object.entries(list).flatMap(([site, packed]) =>
    unpackZeros(packed)
      .map((value, at) => ({ site, at, value }))
      .filter(({ value }) => value !== 0),
  );

const toList = (decisions: readonly Decision[]): ChoiceList => {
  const sites = new Map<string, number[]>();
  for (const { site, at, value } of decisions) {
    const values = sites.get(site) ?? [];
    while (values.length < at) values.push(0);
    values[at] = value;
    sites.set(site, values);
  }
  return Object.fromEntries(Array.from(sites, ([site, values]) => [site, packZeros(values)]));
};
