/** What a worker process of the simulation is asked to do, and the lines in which it answers. */
import type { ExhaustiveSummary } from '../../src/world/simulate/exhaustive.ts';
import type { SwarmSummary } from '../../src/world/simulate/run-swarm.ts';
import type { SystematicSummary } from '../../src/world/simulate/run-systematic.ts';

/** Which part of a list is one worker's: every `of`-th item, beginning with `at`. */
export interface Share {
  readonly at: number;
  readonly of: number;
}

export type Job =
  | { readonly do: 'seeds'; readonly from: number; readonly count: number; readonly shrink: number }
  | HuntJob
  | RunnerHuntJob
  /** The text of a saved schedule. */
  | { readonly do: 'replay'; readonly saved: string }
  | { readonly do: 'systematic'; readonly every: number; readonly everyCrash: number; readonly share: Share }
  | { readonly do: 'exhaustive'; readonly steps: number; readonly minutes: number; readonly share: Share };

/** Until a promise of the list is broken. */
export interface HuntJob {
  readonly do: 'hunt';
  readonly mutant: string;
  /** Which schedules: first those of days.ts, then one seed after the other. All are counted from 1. */
  readonly from: number;
  readonly budget: number;
  readonly properties: readonly string[];
  readonly shrink: number;
}

/** The same in days of runners, of these seeds. */
export interface RunnerHuntJob {
  readonly do: 'hunt-runners';
  readonly from: number;
  readonly budget: number;
  readonly properties: readonly string[];
}

/** A broken promise, ready to be shown. */
export interface Found {
  readonly is: 'found';
  readonly seed: string | number;
  readonly property: string;
  readonly message: string;
  /** The shrunk schedule as a table. */
  readonly table: string;
  /** The same as a file; empty where there are none. */
  readonly saved: string;
}

export interface ExhaustiveAnswer extends Omit<ExhaustiveSummary, 'states'> {
  readonly states: readonly string[];
}

export type Line =
  | Found
  | { readonly is: 'swarm'; readonly summary: SwarmSummary; readonly cpuMs: number }
  | { readonly is: 'replay'; readonly broken: readonly string[] }
  | { readonly is: 'hunt'; readonly schedules: number; readonly others: readonly string[] }
  | ({ readonly is: 'systematic' } & SystematicSummary)
  | ({ readonly is: 'exhaustive' } & ExhaustiveAnswer);

export const parseLine = (text: string): Line => JSON.parse(text) as Line;

export const parseJob = (text: string): Job => JSON.parse(text) as Job;
