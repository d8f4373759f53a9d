/** `npm run cluster:build`: gives process, streams and signals to build/run-build.ts, and does nothing else. */
import '../../bin/require-node.js';
import { cancelled } from '../../src/base/errors.ts';
import type { CliIo } from '../../src/cli/io.ts';
import { reportFailure } from '../../src/cli/report-failure.ts';
import { runBuild } from './build/run-build.ts';

const PROGRESS_EVERY_MS = 15_000;

const args = process.argv.slice(2);
const stopping = new AbortController();
const io: CliIo = {
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
  env: process.env,
  signal: stopping.signal,
};

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(name, () => stopping.abort(cancelled(`stopped by ${name}; what is finished stays`)));
}

try {
  await runBuild({ args, io, progressEveryMs: PROGRESS_EVERY_MS });
} catch (error) {
  process.exitCode = reportFailure({ args, io }, error);
}
