/** One schedule of the swarm from its seed: a whole fleet, six hours, trouble of all kinds, and every promise judged after every event. */
import { toFleetError } from '../../base/errors.ts';
import type { ProviderPorts } from '../../provider/create-manager.ts';
import type { ChoiceList } from '../../sim/kernel/choices.ts';
import { BRISK_LEASE, type FleetPace, FOLDED_PACE } from '../fleet-pace.ts';
import { createFleetWorld, type FleetWorld, type FleetWorldOptions } from '../fleet-world.ts';
import { createSettledClusters } from '../settle-cluster.ts';
import { endTrouble } from './end-trouble.ts';
import { createJury } from './jury.ts';
import { SAFETY } from './properties/all.ts';
import { tiersStayOff } from './properties/writes.ts';
import { startFleet } from './start-fleet.ts';
import { disturb, drawTurns, followTurns, type PlannedStrike } from './strikes.ts';
import { submitWork } from './submit-work.ts';
import { drawProfile, type SwarmProfile } from './swarm-profile.ts';
import type { Violation } from './truth.ts';

export interface SeedOptions {
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
  /** Gives the same run again. */
  readonly schedule: Schedule;
  /** What people, processes and machines did, in order. */
  readonly steps: readonly ScheduleStep[];
  /** The kinds of disturbances that struck, and the rare states that were reached: what `sometimes` happens. */
  readonly marks: readonly string[];
  /** The rights that our identities used. */
  readonly rights: readonly string[];
  readonly trace: string;
}

/** Everything that a run follows from, besides the code. */
export interface Schedule {
  readonly profile: SwarmProfile;
  readonly strikes: readonly PlannedStrike[];
  readonly choices: ChoiceList;
}

export interface ScheduleStep {
  readonly atMs: number;
  readonly what: string;
}

const HOSTS = 4;
/** One that can be deleted. */
const NAMESPACE = 'fleet';
const settledClusters = createSettledClusters(NAMESPACE);
const HOUR_MS = 3_600_000;
const RUN_MS = 6 * HOUR_MS;
/** In liveness mode trouble ends here. */
const TROUBLE_MS = 4 * HOUR_MS;
/** A schedule has some ten thousand; one that has so many has something that never rests (L21). */
const EVENTS_MAX = 100_000;

export const runSeed = (seed: string | number, options: SeedOptions = {}): Promise<SeedResult> =>
  run({ seed, profile: drawProfile(seed) }, options);

/** A recorded schedule, whole or edited. */
export const runSchedule = ({ profile, ...replay }: Schedule, options: SeedOptions = {}): Promise<SeedResult> =>
  run({ seed: 'recorded', profile, replay }, options);

interface RunPlan {
  readonly seed: string | number;
  readonly profile: SwarmProfile;
  readonly replay?: Omit<Schedule, 'profile'>;
}

const run = async ({ seed, profile, replay }: RunPlan, options: SeedOptions): Promise<SeedResult> => {
  const { traceLines = 0 } = options;
  const jury = createJury(profile.tiers === 'off' ? [...SAFETY, tiersStayOff] : SAFETY);
  const settled = await settledClusters();
  const world = createFleetWorld({
    ...{ seed, macs: HOSTS, managers: profile.managers, network: profile.network, traceLines },
    ...{ observer: jury.observer, pace: paceOf(profile), namespace: NAMESPACE, keeps: 'log', settled },
    ...(replay && { replay: replay.choices }),
    ...wishesOf(profile),
  });
  jury.attend(world);
  const steps: ScheduleStep[] = [];
  const strikes: PlannedStrike[] = [];
  const marks = new Set<string>();
  const { kernel } = world;
  startFleet(world, profile.machines);
  if (profile.agents !== undefined) submitWork(world);
  const lastMs = profile.mode === 'liveness' ? TROUBLE_MS : RUN_MS;
  disturb(world, {
    managers: profile.managers,
    turns: replay ? followTurns(replay.strikes) : drawTurns(world, { weights: profile.weights, lastMs }),
    onTurn: (strike, what) => {
      strikes.push(strike);
      if (what === undefined) return;
      marks.add(strike.id);
      steps.push({ atMs: strike.atMs, what });
    },
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
    const bounds = { maxEvents: options.eventsMax ?? EVENTS_MAX, maxVirtualMs: RUN_MS };
    const result = await kernel.run({ ...bounds, until, ...(traceLines === 0 && { stacks: 'none' }) });
    if (result.outcome === 'max-events') jury.add('L21', `more than ${result.events} events: something never rests`);
    if (profile.mode === 'liveness' && result.outcome === 'max-virtual-ms') jury.judgeQuiet();
    jury.judgeEnd(marks);
    events = result.events;
    hash = result.traceHash;
  } catch (thrown) {
    jury.report(toFleetError(thrown));
  }
  const schedule = { profile, strikes, choices: withoutTurns(kernel.choices()) };
  const shared = {
    seed,
    hash,
    events,
    virtualMs: kernel.nowMs(),
    steps,
    marks: [...marks, ...jury.marks()],
    rights: jury.rights(),
  };
  return { ...shared, violations: jury.violations(), schedule, trace: kernel.dump() };
};

const paceOf = ({ lease }: SwarmProfile): FleetPace =>
  lease === 'brisk' ? { ...FOLDED_PACE, leaderLease: BRISK_LEASE } : FOLDED_PACE;

const wishesOf = ({ agents, tiers }: SwarmProfile): Pick<FleetWorldOptions, 'agents' | 'adjust'> => ({
  ...(agents && { agents }),
  ...(tiers === 'off' && { adjust: withoutTiers }),
});

const withoutTiers = ({ settings, ...ports }: ProviderPorts): ProviderPorts => ({
  ...ports,
  settings: { ...settings, limits: { ...settings.limits, rebootAfter: 0, releaseAfter: 0 } },
});

/** The turns are recorded by name. */
const withoutTurns = (choices: ChoiceList): ChoiceList =>
  Object.fromEntries(Object.entries(choices).filter(([site]) => !site.startsWith('disturbance')));
