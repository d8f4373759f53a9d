/**
 * `npm run build:kubelet`: makes what is put on Macs, into `tmp/kubelet` unless `--out` says otherwise. `--bundle` leaves the runtime out,
 * which changes rarely.
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { reportFailure } from '../src/cli/report-failure.ts';
import { buildSet } from './build-kubelet/build-set.ts';

const args = process.argv.slice(2);
const project = resolve(import.meta.dirname, '..');
const io = { stderr: (text: string) => process.stderr.write(text) };

try {
  const { values } = parseArgs({
    args,
    options: { out: { type: 'string', default: resolve(project, 'tmp/kubelet') }, bundle: { type: 'boolean' } },
  });
  await buildSet({
    ...{ project, out: resolve(values.out), what: values.bundle === true ? 'bundle' : 'all' },
    say: (line) => process.stdout.write(`${line}\n`),
  });
} catch (error) {
  process.exitCode = reportFailure({ args, io }, error);
}
