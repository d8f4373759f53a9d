/** `macfleet sim mac` and `macfleet prepare-fleet-host` as a new user tries them, one beside the other. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const run = promisify(execFile);

const startSimulator = async (t: TestContext, ...args: readonly string[]) => {
  const words = ['bin/macfleet.ts', 'sim', 'mac', ...args];
  const child = spawn(process.execPath, words, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close').then(([code]) => code);
  t.after(() => child.kill('SIGKILL'));
  let text = '';
  for await (const chunk of child.stdout) {
    text += String(chunk);
    if (text.includes('Ctrl-C stops them')) break;
  }
  const stop = async () => {
    child.kill('SIGINT');
    return ended;
  };
  return {
    text,
    stop,
    pid: child.pid,
    kill: () => child.kill('SIGKILL'),
    told: (pattern: RegExp): string => pattern.exec(text)?.[1] ?? assert.fail(text),
  };
};

test('two wedged Macs are started, prepared by the printed line, looked at over plain ssh, and gone', async (t) => {
  const { text, told, stop } = await startSimulator(t, '--count', '2', '--scenario', 'pf-wedged', '--speed', '20x');
  assert.match(text, /They run real bash in a sandbox/);
  assert.match(text, /Scenario pf-wedged: tables that stayed in pf/);
  const prepare = told(/macfleet (prepare-fleet-host .*)\n/).split(' ');
  const { stdout } = await run(process.execPath, ['bin/macfleet.ts', ...prepare], { cwd: ROOT, timeout: 60_000 });
  assert.match(stdout, /All 2 Macs are prepared/);
  const [, ...ssh] = told(/(ssh -F \S+ mac-2)\n/).split(' ');
  const look = await run('ssh', [...ssh, 'sudo -n pfctl -s Tables; launchctl print gui/501 | grep session'], {
    timeout: 20_000,
  });
  assert.equal(look.stdout, 'vm_sources\nblocked_dst\n\tsession = Aqua\n');
  assert.equal(await stop(), 0);
  assert.ok(!existsSync(told(/Key: +(\S+)/)));
});

test('nothing of a Mac outlives a simulator that was killed', async (t) => {
  const { told, pid, kill } = await startSimulator(t, '--speed', '20x');
  const [, ...ssh] = told(/(ssh -F \S+ mac-1)\n/).split(' ');
  const left = run('ssh', [...ssh, 'sleep 1000000']);
  const children = () =>
    readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .split(' ')
      .filter((word) => word !== '');
  // The sandbox, and the way into it.
  for (let looks = 500; children().length < 2; looks -= 1) {
    assert.ok(looks > 0, 'the command did not begin');
    await run('ssh', [...ssh, 'true']);
  }
  const inside = children();
  kill();
  await assert.rejects(left);
  for (let looks = 500; inside.some((child) => existsSync(`/proc/${child}`)); looks -= 1) {
    assert.ok(looks > 0, `${inside} still run`);
    await run('sleep', ['0.02']);
  }
});
