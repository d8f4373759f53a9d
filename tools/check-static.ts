/**
 * `npm run check:static`: everything that can be said about the code without running it. All checks run, two at a time,
 * each as its own npm script has it, so that one of them can be repeated alone.
 */
import '../bin/require-node.js';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter, join } from 'node:path';
import { createSystemClock } from '../src/base/clock.ts';
import { type Check, type CheckOutcome, runChecks } from './check/run-checks.ts';

const ROOT = join(import.meta.dirname, '..');
const NAMES = ['types', 'lint', 'unused', 'tidy', 'format'];
const OUTPUT_BYTES_MAX = 16 * 2 ** 20;

const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const checks = NAMES.map((name): Check => ({ name, command: scripts[`check:${name}`].split(' ') }));

/** As npm runs it: with the installed programs first on PATH. */
const run = ({ command: [program = '', ...args] }: Check): Promise<CheckOutcome> => {
  const PATH = [join(ROOT, 'node_modules', '.bin'), process.env['PATH'] ?? ''].join(delimiter);
  const options = { cwd: ROOT, env: { ...process.env, PATH }, maxBuffer: OUTPUT_BYTES_MAX };
  return new Promise((resolve) => {
    execFile(program, args, options, (error, stdout, stderr) => {
      const reason = error !== null && typeof error.code !== 'number' ? `${error.message}\n` : '';
      resolve({ exitCode: error === null ? 0 : 1, output: `${stdout}${stderr}${reason}` });
    });
  });
};

const print = (text: string): void => {
  process.stdout.write(text);
};

const passed = await runChecks(checks, { clock: createSystemClock(), places: availableParallelism(), run, print });
process.exitCode = passed ? 0 : 1;
