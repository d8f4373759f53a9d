/** Makes a failing list of choices small enough to read, by delta debugging: whatever is not needed becomes 0. */
import { type ChoiceList, packZeros, unpackZeros } from './choices.ts';
import { minimise } from './minimise.ts';

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
  return toList(await cutOut(await minimise(ofSites(neededSites), failsWith), failsWith));
};

/** A fault that is gone takes the call that repeated it along: leaves each decision out, and moves those after it forward. */
const cutOut = async (
  decisions: readonly Decision[],
  failsWith: (decisions: readonly Decision[]) => Promise<boolean>,
): Promise<readonly Decision[]> => {
  let kept = decisions;
  for (let at = 0; at < kept.length; ) {
    const cut = kept[at];
    const rest = kept
      .toSpliced(at, 1)
      .map((one) => (one.site === cut?.site && one.at > cut.at ? { ...one, at: one.at - 1 } : one));
    if (await failsWith(rest)) kept = rest;
    else at += 1;
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
