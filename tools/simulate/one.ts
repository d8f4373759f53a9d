/** `--seed` and `--replay`: one schedule, with everything that happened if that is wanted. */
import { readFileSync, writeFileSync } from 'node:fs';
import { renderSchedule } from '../../src/world/simulate/render-schedule.ts';
import { runSchedule, runSeed, type SeedResult } from '../../src/world/simulate/run-seed.ts';
import { parseSavedSchedule, renderSavedSchedule } from '../../src/world/simulate/saved-schedule.ts';
import { shrinkSeed } from '../../src/world/simulate/shrink-seed.ts';
import type { SimulateFlags } from './flags.ts';
import type { Mode } from './mode.ts';

const TRACE_LINES = 2_000_000;

export const runOneMode: Mode = async ({ flags, print }) => {
  const result = await runOne(flags);
  const [broken] = result.violations;
  if (flags.trace === true) print(result.trace);
  if (flags.json !== true) print(renderSchedule(result));
  if (flags.save !== undefined && broken !== undefined) {
    const { schedule } = await shrinkSeed(result, flags.shrink);
    writeFileSync(flags.save, renderSavedSchedule({ story: broken.message, broke: broken.property, schedule }));
  }
  const { seed, hash, events, virtualMs, violations } = result;
  print(JSON.stringify({ seed, hash, events, virtualMs, violations }));
  return broken === undefined;
};

const runOne = ({ seed = '1', replay, trace }: SimulateFlags): Promise<SeedResult> => {
  const options = { traceLines: trace === true ? TRACE_LINES : 0 };
  if (replay === undefined) return runSeed(/^\d+$/.test(seed) ? Number(seed) : seed, options);
  return runSchedule(parseSavedSchedule(readFileSync(replay, 'utf8')).schedule, options);
};
