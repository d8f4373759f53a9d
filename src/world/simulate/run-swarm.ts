/** Many schedules, one after the other: what they found, how far they came, and whether they are the same twice. */
import { FleetError } from '../../base/errors.ts';
import { runSeed, type SeedResult } from './run-seed.ts';

export interface SwarmOptions {
  readonly firstSeed: number;
  readonly seeds: number;
  /** Milliseconds of this process's processor, for the rate. */
  readonly cpuMs: () => number;
  /** Gets every result that broke a promise. */
  readonly onViolation: (result: SeedResult) => Promise<void> | void;
  readonly onProgress?: (done: number) => void;
}

export interface SwarmSummary {
  readonly schedules: number;
  readonly violations: number;
  readonly events: number;
  readonly virtualHours: number;
  /** Schedules per minute of one core. */
  readonly ratePerMinute: number;
  /** How often each kind of disturbance struck, and each other mark was reached. */
  readonly marks: Readonly<Record<string, number>>;
}

/** One schedule in so many runs twice, and must be the same. */
const TWICE_EVERY = 20;

export const runSwarm = async (options: SwarmOptions): Promise<SwarmSummary> => {
  const startedMs = options.cpuMs();
  const marks = new Map<string, number>();
  const total = { violations: 0, events: 0, virtualMs: 0, runs: 0 };
  for (let at = 0; at < options.seeds; at += 1) {
    const result = await runSeed(options.firstSeed + at);
    total.runs += 1;
    if (at % TWICE_EVERY === 0) {
      await assertSame(result);
      total.runs += 1;
    }
    total.events += result.events;
    total.virtualMs += result.virtualMs;
    total.violations += result.violations.length > 0 ? 1 : 0;
    for (const mark of result.marks) marks.set(mark, (marks.get(mark) ?? 0) + 1);
    if (result.violations.length > 0) await options.onViolation(result);
    options.onProgress?.(at + 1);
  }
  const { violations, events, virtualMs, runs } = total;
  const ratePerMinute = Math.round((runs * 60_000) / Math.max(1, options.cpuMs() - startedMs));
  const schedules = options.seeds;
  return {
    ...{ schedules, violations, events, ratePerMinute, virtualHours: Math.round(virtualMs / 3_600_000) },
    marks: Object.fromEntries([...marks].sort(([left], [right]) => (left < right ? -1 : 1))),
  };
};

const assertSame = async (first: SeedResult): Promise<void> => {
  const second = await runSeed(first.seed);
  if (second.hash === first.hash && second.events === first.events) return;
  throw new FleetError('bug', {
    code: 'SimulationNotDeterministic',
    message: `seed ${first.seed} gave ${first.hash} and then ${second.hash}`,
    hint: 'Something in the simulated path depends on what is not simulated: a clock, randomness, or state of the process.',
  });
};
