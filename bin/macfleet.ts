/** The command line's door to the real world: gives process, streams and signals to src/cli, and does nothing else. */
import './require-node.js';
import packageJson from '../package.json' with { type: 'json' };
import { reportFailure } from '../src/cli/report-failure.ts';
import { runCli } from '../src/cli/run-cli.ts';
import { openProcess } from './process-io.ts';

/** They serve others, who need not read what they say. */
const SERVERS = ['control-plane', 'sim'];

const { args, io } = openProcess({ unread: SERVERS.includes(process.argv[2] ?? '') ? 'go-on' : 'stop' });

/** What escaped every handler is a bug of ours: one readable message, and no half-alive process. */
process.on('uncaughtException', (thrown) => process.exit(reportFailure({ args, io }, thrown)));

process.exitCode = await runCli({ args, version: packageJson.version, io });
