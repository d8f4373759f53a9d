/** Programs that run and end: kubectl, clusterctl, helm. */
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { createSystemClock } from '../../../src/base/clock.ts';
import { FleetError } from '../../../src/base/errors.ts';
import { spawnGuarded } from '../../../tools/processes/guarded.ts';
import type { CommandResult } from './cluster.ts';

export interface Command {
  readonly path: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 60_000;

/** Settles whatever the exit code is; rejects when the program takes too long. */
export const runCommand = async ({
  path,
  args,
  env,
  input,
  timeoutMs = TIMEOUT_MS,
}: Command): Promise<CommandResult> => {
  const { child, stop } = spawnGuarded({ path, args, env, stdin: 'pipe', output: 'pipe' });
  child.ref();
  const closed = once(child, 'close');
  let isLate = false;
  const cancelTimer = createSystemClock().schedule(timeoutMs, () => {
    isLate = true;
    // The end of the process ends `closed` too; there is nothing else to wait for.
    stop().catch(() => undefined);
  });
  // A program that does not read its input closes it early, which is no fault.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(input ?? '');
  const [stdout, stderr] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);
  await closed;
  cancelTimer();
  if (!isLate) return { code: child.exitCode ?? 1, stdout, stderr };
  throw new FleetError('unavailable', {
    code: 'CommandTimedOut',
    message: `${[path, ...args].join(' ')} took longer than ${timeoutMs} ms; it said: ${stdout}${stderr}`,
    hint: 'Is the cluster busy? Give it more time with timeoutMs.',
  });
};

const textOf = async (stream: Readable | null): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of stream ?? []) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
};
