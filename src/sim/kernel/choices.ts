/**
 * The only source of chance in a run. Every decision is drawn at a named site, and the list of all decisions is the
 * run: it replays without the seed, survives changes of code better than a seed does, and can be shortened.
 *
 * A decision is a whole number, and 0 always means "nothing special": no fault, shortest delay, oldest event first.
 * Each site has its own stream and its own place in the list, so a decision removed or added at one site
 * does not move those of another; a site that runs out of recorded decisions goes on with 0.
 */
import { assert, FleetError } from '../../base/errors.ts';
import { isRecord } from '../../base/json.ts';
import { createSeededRandom } from '../../base/random.ts';

/** Per site its decisions in order; `-n` stands for n zeros, and zeros at the end are left out. */
export type ChoiceList = Readonly<Record<string, readonly number[]>>;

/** Makes a decision in [0, bound) at a site. */
export type Decide = (site: string, bound: number) => number;

export type ChoiceSource =
  | { readonly seed: string | number }
  | { readonly replay: ChoiceList }
  | { readonly decide: Decide };

export interface ChoiceSite {
  /** A whole number in [0, bound). */
  pick(bound: number): number;
  /** `n` with the probability `weights[n - 1]`, otherwise 0. */
  weigh(weights: readonly number[]): number;
}

export interface Choices {
  site(name: string): ChoiceSite;
  /** What was decided so far, ready for JSON. */
  recorded(): ChoiceList;
  /** How many decisions there were so far, per site. */
  counts(): Readonly<Record<string, number>>;
}

type Draw = (name: string) => { readonly next: (bound: number) => number; readonly weigh: ChoiceSite['weigh'] };

export const createChoices = (source: ChoiceSource): Choices => {
  const draw = drawFrom(source);
  const sites = new Map<string, { readonly site: ChoiceSite; readonly values: number[] }>();

  const open = (name: string): { readonly site: ChoiceSite; readonly values: number[] } => {
    const { next, weigh } = draw(name);
    const values: number[] = [];
    const keep = (value: number): number => {
      values.push(value);
      return value;
    };
    return { site: { pick: (bound) => keep(next(bound)), weigh: (weights) => keep(weigh(weights)) }, values };
  };

  return {
    site: (name) => {
      const known = sites.get(name);
      if (known !== undefined) return known.site;
      const opened = open(name);
      sites.set(name, opened);
      return opened.site;
    },
    counts: () => Object.fromEntries(Array.from(sites, ([name, { values }]) => [name, values.length])),
    recorded: () =>
      Object.fromEntries(
        Array.from(sites, ([name, { values }]) => [name, packZeros(values)] as const).filter(
          ([, packed]) => packed.length > 0,
        ),
      ),
  };
};

const drawFrom = (source: ChoiceSource): Draw => {
  if ('seed' in source) return drawFromSeed(source.seed);
  if ('replay' in source) return drawFromList(source.replay);
  return (name) => ({
    next: (bound) => source.decide(name, bound),
    weigh: (weights) => source.decide(name, weights.length + 1),
  });
};

const drawFromSeed = (seed: string | number): Draw => {
  const root = createSeededRandom(seed);
  return (name) => {
    const random = root.stream(name);
    const weigh = (weights: readonly number[]): number => {
      let left = random.next();
      for (const [at, weight] of weights.entries()) {
        if (left < weight) return at + 1;
        left -= weight;
      }
      return 0;
    };
    return { next: random.integer, weigh };
  };
};

const drawFromList =
  (list: ChoiceList): Draw =>
  (name) => {
    const values = unpackZeros(list[name] ?? []);
    let at = 0;
    const next = (bound: number): number => Math.min(values[at++] ?? 0, bound - 1);
    return { next, weigh: (weights) => next(weights.length + 1) };
  };

export const packZeros = (values: readonly number[]): readonly number[] => {
  const packed: number[] = [];
  let zeros = 0;
  for (const value of values) {
    if (value === 0) {
      zeros += 1;
      continue;
    }
    if (zeros > 0) packed.push(-zeros);
    zeros = 0;
    packed.push(value);
  }
  return packed;
};

export const unpackZeros = (packed: readonly number[]): readonly number[] =>
  packed.flatMap((value) => (value < 0 ? Array.from({ length: -value }, () => 0) : [value]));

/** A run of zeros longer than this is a damaged file, not a run. */
const ZEROS_MAX = 10_000_000;

/** Reads a list back from JSON text, such as a recorded schedule kept as a regression. */
export const parseChoices = (text: string): ChoiceList => {
  try {
    const value: unknown = JSON.parse(text);
    assert(isRecord(value), 'a choice list is an object of sites');
    return Object.fromEntries(Object.entries(value).map(([site, values]) => [site, parseValues(site, values)]));
  } catch (cause) {
    throw new FleetError('invalid', {
      code: 'BadChoiceList',
      message: 'the recorded choices of a simulation cannot be read',
      hint: 'Pass the JSON that a failed run printed, whole and unchanged.',
      cause,
    });
  }
};

const parseValues = (site: string, values: unknown): readonly number[] => {
  assert(Array.isArray(values), `site ${site} needs a list of whole numbers`);
  return values.map((value: unknown) => {
    assert(typeof value === 'number' && Number.isSafeInteger(value) && value > -ZEROS_MAX, `site ${site}: ${value}`);
    return value;
  });
};
