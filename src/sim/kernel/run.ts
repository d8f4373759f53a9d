/** One run of a kernel, from now until something ends it: always bounded, and every way to fail names the seed. */
import { FleetError, toFleetError } from '../../base/errors.ts';
import type { UnfinishedTask } from './actor.ts';
import type { Choices } from './choices.ts';
import type { Engine } from './engine.ts';
import { guardGlobals } from './guard-globals.ts';
import { type LeakDetector, startLeakDetector } from './leak-detector.ts';
import { eachMacrotask } from './macrotasks.ts';
import { captureProcessFailures } from './process-failures.ts';
import type { Trace } from './trace.ts';

export interface RunOptions {
  readonly maxEvents: number;
  /** From where the clock stands now. */
  readonly maxVirtualMs: number;
  /** Asked after every event, when all promise chains have come to rest; true ends the run. */
  readonly until?: () => boolean;
  /** The invariants, tried after every event; what it throws fails the run. */
  readonly check?: () => void;
  /** Platform clocks, timers and randomness throw (guard-globals.ts), except where the caller's stack matches `allow`. */
  readonly guardGlobals?: { readonly allow?: RegExp };
  /** Errors carry no stack: thousands are part of a troubled run, and each stack costs more than its event. */
  readonly stacks?: 'none';
}

export type RunOutcome = 'until' | 'idle' | 'max-events' | 'max-virtual-ms';

export interface RunResult {
  readonly outcome: RunOutcome;
  /** Of this run. */
  readonly events: number;
  /** The clock at the end, over all runs of the kernel. */
  readonly virtualMs: number;
  /** Over all runs of the kernel. */
  readonly traceHash: string;
}

export interface RunDeps {
  readonly kernel: {
    readonly seed: string | number;
    readonly reproduce?: string;
    readonly allowedResources?: readonly string[];
    readonly print?: (text: string) => void;
  };
  readonly engine: Engine;
  readonly trace: Trace;
  readonly choices: Choices;
  readonly unfinished: ReadonlySet<UnfinishedTask>;
  readonly describe: () => string;
  readonly failure: () => FleetError | undefined;
  readonly fail: (error: FleetError) => void;
}

export const runToEnd = async (deps: RunDeps, options: RunOptions): Promise<RunResult> => {
  const { kernel, engine, trace, fail } = deps;
  kernel.print?.(`simulation seed ${kernel.seed}: ${deps.describe()}`);
  const leaks = startLeakDetector(kernel.allowedResources ?? []);
  const release = captureProcessFailures((error) => fail(toFleetError(error)));
  const restoreGlobals = options.guardGlobals && guardGlobals({ ...options.guardGlobals, report: fail });
  const steps = createSteps(deps, options, leaks);
  const { stackTraceLimit } = Error;
  if (options.stacks === 'none') Error.stackTraceLimit = 0;
  try {
    await eachMacrotask(steps.next, leaks.exempt);
    return { outcome: steps.outcome(), events: steps.events(), virtualMs: engine.nowMs, traceHash: trace.hash() };
  } catch (error) {
    throw report(deps, steps.events(), error);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    restoreGlobals?.();
    leaks.stop();
    release();
  }
};

interface Steps {
  /** Looks at what the last event left behind, then delivers the next; false when the run is over. */
  next(): boolean;
  events(): number;
  outcome(): RunOutcome;
}

const createSteps = (deps: RunDeps, options: RunOptions, leaks: LeakDetector): Steps => {
  const { engine, unfinished, failure } = deps;
  const limitMs = engine.nowMs + options.maxVirtualMs;
  let events = 0;
  let outcome: RunOutcome = 'idle';
  const end = (reason: RunOutcome): false => {
    outcome = reason;
    return false;
  };
  return {
    events: () => events,
    outcome: () => outcome,
    next: () => {
      const error = failure() ?? leaks.found();
      if (error !== undefined) throw error;
      options.check?.();
      if (options.until?.() === true) return end('until');
      if (events >= options.maxEvents) return end('max-events');
      const step = engine.step(limitMs);
      if (step === 'limit') return end('max-virtual-ms');
      if (step === 'idle' && unfinished.size > 0) throw stalled(unfinished);
      if (step === 'idle') return end('idle');
      events += 1;
      return true;
    },
  };
};

const stalled = (unfinished: ReadonlySet<UnfinishedTask>): FleetError => {
  const tasks = Array.from(unfinished, ({ actor, name }) => `${actor}/${name}`);
  return new FleetError('bug', {
    code: 'SimulationStalled',
    message: `nothing is left to happen, but ${tasks.length} tasks have not finished: ${tasks.slice(0, 10).join(', ')}`,
    hint: 'They wait for something that never comes: real I/O, or a promise that nobody settles.',
    details: { tasks, startedAt: Array.from(unfinished, ({ startedAt }) => startedAt.stack).slice(0, 10) },
  });
};

const report = ({ kernel, engine, trace, choices }: RunDeps, events: number, thrown: unknown): FleetError => {
  const cause = toFleetError(thrown);
  const at = `${(engine.nowMs / 1000).toFixed(3)} s, event ${events}`;
  const reproduce = kernel.reproduce ?? `run it again with seed ${kernel.seed}`;
  kernel.print?.(`${trace.dump()}\nchoices: ${JSON.stringify(choices.recorded())}\nreproduce: ${reproduce}`);
  return new FleetError('bug', {
    code: 'SimulationFailed',
    message: `seed ${kernel.seed} failed at ${at}: ${cause.message}`,
    hint: `Reproduce: ${reproduce}`,
    details: { seed: kernel.seed, events, virtualMs: engine.nowMs, traceHash: trace.hash(), trace: trace.dump() },
    cause,
  });
};
