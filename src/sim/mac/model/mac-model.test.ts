/** The parts of a Mac's model together. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { neverAborted } from '../../../base/abort.ts';
import { Secret } from '../../../base/secret.ts';
import { createManualClock } from '../../../base/testing/manual-clock.ts';
import { encodeKcpassword } from '../../../macos/kcpassword.ts';
import { createMacModel } from './mac-model.ts';
import { renderPlist } from './plist.ts';
import { createMemoryFiles } from './testing/memory-files.ts';

const stage = () => {
  const clock = createManualClock();
  const files = createMemoryFiles({ '/etc/pf.conf': 'anchor "com.apple/*"\n' });
  let reboots = 0;
  const model = createMacModel({
    ...{ files, clock, password: new Secret('right') },
    startProcess: () => assert.fail('no job is there'),
    onReboot: () => {
      reboots += 1;
    },
  });
  model.powerOn();
  const ask = async (line: string, uid = 0) => {
    const [name = '', ...args] = line.split(' ');
    const answer = await model.answer({ name, args, uid, pid: 1, cwd: '/', stdin: '' }, neverAborted());
    return `${answer.exitCode} ${answer.stdout ?? ''}${answer.stderr ?? ''}`.trim();
  };
  return { clock, files, model, ask, reboots: () => reboots };
};

test('a sleep ends when its time has come on the Mac, whatever its unit', async () => {
  const { clock, ask } = stage();
  const ended: string[] = [];
  for (const length of ['90', '1m', '0.5h']) void ask(`sleep ${length}`).then(() => ended.push(length));
  const seen: string[][] = [];
  for (const seconds of [60, 30, 1710]) {
    clock.advance(seconds * 1000);
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    seen.push([...ended]);
  }
  assert.deepEqual(seen, [['1m'], ['1m', '90'], ['1m', '90', '0.5h']]);
  assert.match(await ask('sleep long'), /^1 usage/);
});

test('F53: date is off by as much as it was told', async () => {
  const { clock, model, ask } = stage();
  model.setClockSkew(-10_800_000);
  assert.equal(await ask('now'), `0 ${clock.now() / 1000 - 10_800}`);
});

test('a boot logs in, opens a locked account and puts pf back; a wipe brings another password', async () => {
  const { clock, files, model, ask } = stage();
  files.write('/etc/kcpassword', encodeKcpassword('right'));
  files.write('/Library/Preferences/com.apple.loginwindow.plist', renderPlist({ autoLoginUser: 'm1' }));
  model.accounts.setFailures(5);
  await ask('pfctl -F all');
  model.powerOff();
  model.powerOn();
  clock.advance(60_000);
  assert.ok(model.loginWindow.hasSession());
  assert.ok(!model.accounts.isLocked());
  assert.equal(await ask('pfctl -sr'), '0 anchor "com.apple/*" all');
  model.wipe(new Secret('another'));
  assert.ok(model.accounts.isPassword('another'));
});

test('only root reboots the Mac', async () => {
  const { ask, reboots } = stage();
  assert.match(await ask('reboot', 501), /^1 /);
  assert.equal(reboots(), 0);
  assert.equal(await ask('shutdown -r now'), '0');
  assert.equal(reboots(), 1);
});

test('a command that the model does not know says so', async () => {
  assert.match(await stage().ask('networksetup -listallnetworkservices'), /^70 .*does not know this command/);
});
