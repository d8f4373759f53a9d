/** The command line's door to the real world: gives process, streams and signals to src/cli, and does nothing else. */
import './require-node.js';
import packageJson from '../package.json' with { type: 'json' };
import { cancelled } from '../src/base/errors.ts';
import type { CliIo } from '../src/cli/io.ts';
import { reportFailure } from '../src/cli/report-failure.ts';
import { runCli } from '../src/cli/run-cli.ts';

const args = process.argv.slice(2);
const stopping = new AbortController();
const io: CliIo = {
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
  get stdin() {
    return process.stdin;
  },
  env: process.env,
  isTerminal: process.stdout.isTTY === true,
  signal: stopping.signal,
};

for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => stopping.abort(cancelled(`stopped by ${name}`)));
}

/** What escaped every handler is a bug of ours: one readable message, and no half-alive process. */
process.on('uncaughtException', (thrown) => process.exit(reportFailure({ args, io }, thrown)));

/** A reader that went away (`macfleet … | head`) is no error. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await runCli({ args, version: packageJson.version, io });
