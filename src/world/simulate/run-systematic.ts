/**
 * The systematic mode: each reference scenario once as it is, then once with a manager killed before, and after, each of
 * its effects, then once with each single fault at each call. Every run must reach its end, with every promise kept.
 */
import { FleetError, messageOf } from '../../base/errors.ts';
import type { CrashPoint } from '../../sim/kernel/actors.ts';
import { type ChoiceList, packZeros, unpackZeros } from '../../sim/kernel/choices.ts';
import { CALL_FAULTS, STREAM_FAULTS } from '../../sim/kernel/network.ts';
import { FOLDED_PACE } from '../fleet-pace.ts';
import { createFleetWorld, type FleetWorld, SECOND } from '../fleet-world.ts';
import { createSettledClusters } from '../settle-cluster.ts';
import { createJury, type Jury } from './jury.ts';
import type { Scenario } from './scenarios.ts';
import { startFleet } from './start-fleet.ts';
import { REPLAYED_NETWORK } from './swarm-profile.ts';

export interface SystematicOptions {
  readonly scenarios: readonly Scenario[];
  /** Tries only every n-th fault. */
  readonly every: number;
  /** And every n-th crash; all of them unless given. */
  readonly everyCrash?: number;
  /** Of those only the part of one worker: every `of`-th, beginning with `at`. */
  readonly share?: { readonly at: number; readonly of: number };
}

export interface SystematicSummary {
  /** How many points there are, of all workers, tried or not. */
  readonly points: number;
  readonly runs: number;
  /** Each names its scenario and the point at which it broke. */
  readonly violations: readonly string[];
}

interface Twist {
  readonly what: string;
  readonly crash?: CrashPoint;
  readonly replay?: ChoiceList;
}

const SEED = 1;
const BOUNDS = { maxEvents: 60_000, maxVirtualMs: 4 * 3_600_000 };
const RESTART_MS = 5_000;
/** All that a network does to a request or its answer, and the one thing that it does to a stream. */
const SINGLE_FAULTS = ['fail-before', 'fail-after', 'late-effect', 'late-answer'] as const;
const CUT = STREAM_FAULTS.indexOf('cut') + 1;

export const runSystematic = async ({
  scenarios,
  every,
  everyCrash = 1,
  share = { at: 0, of: 1 },
}: SystematicOptions): Promise<SystematicSummary> => {
  const violations: string[] = [];
  let runs = 0;
  let points = 0;
  const attempt = async (scenario: Scenario, twist: Twist): Promise<FleetWorld | undefined> => {
    runs += 1;
    try {
      return await runScenario(scenario, twist);
    } catch (error) {
      violations.push(`${scenario.id}, ${twist.what}: ${messageOf(error)}`);
      return undefined;
    }
  };
  for (const scenario of scenarios) {
    const reference = await attempt(scenario, { what: 'as it is' });
    const crashes = reference === undefined ? [] : crashesOf(reference);
    const faults = reference === undefined ? [] : faultsOf(reference);
    points += crashes.length + faults.length;
    const tried = [...everyNth(crashes, everyCrash), ...everyNth(faults, every)];
    for (const twist of everyNth(tried, share.of, share.at)) await attempt(scenario, twist);
  }
  return { points, runs, violations };
};

const everyNth = <T>(items: readonly T[], n: number, first = 0): readonly T[] =>
  items.filter((_, at) => at % n === first);

/** A manager is killed before, and after, each of its effects: the first one, and that of a second cluster. */
const crashesOf = ({ kernel, second }: FleetWorld): readonly Twist[] =>
  ['manager', ...(second === undefined ? [] : SECOND.managers)].flatMap((actor) =>
    (['before-effect', 'after-effect'] as const).flatMap((kind) =>
      Array.from({ length: kernel.counts(actor).effects }, (_, index): Twist => {
        const crash = { actor, kind, index, restartAfterMs: RESTART_MS };
        return { what: `${actor} killed ${kind} ${index}`, crash };
      }),
    ),
  );

/** Every way in which one call goes wrong. */
const faultsOf = ({ kernel }: FleetWorld): readonly Twist[] => {
  const choices = kernel.choices();
  const sites = Object.entries(kernel.decisions()).filter(([site]) => site.startsWith('fault '));
  return sites.flatMap(([site, count]) =>
    faultsAt(site).flatMap(({ what, value }) =>
      Array.from({ length: count }, (_, at): Twist => {
        const replay = { ...choices, [site]: withDecision(choices[site], at, value) };
        return { what: `${what} at ${site.slice('fault '.length)} ${at}`, replay };
      }),
    ),
  );
};

/** A read that is lost on its way there or back is the same to both sides; an old answer is worse than a late one. */
const READS = /:(?:GET|open|survey) by /;
const READ_FAULTS = ['fail-before', 'late-answer'] as const;

const faultsAt = (site: string): readonly { readonly what: string; readonly value: number }[] =>
  site.includes(':body by ')
    ? [{ what: 'cut', value: CUT }]
    : (READS.test(site) ? READ_FAULTS : SINGLE_FAULTS).map((what) => ({ what, value: CALL_FAULTS.indexOf(what) + 1 }));

const withDecision = (packed: readonly number[] = [], at: number, value: number): readonly number[] => {
  const values = [...unpackZeros(packed)];
  while (values.length <= at) values.push(0);
  values[at] = value;
  return packZeros(values);
};

const settledClusters = createSettledClusters('default');

const runScenario = async (scenario: Scenario, { crash, replay }: Twist): Promise<FleetWorld> => {
  const jury = createJury();
  const settled = await settledClusters();
  const world = createFleetWorld({
    ...{ seed: SEED, macs: scenario.macs, traceLines: 0, observer: jury.observer, pace: FOLDED_PACE, settled },
    network: REPLAYED_NETWORK,
    ...(scenario.managers && { managers: scenario.managers }),
    ...(crash && { crash }),
    ...(replay && { replay }),
  });
  jury.attend(world);
  startFleet(world, scenario.machines);
  for (const { what, isReached, act } of scenario.stages()) {
    let looks = 0;
    const until = (): boolean => {
      jury.afterEvent();
      looks += 1;
      return jury.violations().length > 0 || (looks % LOOK_EVERY === 0 && isReached(world));
    };
    const { outcome } = await world.kernel.run({ ...BOUNDS, until });
    const error = brokenBy(jury) ?? (outcome === 'until' ? undefined : notReached(what));
    if (error !== undefined) throw error;
    act?.(world);
  }
  return world;
};

/** How many events lie between two looks at whether a stage is reached. */
const LOOK_EVERY = 10;

const brokenBy = (jury: Jury): FleetError | undefined => {
  const [violation] = jury.violations();
  if (violation === undefined) return undefined;
  const { property, message } = violation;
  return new FleetError('bug', { code: 'PromiseBroken', message: `${property} is broken: ${message}` });
};

const notReached = (what: string): FleetError =>
  new FleetError('bug', { code: 'StageNotReached', message: `it never came to this: ${what}` });
