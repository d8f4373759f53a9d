/**
 * The deterministic simulation kernel: a whole system of actors in one process, on virtual time, where everything that
 * happens follows from a list of choices. The same list gives the same run, event for event.
 *
 *     const kernel = createKernel({ seed: 7, network: { sites: { kube: { faults: { 'fail-after': 0.1 } } } } });
 *     kernel.boot('manager', async (actor) => {
 *       const transport = createSimTransport({ actor, server: api.serve });
 *       await runManager({ clock: actor.clock, random: actor.random, transport });
 *     });
 *     kernel.schedule(30_000, 'operator deletes a machine', () => api.delete('machine-1'));
 *     await kernel.run({ maxEvents: 100_000, maxVirtualMs: 3_600_000, check: assertInvariants });
 *     kernel.setFaults('off');
 *     await kernel.run({ maxEvents: 100_000, maxVirtualMs: 3_600_000, until: isConverged });
 *
 * One kernel runs at a time in a process. An actor meets the outside only through its handles (actor.ts): a promise
 * shared with another actor behind the kernel's back escapes kill and pause. `kill` from inside an actor's own
 * code takes effect when that code next waits.
 */
import type { FleetError } from '../../base/errors.ts';
import type { Actor } from './actor.ts';
import { type ChosenCrash, type CrashPoint, createActors, type Program } from './actors.ts';
import { type ChoiceList, type ChoiceSource, createChoices, type Decide } from './choices.ts';
import { createNetwork, describeNetwork, type NetworkOptions } from './network.ts';
import { type RunOptions, type RunResult, runToEnd } from './run.ts';
import { createTrace } from './trace.ts';

export interface KernelOptions {
  /** Makes the choices, unless `replay` does; named in every failure. */
  readonly seed: string | number;
  /** The choices of an earlier run, whole or edited. */
  readonly replay?: ChoiceList;
  /** Makes the choices in place of both: for a search. */
  readonly decide?: Decide;
  readonly network?: NetworkOptions;
  readonly crash?: CrashPoint | ChosenCrash;
  /** What actors' wall clocks show at virtual time 0. */
  readonly startWallMs?: number;
  /** How many of the last trace lines a failure shows. */
  readonly traceLines?: number;
  /** Real resource types (leak-detector.ts) to tolerate. */
  readonly allowedResources?: readonly string[];
  /** The command that repeats this run, for the failure's hint. */
  readonly reproduce?: string;
  /** Gets the run's resolved options at its start, and trace and choices of a run that failed. */
  readonly print?: (text: string) => void;
}

export interface Kernel {
  /** The handle to the present life of the actor, which exists from now on. */
  actor(name: string): Actor;
  /** Starts the actor with its program, which `restart` and crash points run again. */
  boot(name: string, program: Program): Actor;
  /** The process is gone at once. Requests it sent may still take effect; nothing it waited for ever comes, nor does a restart. */
  kill(name: string): void;
  /** Kills the actor if it lives; after the delay a new life begins. */
  restart(name: string, afterMs: number): void;
  /** Nothing is delivered to the actor for so long, then everything is, in order: a frozen machine, not a new life. */
  pause(name: string, forMs: number): void;
  /** Sets how far the actor's wall clock is ahead of true time. */
  setSkew(name: string, skewMs: number): void;
  /** Off: latencies stay, no fault is drawn any more. */
  setFaults(mode: 'on' | 'off'): void;
  /** An event of the world itself; the returned function takes it back. */
  schedule(delayMs: number, label: string, run: () => void): () => void;
  /** A decision of the world itself in [0, bound), recorded with all others; 0 should be the dull one. */
  choose(site: string, bound: number): number;
  /** The same by probability: `n` with that of `weights[n - 1]`, otherwise 0. A replayed list gives what it says. */
  weigh(site: string, weights: readonly number[]): number;
  /** Adds a line to the trace, and so to the hash. */
  note(text: string): void;
  nowMs(): number;
  /** Effects of the actor's calls and events delivered to it so far. */
  counts(name: string): { readonly effects: number; readonly deliveries: number };
  hasCrashed(): boolean;
  choices(): ChoiceList;
  /** Calls back with everything that is still to happen: to whom, and what. */
  forEachPending(visit: (actor: string, label: string) => void): void;
  /** How many decisions there were so far, per site. */
  decisions(): Readonly<Record<string, number>>;
  /** The last trace lines. */
  dump(): string;
  /** Every option in force, as JSON. */
  describe(): string;
  /**
   * Goes on until `until` holds, nothing is left to happen, or a bound is reached. Rejects with `SimulationFailed`, whose
   * cause says why: an exception in an event, a failed task, an unhandled rejection, a failed check, a
   * leak to the real world, or silence while tasks are unfinished.
   */
  run(options: RunOptions): Promise<RunResult>;
}

/** 2026-01-01T00:00:00Z: when a world begins unless it says otherwise. */
export const START_WALL_MS = 1_767_225_600_000;
const DEFAULT_TRACE_LINES = 200;

const sourceOf = ({ seed, replay, decide }: KernelOptions): ChoiceSource => {
  if (decide !== undefined) return { decide };
  return replay === undefined ? { seed } : { replay };
};

export const createKernel = (options: KernelOptions): Kernel => {
  const { seed, replay, crash, network = {}, startWallMs = START_WALL_MS } = options;
  const choices = createChoices(sourceOf(options));
  const trace = createTrace(options.traceLines ?? DEFAULT_TRACE_LINES);
  const status: { faults: 'on' | 'off'; failure: FleetError | undefined } = { faults: 'on', failure: undefined };
  const fail = (error: FleetError): void => {
    status.failure ??= error;
  };
  const actors = createActors({
    trace,
    choices,
    network: createNetwork(network, { choices, areFaultsOn: () => status.faults === 'on' }),
    crash,
    startWallMs,
    fail,
  });
  const { engine, unfinished, process } = actors;
  const note = (text: string): void => trace.add({ atMs: engine.nowMs, actor: 'world', label: text });
  const describe = (): string => {
    const { allowedResources, traceLines } = options;
    const resolved = { startWallMs, crash, network: describeNetwork(network), allowedResources, traceLines };
    return JSON.stringify({ seed, replayed: replay !== undefined, ...resolved });
  };
  return {
    actor: actors.actor,
    boot: actors.boot,
    kill: actors.kill,
    restart: actors.restart,
    pause: (name, forMs) => {
      note(`pause ${name} for ${forMs} ms`);
      engine.freeze(process(name), forMs);
    },
    setSkew: (name, skewMs) => {
      note(`skew ${name} by ${skewMs} ms`);
      process(name).skewMs = skewMs;
    },
    setFaults: (mode) => {
      note(`faults ${mode}`);
      status.faults = mode;
    },
    schedule: (delayMs, label, run) => engine.schedule({ delayMs, label, run }),
    choose: (site, bound) => choices.site(site).pick(bound),
    weigh: (site, weights) => choices.site(site).weigh(weights),
    note,
    nowMs: () => engine.nowMs,
    counts: (name) => ({ effects: process(name).effects, deliveries: process(name).deliveries }),
    hasCrashed: actors.hasCrashed,
    choices: choices.recorded,
    forEachPending: (visit) => engine.forEachPending(({ owner, label }) => visit(owner?.name ?? 'world', label)),
    decisions: choices.counts,
    dump: trace.dump,
    describe,
    run: (runOptions) => {
      const failure = (): FleetError | undefined => status.failure;
      return runToEnd({ kernel: options, engine, trace, choices, unfinished, describe, failure, fail }, runOptions);
    },
  };
};
