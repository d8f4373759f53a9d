/**
 * `npm run soak -- <what>`: what takes too long for `npm test` and is run by hand. `upstream` is Kubernetes' own end-to-end suite
 * on the embedded control plane, `kills` is `kill -9` of it under load or of tart-kubelet, `simulate` is `npm run simulate` with very many seeds,
 * `chaos` is `up --chaos` for long and with several seeds. Exits 1 when something fails.
 */
import '../bin/require-node.js';
import { Command, Option } from 'commander';
import { openProcess } from '../bin/process-io.ts';
import { parseWhole } from '../src/base/flags/parse-number.ts';
import { reportFailure } from '../src/cli/report-failure.ts';
import { soakChaos } from './soak/chaos.ts';
import { runKills, VICTIMS, type Victim } from './soak/kills.ts';
import { soakSimulation } from './soak/simulate.ts';
import type { PlaneName } from './soak/upstream/planes.ts';
import { runUpstream } from './soak/upstream/run-upstream.ts';
import { renderResults } from './soak/upstream/suite-report.ts';

interface UpstreamFlags {
  readonly on: PlaneName;
  readonly only?: string;
  readonly processes: number;
  readonly keep?: true;
  readonly reasons?: true;
}

const { args, io } = openProcess();
const print = io.stdout;

const upstream = async ({ on, only, processes, keep, reasons }: UpstreamFlags): Promise<void> => {
  const { results, excluded } = await runUpstream(
    {
      ...{ on, processes, print, keep: keep === true ? 'files' : 'nothing' },
      ...(only === undefined ? {} : { only: new RegExp(only) }),
    },
    io.signal,
  );
  if (reasons === true) for (const { name, why } of excluded) print(`not run: ${name}: ${why}\n`);
  print(`${renderResults(results)}${excluded.length} not run: they do not apply (--reasons)\n`);
  process.exitCode = results.every(({ outcome }) => outcome !== 'failed') ? 0 : 1;
};

const kills = async ({ of, times }: { readonly of: Victim; readonly times: number }): Promise<void> => {
  process.exitCode = (await runKills(of, times)) ? 0 : 1;
};

const simulate = async (flags: { readonly seeds: number; readonly workers?: number }): Promise<void> => {
  process.exitCode = (await soakSimulation({ ...flags, print, signal: io.signal })) ? 0 : 1;
};

const chaos = async (flags: {
  readonly rounds: number;
  readonly for: string;
  readonly seed: number;
}): Promise<void> => {
  process.exitCode = (await soakChaos({ ...flags, print, signal: io.signal })) ? 0 : 1;
};

const program = new Command('npm run soak --').description('what takes too long for npm test');
program
  .command('upstream')
  .description("Kubernetes' end-to-end suite (npm run cluster:build -- --with e2e)")
  .addOption(new Option('--on <plane>').choices(['embedded', 'real']).default('embedded'))
  .option('--only <pattern>', 'these cases, whether they are excluded or not')
  .option(
    '--processes <count>',
    'of the suite at once',
    (text) => parseWhole(text, { least: 1, most: 16, what: 'count of processes' }),
    4,
  )
  .option('--keep', 'leave the reports and logs behind')
  .option('--reasons', 'list the cases that are not run')
  .action(upstream);
program
  .command('kills')
  .description('kill -9 of the control plane under load, or of tart-kubelet while jobs come and go')
  .addOption(new Option('--of <what>').choices(VICTIMS).default('control-plane'))
  .option(
    '--times <count>',
    'how often',
    (text) => parseWhole(text, { least: 1, most: 10_000, what: 'count of kills' }),
    50,
  )
  .action(kills);
program
  .command('simulate')
  .description('very many schedules of npm run simulate; goes on where it was stopped')
  .option(
    '--seeds <count>',
    'how many',
    (text) => parseWhole(text, { least: 1, most: 100_000_000, what: 'count of seeds' }),
    50_000,
  )
  .option('--workers <count>', 'processes at once; one for each processor unless given', (text) =>
    parseWhole(text, { least: 1, most: 1_024, what: 'count of workers' }),
  )
  .action(simulate);
program
  .command('chaos')
  .description('up --chaos for longer than in CI, and with several seeds')
  .option('--for <time>', 'how long each round lasts', '10m')
  .option(
    '--rounds <count>',
    'how many',
    (text) => parseWhole(text, { least: 1, most: 1_000, what: 'count of rounds' }),
    3,
  )
  .option(
    '--seed <number>',
    'of the first round',
    (text) => parseWhole(text, { least: 0, most: 1_000_000, what: 'seed' }),
    1,
  )
  .action(chaos);

try {
  await program.parseAsync(args, { from: 'user' });
} catch (error) {
  process.exitCode = reportFailure({ args, io }, error);
}
