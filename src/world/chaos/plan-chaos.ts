/**
 * A minute of trouble from a seed: who is killed when, what is lost, broken and changed. Plain data, so that the same trouble can be
 * done to a fleet in real time and to a model of another order of effects on the virtual clock. Pure.
 */
import { createSeededRandom, type Random } from '../../base/random.ts';

export type Blow =
  /** The manager that leads dies at once. */
  | { readonly do: 'kill' }
  /** A person wants so many Macs of the fleet that is tried. */
  | { readonly do: 'scale'; readonly machines: number }
  /** The cloud's next calls go wrong: a fault of its list (src/sim/cloud/fault-list.ts). */
  | { readonly do: 'cloud'; readonly fault: string; readonly count: number }
  /** No password of this Mac is shown for so many looks. */
  | { readonly do: 'seal'; readonly mac: number; readonly count: number }
  /** pf says `Resource busy` the next times. */
  | { readonly do: 'wedge-pf'; readonly mac: number; readonly count: number }
  /** The SSH connection to this Mac breaks at its next step of this number, its effect done or not. */
  | { readonly do: 'cut-ssh'; readonly mac: number; readonly step: number; readonly when: 'before' | 'after' }
  /** Every connection of managers to the API breaks. */
  | { readonly do: 'drop-connections' };

export interface TimedBlow {
  readonly atMs: number;
  readonly blow: Blow;
}

export interface ChaosPlanOptions {
  readonly seed: number;
  readonly durationMs: number;
  /** At the cloud. */
  readonly macs: number;
  /** Of the fleet that grows and shrinks, at most. */
  readonly machines: number;
}

interface Pace {
  readonly leastMs: number;
  readonly spreadMs: number;
  readonly draw: (random: Random, options: ChaosPlanOptions) => Blow;
}

/** Answers that are lost after their effect, refusals, delays, lists that show the past. */
const CLOUD_FAULTS = ['F01', 'F01', 'F02', 'F02', 'F03', 'F03', 'F05c', 'F12', 'F15', 'F17', 'lost', 'slow'] as const;
const STEPS_MAX = 12;

const PACES: Readonly<Record<string, Pace>> = {
  kills: { leastMs: 1_200, spreadMs: 3_000, draw: () => ({ do: 'kill' }) },
  wishes: {
    ...{ leastMs: 2_500, spreadMs: 4_000 },
    draw: (random, { machines }) => ({ do: 'scale', machines: random.integer(machines + 1) }),
  },
  cloud: {
    ...{ leastMs: 800, spreadMs: 2_500 },
    draw: (random) => ({ do: 'cloud', fault: pick(random, CLOUD_FAULTS), count: 1 + random.integer(2) }),
  },
  macs: {
    ...{ leastMs: 1_500, spreadMs: 3_000 },
    draw: (random, { macs }) => drawMacBlow(random, random.integer(macs)),
  },
  drops: { leastMs: 3_000, spreadMs: 6_000, draw: () => ({ do: 'drop-connections' }) },
};

/** In the order of their times; the first wish is to have all that there may be. */
export const planChaos = (options: ChaosPlanOptions): readonly TimedBlow[] => {
  const random = createSeededRandom(`chaos ${options.seed}`);
  const blows = Object.entries(PACES).flatMap(([name, pace]) => drawBlows(random.stream(name), pace, options));
  return blows.toSorted((left, right) => left.atMs - right.atMs);
};

const drawBlows = (random: Random, pace: Pace, options: ChaosPlanOptions): readonly TimedBlow[] => {
  const blows: TimedBlow[] = [];
  const wait = (): number => pace.leastMs + random.integer(pace.spreadMs);
  for (let atMs = wait(); atMs < options.durationMs; atMs += wait())
    blows.push({ atMs, blow: pace.draw(random, options) });
  return blows;
};

const drawMacBlow = (random: Random, mac: number): Blow => {
  const what = random.integer(3);
  if (what === 0) return { do: 'seal', mac, count: 1 + random.integer(2) };
  if (what === 1) return { do: 'wedge-pf', mac, count: 1 };
  return {
    do: 'cut-ssh',
    mac,
    step: 1 + random.integer(STEPS_MAX),
    when: random.integer(2) === 0 ? 'before' : 'after',
  };
};

const pick = <T>(random: Random, from: readonly [T, ...T[]] | readonly T[]): T => {
  const picked = from[random.integer(from.length)];
  if (picked === undefined) throw new RangeError('nothing to pick from');
  return picked;
};
