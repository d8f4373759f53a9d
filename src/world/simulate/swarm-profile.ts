/**
 * What one seed of the swarm may meet: a random subset of everything that can go wrong. Small subsets reach states that a
 * world where everything goes wrong at once never sees.
 */
import { createSeededRandom, type Random } from '../../base/random.ts';
import type { Fault, NetworkOptions, SiteOptions } from '../../sim/kernel/network.ts';
import { DISTURBANCES } from './disturbances.ts';

export interface SwarmProfile {
  /** `liveness`: trouble ends after a while, and then everything must come right. */
  readonly mode: 'safety' | 'liveness';
  readonly managers: readonly string[];
  readonly machines: number;
  readonly network: NetworkOptions;
  /** The probability of each row of DISTURBANCES at each turn. */
  readonly weights: readonly number[];
  /** `brisk`: a lost leader is noticed within a minute or two; within a quarter of an hour unless said, which costs less. */
  readonly lease?: 'brisk';
  /** Macs run the real agent, with VMs and work for them; scripted agents and no work unless said. */
  readonly agents?: 'tart-kubelet';
  /** `off`: the managers neither reboot nor give back a Mac that keeps failing. Not drawn: recorded schedules say so. */
  readonly tiers?: 'off';
}

/** How likely a kind of fault of the network is part of a seed. */
const SHARE = 0.35;
/** The same for a disturbance; drawn for each seed, so that some meet few kinds, and those often. */
const SHARES = [0.05, 0.15, 0.35] as const;

/** How many seeds have Macs with the real agent: such a schedule costs nearly twice as much, and the provider sees the same of either. */
const AGENTS_SHARE = 0.35;

/** How many seeds have managers that take over fast. */
const BRISK_SHARE = 0.15;

export const drawProfile = (seed: string | number): SwarmProfile => {
  const random = createSeededRandom(seed).stream('swarm');
  const has = (share: number): boolean => random.next() < share;
  const share = SHARES[random.integer(SHARES.length)] ?? SHARE;
  // Each has a stream of its own: another row does not change what a seed draws for the others.
  const agents = random.stream('agents').next() < AGENTS_SHARE ? ('tart-kubelet' as const) : undefined;
  const isOn = DISTURBANCES.map(
    ({ id, needs }) => random.stream(id).next() < share && (needs === undefined || needs === agents),
  );
  const count = isOn.filter(Boolean).length;
  return {
    mode: has(0.5) ? 'liveness' : 'safety',
    managers: has(0.5) ? ['manager', 'rival'] : ['manager'],
    machines: 2 + random.integer(2),
    network: drawNetwork(random, has),
    weights: isOn.map((on) => (on ? 0.9 / count : 0)),
    ...(random.stream('lease').next() < BRISK_SHARE && { lease: 'brisk' as const }),
    ...(agents && { agents }),
  };
};

const CALL_FAULTS: readonly Fault[] = ['fail-before', 'fail-after', 'late-effect', 'late-answer'];
const STREAM_FAULTS: readonly Fault[] = ['cut', 'freeze', 'split'];

/** Longer than a caller waits, and not longer than a request to Scaleway may be under way (R7, R13). */
const CLOUD_LATE_MS = 25_000;

/** For recorded schedules: what goes wrong in them is recorded call by call. */
export const REPLAYED_NETWORK: NetworkOptions = { sites: { cloud: { lateMs: CLOUD_LATE_MS } } };

const drawNetwork = (random: Random, has: (share: number) => boolean): NetworkOptions => {
  const draw = (kinds: readonly Fault[], most: number): SiteOptions['faults'] =>
    Object.fromEntries(kinds.filter(() => has(SHARE)).map((kind) => [kind, random.next() * most]));
  return {
    sites: {
      kube: { faults: has(0.6) ? draw(CALL_FAULTS, 0.03) : {} },
      'kube:body': { faults: has(0.6) ? draw(STREAM_FAULTS, 0.02) : {} },
      cloud: { lateMs: CLOUD_LATE_MS, faults: has(0.6) ? draw(CALL_FAULTS, 0.1) : {} },
      ssh: { faults: has(0.6) ? draw(CALL_FAULTS, 0.1) : {} },
    },
  };
};
