import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { runRecorded } from '../testing/run-recorded.ts';

const BIN = join(import.meta.dirname, '..', '..', '..', 'bin', 'macfleet.ts');
/** A fleet that never gets there is stopped and counts as failed. */
const LIMIT = { timeout: 120_000 };
const scratch = mkdtempSync(join(tmpdir(), 'macfleet-up-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

const up = (args: readonly string[], signal?: AbortSignal) => runRecorded(['up', ...args], signal);

// They wait for simulated Macs most of the time, so they wait together.
describe('macfleet up', { concurrency: true }, () => {
  it(
    'makes three simulated Macs into Nodes, runs a Deployment, a Job and CI jobs on them, and stops',
    LIMIT,
    async ({ signal }) => {
      const data = join(scratch, 'first');
      const { exitCode, stdout, stderr } = await up(
        ['--until', 'jobs-done', '--data', data, '--jobs', '3', '--speed', '200'],
        signal,
      );
      assert.equal(exitCode, 0, stderr);
      assert.match(stdout, /API server ready at https:\/\/127\.0\.0\.1:\d+/);
      assert.match(stdout, /runs 200 times faster than life/);
      assert.match(stdout, /The Macs are step-level, which run no script: only these are kept with --data\./);
      assert.match(stdout, /work deployment\/simulator-farm 1\/1 ready/);
      assert.match(stdout, /work job\/hello-macos 3\/3 done/);
      assert.match(stdout, / job 100\d running runner=ci-runner-[0-9a-f]{8}$/m);
      assert.match(stdout, /The Job is done\.\n3 of 3 CI jobs ran to their end, each in a VM of its own \(3 VMs\)\.$/m);
      assert.match(stdout, /No session is left open\./);
      assert.match(stdout, /The fleet stays in .*first: `macfleet up --data/);
      assert.equal(statSync(join(data, 'kubeconfig')).mode & 0o777, 0o600);
      assert.equal(stderr, '');
    },
  );

  it('tells programs in a line of JSON for each change, of one fleet alone too', LIMIT, async ({ signal }) => {
    const fleet = ['--fleet', 'runners', '--machines', '1', '--macs-as', 'step-level'];
    const { exitCode, stdout, stderr } = await up(
      [...fleet, '--jobs', '1', '--until', 'jobs-done', '--json', '--speed', '200'],
      signal,
    );
    assert.equal(exitCode, 0, stderr);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.ok(lines.every(({ kind }) => ['note', 'mac', 'work', 'pod', 'job'].includes(kind)));
    const states = lines.filter(({ kind }) => kind === 'job').map(({ name, state }) => `${name} ${state}`);
    assert.deepEqual([states[0], states.at(-1)], ['1001 queued', '1001 done']);
    assert.ok(lines.some(({ kind, text }) => kind === 'note' && /^kubeconfig: /.test(text)));
    assert.equal(stderr, '');
  });

  it(
    'runs twenty jobs on runners, says how long they waited, and leaves no session open',
    LIMIT,
    async ({ signal }) => {
      const args = ['--fleet', 'runners', '--macs-as', 'step-level', '--until', 'jobs-done'];
      const { exitCode, stdout, stderr } = await up(args, signal);
      assert.equal(exitCode, 0, stderr);
      assert.match(stdout, / job 10\d\d running runner=ci-runner-[0-9a-f]{8}$/m);
      assert.match(stdout, /^20 of 20 CI jobs ran to their end, each in a VM of its own \(20 VMs\)\.$/m);
      assert.match(stdout, /^They waited \d+\.\ds at the median and \d+\.\ds at most\. No session is left open\.$/m);
      assert.equal(stderr, '');
    },
  );

  it('that does not get there in time says what it waits for, and fails', LIMIT, async ({ signal }) => {
    const late = ['--until', 'ready', '--timeout', '1s', '--speed', '1', '--macs-as', 'step-level'];
    const { exitCode, stdout, stderr } = await up(late, signal);
    assert.equal(exitCode, 69);
    assert.match(stdout, /^Not ready yet:\n {2}\S/m);
    assert.match(stderr, /was not ready within 1 s[\s\S]*what to do: .*--timeout[\s\S]*code: NotReached/);
  });

  it('refuses what does not go together, and says what does', async () => {
    const rows: readonly (readonly [string, readonly string[]])[] = [
      ['RunnersElsewhere', ['--fleet', 'runners', '--provider', 'elsewhere']],
      ['TooFewMacs', ['--machines', '1']],
      ['NothingToClean', ['--clean']],
      ['UnknownFleet', ['--fleet', 'macos,windows']],
      ['UnknownFleet', ['--fleet', ',']],
      ['BadNumber', ['--machines', '1001']],
      ['BadNumber', ['--speed', '0']],
      ['BadUsage', ['--colour']],
      ['EmptyPath', ['--data', '']],
      ['EmptyPath', ['--data=', '--clean']],
    ];
    for (const [code, args] of rows) {
      const { exitCode, stderr } = await up(args);
      assert.deepEqual([exitCode, stderr.match(/code: (\w+)/)?.[1]], [2, code], stderr);
      assert.match(stderr, /what to do: \S/);
    }
  });

  it('stops cleanly when it is told to, and leaves nothing behind that was not asked for', async () => {
    const stop = new AbortController();
    const running = up(['--machines', '1', '--fleet', 'macos', '--macs-as', 'step-level'], stop.signal);
    setImmediate(() => stop.abort());
    const { stdout } = await running;
    const folder = /kubeconfig: (.*)\/kubeconfig/.exec(stdout)?.[1];
    assert.ok(folder === undefined || !existsSync(folder));
  });

  it('goes on after kill -9 where it was, with the same data', LIMIT, async ({ signal }) => {
    const data = join(scratch, 'killed');
    const fleet = ['--machines', '2', '--jobs', '1', '--speed', '200'];
    const child = spawn(process.execPath, [BIN, 'up', ...fleet, '--data', data], {
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
    const { exitCode, stdout, stderr } = await up([...fleet, '--until', 'jobs-done', '--data', data], signal);
    assert.equal(exitCode, 0, stderr);
    assert.match(stdout, /Going on where the last run/);
    const urlIn = (text: string): string | undefined => /ready at (\S+)/.exec(text)?.[1];
    assert.equal(urlIn(stdout), urlIn(before), 'Macs find the API where it was');
    assert.match(stdout, /The Job is done\./);
  });

  it('keeps as many Macs as there were, and has another number when it is asked for', LIMIT, async ({ signal }) => {
    const data = join(scratch, 'resized');
    const again = ['--data', data, '--fleet', 'macos', '--speed', '200', '--timeout', '40s'];
    const first = await up([...again, '--machines', '2', '--until', 'ready'], signal);
    assert.equal(first.exitCode, 0, first.stderr);
    assert.match(first.stdout, /`macfleet up --data .*resized --fleet macos` goes on with it/);
    const same = await up([...again, '--until', 'jobs-done'], signal);
    assert.equal(same.exitCode, 0, same.stdout);
    assert.doesNotMatch(same.stdout, /as --machines asks|Added the fleet/);
    const more = await up([...again, '--machines', '5', '--until', 'ready'], signal);
    assert.equal(more.exitCode, 0, more.stdout);
    assert.match(more.stdout, /^MachineDeployment macos had 2 replicas and is to have 5, as --machines asks\.$/m);
    assert.equal(new Set(more.stdout.match(/mac [0-9a-f]{8} joined/g)).size, 5, more.stdout);
    const wider = [
      '--data',
      data,
      '--fleet',
      'builders',
      '--machines',
      '2',
      '--speed',
      '200',
      '--timeout',
      '40s',
      '--until',
      'ready',
    ];
    const { exitCode, stdout } = await up(wider, signal);
    assert.equal(exitCode, 0, stdout);
    assert.match(
      stdout,
      /^Added the fleet builders: 2 Macs\.\nThe fleet macos of an earlier run is here too: 5 Macs\.$/m,
    );
  });

  it('goes on at another port when that of the last run is taken', LIMIT, async ({ signal }) => {
    const data = join(scratch, 'moved');
    const fleet = ['--data', data, '--fleet', 'macos', '--machines', '1', '--speed', '200', '--timeout', '40s'];
    const portIn = (text: string): number => Number(/ready at https:\/\/127\.0\.0\.1:(\d+)/.exec(text)?.[1]);
    const first = await up([...fleet, '--until', 'ready'], signal);
    assert.equal(first.exitCode, 0, first.stderr);
    const holder = createServer().listen(portIn(first.stdout), '127.0.0.1');
    await once(holder, 'listening');
    try {
      const { exitCode, stdout, stderr } = await up([...fleet, '--until', 'jobs-done'], signal);
      assert.equal(exitCode, 0, stdout + stderr);
      assert.match(stdout, /^Port \d+, where the last run had its API, is taken: a free one is used instead\.$/m);
      assert.notEqual(portIn(stdout), portIn(first.stdout));
      const named = await up([...fleet, '--until', 'ready', '--port', String(portIn(first.stdout))], signal);
      assert.match(named.stderr, /code: CannotListen/, 'a port that was asked for is not exchanged');
    } finally {
      holder.close();
    }
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
