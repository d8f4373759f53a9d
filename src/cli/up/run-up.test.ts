import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { runCli } from '../run-cli.ts';

const BIN = join(import.meta.dirname, '..', '..', '..', 'bin', 'macfleet.ts');
/** A fleet that never gets there is stopped and counts as failed. */
const LIMIT = { timeout: 60_000 };
const scratch = mkdtempSync(join(tmpdir(), 'macfleet-up-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

const up = async (args: readonly string[], signal = new AbortController().signal) => {
  let stdout = '';
  let stderr = '';
  const io = {
    stdout: (text: string) => {
      stdout += text;
    },
    stderr: (text: string) => {
      stderr += text;
    },
    env: {},
    signal,
  };
  const exitCode = await runCli({ args: ['up', ...args], version: '0', io });
  return { exitCode, stdout, stderr };
};

describe('macfleet up', () => {
  it('makes three simulated Macs into Nodes, runs a Job on them and stops', LIMIT, async ({ signal }) => {
    const data = join(scratch, 'first');
    const { exitCode, stdout, stderr } = await up(['--until', 'jobs-done', '--data', data], signal);
    assert.equal(exitCode, 0, stderr);
    assert.match(stdout, /API server ready at https:\/\/127\.0\.0\.1:\d+/);
    assert.match(stdout, /times faster than life/);
    assert.match(stdout, /The Macs are step-level, which run no script: only these are kept with --data\./);
    assert.match(stdout, /Job 3\/3 done, 3 Nodes ready/);
    assert.match(stdout, /The Job is done\./);
    assert.equal(statSync(join(data, 'kubeconfig')).mode & 0o777, 0o600);
    assert.equal(stderr, '');
  });

  it('runs jobs on runners: each in a VM of its own, and no session stays open', LIMIT, async ({ signal }) => {
    const args = [
      '--fleet',
      'runners',
      '--macs',
      '1',
      '--macs-as',
      'step-level',
      '--jobs',
      '5',
      '--until',
      'jobs-done',
    ];
    const { exitCode, stdout, stderr } = await up(args, signal);
    assert.equal(exitCode, 0, stderr);
    assert.match(stdout, /^100\d +running +ci-runner-[0-9a-f]{8} /m);
    assert.match(stdout, /^5 of 5 jobs ran to their end, each in a VM of its own \(5 VMs\)\.$/m);
    assert.match(stdout, /No session is left open\./);
    assert.equal(stderr, '');
  });

  it('refuses to keep runners, or to leave their Macs to somebody else', async () => {
    for (const args of [
      ['--data', join(scratch, 'runners')],
      ['--provider', 'elsewhere'],
    ]) {
      const { exitCode, stderr } = await up(['--fleet', 'runners', ...args]);
      assert.deepEqual([exitCode, /code: RunnersNotKept/.test(stderr)], [2, true], stderr);
    }
  });

  it('stops cleanly when it is told to, and leaves nothing behind that was not asked for', async () => {
    const stop = new AbortController();
    const running = up(['--macs', '1', '--macs-as', 'step-level'], stop.signal);
    setImmediate(() => stop.abort());
    const { stdout } = await running;
    const folder = /kubeconfig: (.*)\/kubeconfig/.exec(stdout)?.[1];
    assert.ok(folder === undefined || !existsSync(folder));
  });

  it('goes on after kill -9 where it was, with the same data', LIMIT, async ({ signal }) => {
    const data = join(scratch, 'killed');
    const child = spawn(process.execPath, [BIN, 'up', '--macs', '2', '--data', data], {
      stdio: ['ignore', 'pipe', 'ignore'],
      signal,
    });
    let before = '';
    for await (const chunk of child.stdout) {
      before += String(chunk);
      // What lasts shorter than it takes to draw is not drawn.
      if (/preparing|joined/.test(before)) break;
    }
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    const { exitCode, stdout, stderr } = await up(['--macs', '2', '--until', 'jobs-done', '--data', data], signal);
    assert.equal(exitCode, 0, stderr);
    assert.match(stdout, /Going on where the last run/);
    const urlIn = (text: string): string | undefined => /ready at (\S+)/.exec(text)?.[1];
    assert.equal(urlIn(stdout), urlIn(before), 'Macs find the API where it was');
    assert.match(stdout, /2 Nodes ready/);
  });

  it('refuses to keep Macs that run real bash', async () => {
    const { exitCode, stderr } = await up(['--macs-as', 'real-bash', '--data', join(scratch, 'bash')]);
    assert.equal(exitCode, 2);
    assert.match(stderr, /are not kept[\s\S]*--macs-as step-level/);
  });

  it('refuses a simulation that it cannot read', async () => {
    const data = join(scratch, 'damaged');
    mkdirSync(data);
    writeFileSync(join(data, 'simulation.json'), '{"version": 1, "serv');
    const { exitCode, stderr } = await up(['--data', data]);
    assert.equal(exitCode, 2);
    assert.match(stderr, /the saved simulation cannot be read/);
  });

  it('says what is wrong with a data folder that cannot be one', async () => {
    const file = join(scratch, 'file');
    writeFileSync(file, '');
    const { exitCode, stderr } = await up(['--data', file]);
    assert.equal(exitCode, 2);
    assert.match(stderr, /cannot use .*file as data folder/);
  });
});
