import assert from 'node:assert/strict';
import test from 'node:test';
import { until } from '../sshd-stage.ts';
import { stageSteps } from './steps-stage.ts';

for (const shell of ['bash', 'zsh'] as const) {
  test(`F54: nothing puts the Mac to sleep, locks it or restarts it, through ${shell}`, async (t) => {
    const { step, mac, asRoot, said } = await stageSteps(t);
    assert.equal(await step('idle-sleep', {}, { shell }), 'check 1, apply 0, verify 0', said());
    const { sleep, displaysleep, disksleep } = mac.model.settings.power();
    assert.deepEqual([sleep, displaysleep, disksleep], ['0', '0', '0']);
    assert.equal(await step('idle-sleep', {}, { shell }), 'check 0');
    const preferences = [
      ...['com.apple.screensaver idleTime', 'com.apple.screensaver askForPassword'],
      '.GlobalPreferences com.apple.autologout.AutoLogOutDelay',
      'com.apple.SoftwareUpdate AutomaticallyInstallMacOSUpdates',
    ];
    for (const preference of preferences) {
      assert.equal((await asRoot(`defaults read /Library/Preferences/${preference}`)).stdout, '0\n', preference);
      await asRoot(`defaults write /Library/Preferences/${preference} -int 5`);
      assert.equal(await step('idle-sleep', { do: 'check' }), 'check 1', preference);
      await asRoot(`defaults write /Library/Preferences/${preference} -int 0`);
    }
    await asRoot('pmset -a disksleep 10');
    assert.equal(await step('idle-sleep', { do: 'check' }), 'check 1');
  });

  test(`the Mac is named after its Node, through ${shell}`, async (t) => {
    const { step, mac } = await stageSteps(t);
    const call = { inputs: { nodeName: 'runner-1.fleet' } };
    assert.equal(await step('hostname', call, { shell }), 'check 1, apply 0, verify 0');
    const { ComputerName, HostName, LocalHostName } = mac.model.settings.names();
    assert.deepEqual([ComputerName, HostName, LocalHostName], ['runner-1.fleet', 'runner-1.fleet', 'runner-1-fleet']);
    assert.equal(await step('hostname', call, { shell }), 'check 0');
  });

  test(`T-71: the watchdog for SSH is installed once, through ${shell}`, async (t) => {
    const { step, mac, said } = await stageSteps(t);
    assert.equal(mac.files.facts('/usr/local/bin'), undefined, 'I-27: a fresh Mac has no such folder');
    assert.equal(await step('ssh-watchdog', {}, { shell }), 'check 1, apply 0, verify 0', said());
    assert.equal(mac.model.launchd.job('dev.tuist.ssh-reachability')?.spec.intervalMs, 60_000);
    assert.equal(await step('ssh-watchdog', {}, { shell }), 'check 0');
    assert.equal(await step('ssh-watchdog', { digest: 'd2' }, { shell }), 'check 0, apply 0, verify 0');
    assert.equal(mac.model.launchd.registrations('dev.tuist.ssh-reachability'), 1, 'not registered again');
  });
}

for (const nodeName of ['a b', 'a;reboot', '$(reboot)', "a'b", '-a', 'Ä', 'a'.repeat(64), 'a\nb']) {
  test(`a name like ${JSON.stringify(nodeName)} is refused, and no command sees it`, async (t) => {
    const { step, mac, said } = await stageSteps(t);
    assert.equal(await step('hostname', { inputs: { nodeName } }), 'check 70');
    assert.match(said(), /name of the Node/);
    assert.equal(mac.model.settings.names()['HostName'], undefined);
  });
}

test('F34, T-71: the watchdog opens port 22 anew when its queue is full, and only then', async (t) => {
  const { step, mac, asRoot, readText } = await stageSteps(t);
  await step('ssh-watchdog');
  const reloads = (): number =>
    mac.model.asked.filter(({ args }) => args.includes('/System/Library/LaunchDaemons/ssh.plist')).length;
  await asRoot('/usr/local/bin/tuist-ssh-reachability');
  assert.equal(reloads(), 0);
  mac.model.setSshReachable('no');
  await until('the job opened it', async () => (await asRoot('nc -z -G 3 127.0.0.1 22')).exitCode === 0);
  assert.equal(reloads(), 1);
  assert.match(readText('/var/log/tuist-ssh-reachability.log'), /port 22 does not answer/);
  const script = readText('/usr/local/bin/tuist-ssh-reachability');
  assert.doesNotMatch(script, /UseDNS|sshd_config|pfctl|socketfilterfw/, 'what was tried and given up');
});
