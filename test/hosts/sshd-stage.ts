/** What the tests against a real sshd share: a started one, a connection to it, and waiting for something to be so. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { neverAborted } from '../../src/base/abort.ts';
import { createSystemClock, sleep } from '../../src/base/clock.ts';
import { FleetError } from '../../src/base/errors.ts';
import { bashArgv } from '../../src/hosts/port/remote-command.ts';
import type { HostTarget } from '../../src/hosts/port.ts';
import type { CommandResult } from '../../src/hosts/ssh/run-command.ts';
import {
  DEFAULT_SSH_TIMES,
  openSshConnection,
  type SshConnection,
  type SshOptions,
} from '../../src/hosts/ssh/ssh-connection.ts';
import { type Sshd, type SshdOptions, startSshd } from '../../tools/hosts/sshd.ts';

export const clock = createSystemClock();
export const signal = neverAborted();

export const sshdFor = async (test: TestContext, options: SshdOptions = {}): Promise<Sshd> => {
  const sshd = await startSshd(options);
  test.after(() => sshd.stop());
  return sshd;
};

export const connectFor = async (
  test: TestContext,
  target: HostTarget,
  times: Partial<SshOptions> = {},
): Promise<SshConnection> => {
  const connection = await openSshConnection(target, { clock, ...DEFAULT_SSH_TIMES, ...times }, signal);
  test.after(() => connection.close());
  return connection;
};

/** A bash script as a command. */
export const bash = (script: string, ...words: readonly string[]) => ({
  argv: bashArgv(script, ['test', ...words]),
  ...{ timeoutMs: 60_000, doing: 'a test' },
});

export const textOf = ({ stdout }: CommandResult): string => stdout.render({});

/** `answered`, or kind and code of the error. */
export const outcome = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
    return 'answered';
  } catch (error) {
    return error instanceof FleetError ? `${error.kind} ${error.code}` : String(error);
  }
};

const PATIENCE_MS = 20_000;

export const until = async (what: string, isSo: () => boolean | Promise<boolean>): Promise<void> => {
  const deadlineMs = clock.elapsed() + PATIENCE_MS;
  while (!(await isSo())) {
    assert.ok(clock.elapsed() < deadlineMs, `waited in vain: ${what}`);
    await sleep(clock, 20, signal);
  }
};

/** Numbers of the living processes (zombies are none) that have this word in their command line. */
export const processesWith = (word: string): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => read(`/proc/${name}/cmdline`).split('\0').includes(word))
    .map(Number);

/** A process may end while we look. */
const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};
