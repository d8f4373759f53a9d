/**
 * `npm run simulate`: whole fleets on the virtual clock, in trouble.
 *
 *     npm run simulate -- --seeds 2000          many schedules; prints what they found
 *     npm run simulate -- --seed 7 --trace      one of them, with everything that happened
 *     npm run simulate -- --replay file.json    a recorded schedule: {"seed": …, "choices": {…}}
 *     npm run simulate -- --systematic          reference scenarios, with each crash and each single fault once
 */
import '../bin/require-node.js';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parseChoices } from '../src/sim/kernel/choices.ts';
import { renderSchedule } from '../src/world/simulate/render-schedule.ts';
import { runSeed, type SeedResult } from '../src/world/simulate/run-seed.ts';
import { runSwarm } from '../src/world/simulate/run-swarm.ts';
import { runSystematic } from '../src/world/simulate/run-systematic.ts';
import { SCENARIOS } from '../src/world/simulate/scenarios.ts';
import { shrinkSeed } from '../src/world/simulate/shrink-seed.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    replay: { type: 'string' },
    systematic: { type: 'boolean', default: false },
    /** Of the systematic points only every n-th. */
    every: { type: 'string', default: '1' },
    trace: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    /** Replays that shrinking may take; 0 shrinks nothing. */
    shrink: { type: 'string', default: '100' },
    /** Where to keep the shrunk schedule of the first violation. */
    keep: { type: 'string' },
  },
});

const print = (text: string): void => void process.stdout.write(`${text}\n`);

const TRACE_LINES = 2_000_000;
const cpuMs = (): number => process.cpuUsage().user / 1_000 + process.cpuUsage().system / 1_000;

const parseSchedule = (file: string): { readonly seed: string; readonly choices: string } => {
  const { seed, choices } = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, unknown>>;
  return { seed: String(seed), choices: JSON.stringify(choices) };
};

const seedOf = (text: string): string | number => (/^\d+$/.test(text) ? Number(text) : text);

const runOne = async (): Promise<SeedResult> => {
  const traceLines = values.trace ? TRACE_LINES : 0;
  if (values.replay === undefined) return runSeed(seedOf(values.seed ?? '1'), { traceLines });
  const { seed, choices } = parseSchedule(values.replay);
  return runSeed(seedOf(seed), { traceLines, replay: parseChoices(choices) });
};

const showOne = (result: SeedResult): void => {
  if (values.trace) print(result.trace);
  if (!values.json) print(renderSchedule(result));
  const { seed, hash, events, virtualMs, violations } = result;
  print(JSON.stringify({ seed, hash, events, virtualMs, violations }));
};

const showViolation = async (result: SeedResult): Promise<void> => {
  const { result: shrunk, choices } = await shrinkSeed(result, Number(values.shrink));
  if (values.keep !== undefined) writeFileSync(values.keep, `${JSON.stringify({ seed: result.seed, choices })}\n`);
  print(`${renderSchedule(shrunk)}\nreplay: npm run simulate -- --seed ${result.seed} --trace\n`);
};

const runAllPoints = async (): Promise<void> => {
  const { runs, violations } = await runSystematic({ scenarios: SCENARIOS, every: Number(values.every) });
  for (const violation of violations) print(violation);
  print(JSON.stringify({ runs, violations: violations.length }));
  process.exitCode = violations.length === 0 ? 0 : 1;
};

if (values.systematic) {
  await runAllPoints();
} else if (values.seed !== undefined || values.replay !== undefined) {
  const result = await runOne();
  showOne(result);
  process.exitCode = result.violations.length === 0 ? 0 : 1;
} else {
  const summary = await runSwarm({
    ...{ firstSeed: Number(values.from), seeds: Number(values.seeds), cpuMs, onViolation: showViolation },
  });
  const { marks, ...counts } = summary;
  if (!values.json) {
    for (const [mark, count] of Object.entries(marks)) print(`${String(count).padStart(6)}  ${mark}`);
  }
  print(JSON.stringify(counts));
  process.exitCode = summary.violations === 0 ? 0 : 1;
}
