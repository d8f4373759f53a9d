import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { runCli } from '../run-cli.ts';

const LIMIT = { timeout: 60_000 };
const scratch = mkdtempSync(join(tmpdir(), 'macfleet-control-plane-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

/** Runs the command, and stops it as soon as it has said everything that it says at the start. */
const run = async (args: readonly string[], signal: AbortSignal) => {
  const stop = new AbortController();
  signal.addEventListener('abort', () => stop.abort());
  let stdout = '';
  let stderr = '';
  const io = {
    stdout: (text: string) => {
      stdout += text;
      if (/Ctrl-C stops it/.test(text)) setImmediate(() => stop.abort());
    },
    stderr: (text: string) => {
      stderr += text;
    },
    env: {},
    signal: stop.signal,
  };
  const exitCode = await runCli({ args: ['control-plane', ...args], version: '0', io });
  return { exitCode, stdout, stderr };
};

describe('macfleet control-plane', () => {
  it('says where it is and how to use it, and ends cleanly when told to', LIMIT, async ({ signal }) => {
    const data = join(scratch, 'kept');
    const first = await run(['--data', data], signal);
    assert.deepEqual([first.exitCode, first.stderr], [0, '']);
    assert.match(first.stdout, /API server ready at https:\/\/127\.0\.0\.1:\d+/);
    assert.ok(first.stdout.includes(`kubeconfig: ${join(data, 'kubeconfig')}`));
    assert.match(first.stdout, /kubectl get namespaces/);
    assert.match(first.stdout, /Stopped\.\n$/);
    assert.equal(statSync(join(data, 'kubeconfig')).mode & 0o777, 0o600);
    const again = await run(['--data', data], signal);
    assert.deepEqual([again.exitCode, again.stderr], [0, '']);
  });

  it('leaves nothing behind without --data, and says so', LIMIT, async ({ signal }) => {
    const { exitCode, stdout } = await run([], signal);
    assert.equal(exitCode, 0);
    assert.match(stdout, /Everything is forgotten in the end/);
    const folder = /kubeconfig: (.*)\/kubeconfig/.exec(stdout)?.[1] ?? '';
    assert.notEqual(folder, '');
    assert.equal(existsSync(folder), false);
  });

  it('refuses a data file that is damaged, with what to do', LIMIT, async ({ signal }) => {
    const data = mkdtempSync(join(scratch, 'damaged-'));
    writeFileSync(join(data, 'state.sqlite'), 'no database, whatever its name says '.repeat(100));
    const { exitCode, stderr } = await run(['--data', data], signal);
    assert.notEqual(exitCode, 0);
    assert.match(stderr, /is damaged/);
    assert.match(stderr, /Restore it from a backup, or move it away/);
  });
});
