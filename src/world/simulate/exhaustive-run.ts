/**
 * One schedule of a tiny fleet: two Macs, two machines, of which a person deletes one. Everything goes its dullest way, except at
 * the deviations that it is given; at every later decision it asks whether to go on.
 */
import { messageOf } from '../../base/errors.ts';
import { MACHINES } from '../../kinds/machine.ts';
import { CLUSTER_API_RESOURCES } from '../../kube/types/cluster-api.ts';
import { FOLDED_PACE } from '../fleet-pace.ts';
import { createFleetWorld, type FleetWorld } from '../fleet-world.ts';
import { type WorldState, watchState } from './exhaustive-state.ts';
import { createJury } from './jury.ts';
import { startFleet } from './start-fleet.ts';

export const DEVIATION_KINDS = ['delete', 'crash', 'fault', 'order', 'landing'] as const;

/** Of each kind a schedule has at most one. */
export type DeviationKind = (typeof DEVIATION_KINDS)[number];

/** A decision that is not the dull one. */
export interface Deviation {
  readonly kind: DeviationKind;
  readonly site: string;
  /** Which decision at this site, from 0. */
  readonly at: number;
  readonly value: number;
}

export interface DecisionPoint {
  readonly state: WorldState;
  /** What else could be decided here. */
  readonly others: readonly Deviation[];
}

export interface TinyRun {
  readonly deviations: readonly Deviation[];
  /** Asked at each decision after the last deviation; `stop` ends the run. */
  readonly onPoint: (point: DecisionPoint) => 'go on' | 'stop';
}

export interface TinyResult {
  readonly events: number;
  readonly outcome: 'reached' | 'stopped' | { readonly broken: string };
}

const SIZE = 2;
const RESTART_MS = 5_000;
const BOUNDS = { maxEvents: 30_000, maxVirtualMs: 4 * 3_600_000 };
/** A person looks in so often, and may delete a machine then. */
const LOOK_MS = 20_000;
/** How many events lie between two looks at whether the end is reached. */
const LOOK_EVERY = 10;
/** Lost before, and lost after its effect. */
const FAULTS = [1, 2];

export const runTiny = async ({ deviations, onPoint }: TinyRun): Promise<TinyResult> => {
  const jury = createJury();
  const search = { left: [...deviations], counts: new Map<string, number>(), isStopped: false };
  let watch: ReturnType<typeof watchState> | undefined;
  const decide = (site: string, bound: number): number => {
    const at = search.counts.get(site) ?? 0;
    search.counts.set(site, at + 1);
    const [next] = search.left;
    if (next !== undefined) {
      if (next.site !== site || next.at !== at) return 0;
      search.left.shift();
      return Math.min(next.value, bound - 1);
    }
    const others = othersAt(site, at, bound);
    if (others.length === 0 || watch === undefined || search.isStopped) return 0;
    watch.update();
    search.isStopped = onPoint({ state: watch.state(), others }) === 'stop';
    return 0;
  };
  const observer = {
    ...jury.observer,
    onDisk: () => {
      watch?.macsChanged();
      jury.observer.onDisk?.();
    },
  };
  const world = createFleetWorld({
    ...{ seed: 1, macs: SIZE, traceLines: 0, pace: FOLDED_PACE, observer, decide },
    crash: { actor: 'manager', kind: 'chosen', restartAfterMs: RESTART_MS },
  });
  jury.attend(world);
  startFleet(world, SIZE);
  watch = watchState(world);
  const deletion = deleteSometime(world);
  let looks = 0;
  const until = (): boolean => {
    jury.afterEvent();
    if (search.isStopped || jury.violations().length > 0) return true;
    looks += 1;
    return looks % LOOK_EVERY === 0 && deletion.isOver();
  };
  try {
    const { events, outcome } = await world.kernel.run({ ...BOUNDS, until });
    const [violation] = jury.violations();
    if (violation !== undefined) return { events, outcome: { broken: `${violation.property}: ${violation.message}` } };
    if (search.isStopped) return { events, outcome: 'stopped' };
    return { events, outcome: outcome === 'until' ? 'reached' : { broken: `L1: it ends with ${outcome}` } };
  } catch (error) {
    return { events: 0, outcome: { broken: `S0: ${messageOf(error)}` } };
  }
};

const KIND_OF_SITE: readonly (readonly [RegExp, DeviationKind])[] = [
  [/^order$/, 'order'],
  [/^delete$/, 'delete'],
  [/^crash /, 'crash'],
  [/^land .* by manager$/, 'landing'],
  [/^fault (?!.*:body).* by manager$/, 'fault'],
];

const othersAt = (site: string, at: number, bound: number): readonly Deviation[] => {
  const kind = KIND_OF_SITE.find(([pattern]) => pattern.test(site))?.[1];
  if (kind === undefined) return [];
  return valuesOf(kind, bound).map((value) => ({ kind, site, at, value }));
};

/** The one that should be next lets the one after it pass, or all others. */
const valuesOf = (kind: DeviationKind, bound: number): readonly number[] => {
  if (kind === 'fault') return FAULTS;
  return bound > 2 ? [1, bound - 1] : [1];
};

const { machines: CORE_MACHINES } = CLUSTER_API_RESOURCES;

/** A person deletes one machine: at some look, or as soon as both are ready. */
const deleteSometime = ({ kernel, operator }: FleetWorld): { readonly isOver: () => boolean } => {
  let isDeleted = false;
  const ready = (): number =>
    operator
      .list(MACHINES)
      .filter(({ metadata, status }) => status?.initialization?.provisioned && !metadata.deletionTimestamp).length;
  const look = (): void => {
    const [machine] = operator.list(CORE_MACHINES);
    if (machine !== undefined && (kernel.choose('delete', 2) === 1 || ready() === SIZE)) {
      isDeleted = true;
      kernel.note('somebody deletes a machine');
      operator.remove(CORE_MACHINES, machine.metadata.name);
      return;
    }
    kernel.schedule(LOOK_MS, 'somebody looks', look);
  };
  kernel.schedule(LOOK_MS, 'somebody looks', look);
  return { isOver: () => isDeleted && ready() === SIZE && operator.list(MACHINES).length === SIZE };
};
