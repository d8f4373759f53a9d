/**
 * The exhaustive mode: every schedule of a tiny fleet that is within some distance of its dullest one. A step away from that is: a machine
 * is deleted earlier, the manager dies, a request or an answer of its is lost, what it sent before it died still arrives. That two
 * simultaneous events change places counts for two steps, as there are so many of them. Of each there is at most one in a
 * schedule. A state that was met before, with at least the same steps still to come, is not explored again.
 */
import { DEVIATION_KINDS, type Deviation, type DeviationKind, runTiny } from './exhaustive-run.ts';
import type { WorldState } from './exhaustive-state.ts';

export interface ExhaustiveOptions {
  readonly stepsMax: number;
  /** Of the schedules that deviate once, and all that follow from them, only every `of`-th, beginning with `at`. */
  readonly share: { readonly at: number; readonly of: number };
  /** Asked before each schedule. */
  readonly isTimeUp: () => boolean;
}

export interface ExhaustiveSummary {
  /** Schedules that were run, by their distance. */
  readonly schedules: readonly number[];
  /** Schedules that there was no time for. */
  readonly left: number;
  readonly events: number;
  readonly states: ReadonlySet<string>;
  /** What broke, and after which deviations. */
  readonly violations: readonly string[];
}

type Branch = readonly Deviation[];

export const runExhaustive = async (options: ExhaustiveOptions): Promise<ExhaustiveSummary> => {
  const { stepsMax, share, isTimeUp } = options;
  const known = createKnown();
  /** What is still to be run, by its distance; it grows while it is run. */
  const levels: readonly Branch[][] = Array.from({ length: stepsMax + 1 }, (_, at) => (at === 0 ? [[]] : []));
  const schedules = levels.map(() => 0);
  const violations: string[] = [];
  let events = 0;
  let firsts = 0;
  const onBranch = (branch: Branch): void => {
    if (branch.length === 1 && firsts++ % share.of !== share.at) return;
    levels[distanceOf(branch)]?.push(branch);
  };
  for (const [distance, level] of levels.entries()) {
    for (let branch = level.shift(); branch !== undefined; branch = level.shift()) {
      if (isTimeUp()) return { schedules, left: countLeft(levels) + 1, events, states: known.states, violations };
      const { outcome, events: count } = await explore(branch, { known, onBranch });
      schedules[distance] = (schedules[distance] ?? 0) + 1;
      events += count;
      if (typeof outcome === 'object') violations.push(`${renderBranch(branch)}: ${outcome.broken}`);
    }
  }
  return { schedules, left: 0, events, states: known.states, violations };
};

const STEPS: Readonly<Record<DeviationKind, number>> = { delete: 1, crash: 1, landing: 1, fault: 1, order: 2 };

const distanceOf = (branch: Branch): number => branch.reduce((sum, { kind }) => sum + STEPS[kind], 0);

const countLeft = (levels: readonly (readonly Branch[])[]): number =>
  levels.reduce((sum, level) => sum + level.length, 0);

interface Exploring {
  readonly known: Known;
  readonly onBranch: (branch: Branch) => void;
}

const explore = (branch: Branch, { known, onBranch }: Exploring): ReturnType<typeof runTiny> => {
  const used = branch.map(({ kind }) => kind);
  const mask = maskOf(branch);
  const own = new Set<string>();
  return runTiny({
    deviations: branch,
    onPoint: ({ state, others }) => {
      known.states.add(state.all);
      if (!own.has(state.all) && known.wasVisited(state.all, mask)) return 'stop';
      known.visit(state.all, mask);
      own.add(state.all);
      for (const other of others) {
        if (used.includes(other.kind) || !known.isNew(`${branchKey(state, other)} ${mask}`)) continue;
        onBranch([...branch, other]);
      }
      return 'go on';
    },
  });
};

/** One bit for each kind of deviation that a branch has. */
const maskOf = (branch: Branch): number =>
  branch.reduce((mask, { kind }) => mask | (1 << DEVIATION_KINDS.indexOf(kind)), 0);

interface Known {
  /** Of the whole search. */
  readonly states: Set<string>;
  /** Somebody came here who could deviate in all the ways that are left to one with this mask, and perhaps in more. */
  wasVisited(state: string, mask: number): boolean;
  visit(state: string, mask: number): void;
  /** True the first time. */
  isNew(branch: string): boolean;
}

const createKnown = (): Known => {
  const branches = new Set<string>();
  const visits = new Map<string, readonly number[]>();
  return {
    states: new Set(),
    wasVisited: (state, mask) => visits.get(state)?.some((before) => (before & ~mask) === 0) === true,
    visit: (state, mask) => {
      const before = visits.get(state) ?? [];
      if (!before.includes(mask)) visits.set(state, [...before, mask]);
    },
    isNew: (branch) => {
      if (branches.has(branch)) return false;
      branches.add(branch);
      return true;
    },
  };
};

/** What makes a deviation another one: a process that dies forgets what it waited for. */
const branchKey = ({ all, outside }: WorldState, { kind, site, value }: Deviation): string =>
  kind === 'crash' ? `crash ${outside}` : `${site} ${value} ${all}`;

const renderBranch = (branch: Branch): string =>
  branch.length === 0 ? 'as it is' : branch.map(({ site, at, value }) => `${site} ${at} → ${value}`).join(', ');
