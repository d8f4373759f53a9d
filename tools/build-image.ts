/**
 * `npm run build:image`: makes the container image without Docker, for both processors, into `tmp/image`. The same sources give the same bytes.
 */
import { resolve } from 'node:path';
import { Command } from 'commander';
import { openProcess } from '../bin/process-io.ts';
import { refuseEmptyPaths } from '../src/cli/refuse-empty-paths.ts';
import { reportFailure } from '../src/cli/report-failure.ts';
import { ARCHITECTURES, parseArchitecture } from './build-image/architectures.ts';
import { buildImage, updateBase, writeRoot } from './build-image/build.ts';

interface Flags {
  readonly out: string;
  readonly platform: readonly string[];
  readonly tart?: string;
  readonly root?: true;
  readonly updateBase?: true;
}

const { args, io } = openProcess();
const project = resolve(import.meta.dirname, '..');
const command = new Command('npm run build:image --')
  .description(
    'makes the image of manager, runners controller and command line: an OCI archive for linux, without Docker',
  )
  .option('--out <folder>', 'where to', resolve(project, 'tmp/image'))
  .option(
    '--platform <processor...>',
    'for these only: amd64, arm64',
    ARCHITECTURES.map(({ name }) => name),
  )
  .option('--tart <file>', "the tart.tar.gz of Tart's release, to be put on Macs")
  .option('--root', 'the files of one processor in a folder, not an archive')
  .option(
    '--update-base',
    'take the newest base packages of Debian into tools/build-image/base.json, and build nothing',
  );

const run = async (): Promise<void> => {
  const {
    out,
    platform,
    tart,
    root,
    updateBase: isUpdate,
  } = refuseEmptyPaths(command).parse(args, { from: 'user' }).opts<Flags>();
  const say = (line: string): void => void io.stdout(`${line}\n`);
  if (isUpdate === true) return updateBase(project, say);
  const architectures = platform.map(parseArchitecture);
  const common = { project, out: resolve(out), tart, say };
  const [architecture] = architectures;
  if (root !== true || architecture === undefined) return buildImage({ ...common, architectures });
  await writeRoot({ ...common, architecture, macs: 'in-it' });
};

try {
  await run();
} catch (error) {
  process.exitCode = reportFailure({ args, io }, error);
}
