/**
 * `npm run build:kubelet`: makes what is put on Macs, into `tmp/kubelet` unless `--out` says otherwise. `--bundle` leaves the runtime out,
 * which changes rarely.
 */
import { resolve } from 'node:path';
import { Command } from 'commander';
import { openProcess } from '../bin/process-io.ts';
import { refuseEmptyPaths } from '../src/cli/refuse-empty-paths.ts';
import { reportFailure } from '../src/cli/report-failure.ts';
import { buildSet } from './build-kubelet/build-set.ts';

interface Flags {
  readonly out: string;
  readonly bundle?: true;
}

const { args, io } = openProcess();
const project = resolve(import.meta.dirname, '..');
const command = new Command('npm run build:kubelet --')
  .description('makes what is put on Macs: the bundle, its wrapper, the runtime for darwin-arm64, and their checksums')
  .option('--out <folder>', 'where to', resolve(project, 'tmp/kubelet'))
  .option('--bundle', 'without the runtime, which changes rarely');

try {
  const { out, bundle } = refuseEmptyPaths(command).parse(args, { from: 'user' }).opts<Flags>();
  const say = (line: string): void => io.stdout(`${line}\n`);
  await buildSet({ project, out: resolve(out), what: bundle === true ? 'bundle' : 'all', say });
} catch (error) {
  process.exitCode = reportFailure({ args, io }, error);
}
