/** One schedule of the swarm from its seed: a whole fleet, six hours, trouble of all kinds, and every promise judged after every event. */
import { FleetError, toFleetError } from '../../base/errors.ts';
import type { ChoiceList } from '../../sim/kernel/choices.ts';
import { FOLDED_PACE } from '../fleet-pace.ts';
import { createFleetWorld, type FleetWorld } from '../fleet-world.ts';
import type { Strike } from './disturbances/disturbance.ts';
import { DISTURBANCES } from './disturbances.ts';
import { endTrouble } from './end-trouble.ts';
import { createJury } from './jury.ts';
import { startFleet } from './start-fleet.ts';
import { drawProfile, type SwarmProfile } from './swarm-profile.ts';
import type { Violation } from './truth.ts';

export interface SeedOptions {
  /** The choices of an earlier run, whole or edited. */
  readonly replay?: ChoiceList;
  /** How many of the last trace lines are kept; none unless said. */
  readonly traceLines?: number;
  readonly eventsMax?: number;
  /** Gets the world right before it runs. */
  readonly onWorld?: (world: FleetWorld) => void;
}

export interface SeedResult {
  readonly seed: string | number;
  /** The run ends with the first one. */
  readonly violations: readonly Violation[];
  readonly hash: string;
  readonly events: number;
  readonly virtualMs: number;
  readonly choices: ChoiceList;
  /** What people, processes and machines did, in order. */
  readonly steps: readonly ScheduleStep[];
  /** The kinds of disturbances that struck, and the rare states that were reached: what `sometimes` happens. */
  readonly marks: readonly string[];
  readonly trace: string;
}

export interface ScheduleStep {
  readonly atMs: number;
  readonly what: string;
}

const HOSTS = 4;
const HOUR_MS = 3_600_000;
const RUN_MS = 6 * HOUR_MS;
/** In liveness mode trouble ends here. */
const TROUBLE_MS = 4 * HOUR_MS;
/** A schedule has some ten thousand; one that has so many has something that never rests (L21). */
const EVENTS_MAX = 100_000;

export const runSeed = async (seed: string | number, options: SeedOptions = {}): Promise<SeedResult> => {
  const profile = drawProfile(seed);
  const { replay, traceLines = 0 } = options;
  const jury = createJury();
  const world = createFleetWorld({
    ...{ seed, macs: HOSTS, managers: profile.managers, network: profile.network, traceLines },
    ...{ observer: jury.observer, pace: FOLDED_PACE },
    ...(replay && { replay }),
  });
  jury.attend(world);
  const steps: ScheduleStep[] = [];
  const marks = new Set<string>();
  const { kernel } = world;
  startFleet(world, profile.machines);
  disturb(world, profile, ({ id, what }) => {
    marks.add(id);
    steps.push({ atMs: kernel.nowMs(), what });
  });
  if (profile.mode === 'liveness') kernel.schedule(TROUBLE_MS, 'trouble ends', () => endTrouble(world, profile));
  options.onWorld?.(world);
  let events = 0;
  let hash = '';
  const until = (): boolean => {
    jury.afterEvent();
    return jury.violations().length > 0;
  };
  try {
    const result = await kernel.run({ maxEvents: options.eventsMax ?? EVENTS_MAX, maxVirtualMs: RUN_MS, until });
    if (result.outcome === 'max-events') jury.add('L21', `more than ${result.events} events: something never rests`);
    if (profile.mode === 'liveness' && result.outcome === 'max-virtual-ms') jury.judgeQuiet();
    events = result.events;
    hash = result.traceHash;
  } catch (thrown) {
    jury.report(toFleetError(thrown));
  }
  const shared = { seed, hash, events, virtualMs: kernel.nowMs(), steps, marks: [...marks, ...jury.marks()] };
  return { ...shared, violations: jury.violations(), choices: kernel.choices(), trace: kernel.dump() };
};

/** How long after the last one the next disturbance comes, at most. */
const GAP_MAX_MS = 900_000;

interface Struck {
  readonly id: string;
  readonly what: string;
}

const disturb = (
  world: FleetWorld,
  { weights, managers, mode }: SwarmProfile,
  onStrike: (struck: Struck) => void,
): void => {
  const { kernel } = world;
  const lastMs = mode === 'liveness' ? TROUBLE_MS : RUN_MS;
  const strikeNext = (): void => {
    const at = kernel.weigh('disturbance', weights) - 1;
    const choose = (bound: number): number => kernel.choose('disturbance detail', bound);
    const what = strikeWith(at, { world, managers, choose });
    if (what !== undefined) {
      kernel.note(what);
      onStrike({ id: DISTURBANCES[at]?.id ?? '', what });
    }
    plan();
  };
  const plan = (): void => {
    const gapMs = 1_000 + kernel.choose('disturbance gap', GAP_MAX_MS);
    if (kernel.nowMs() + gapMs < lastMs) kernel.schedule(gapMs, 'disturbance', strikeNext);
  };
  plan();
};

/** What the API refuses did not happen; the person who tried shrugs. */
const strikeWith = (at: number, strike: Strike): string | undefined => {
  try {
    return DISTURBANCES[at]?.strike(strike);
  } catch (error) {
    if (error instanceof FleetError && error.code === 'Refused') return `refused: ${error.message.slice(0, 200)}`;
    throw error;
  }
};
