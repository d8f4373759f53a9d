/** What the Go original ran, at the time of each incident, does on a simulated Mac what it did in production. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { decodeKcpassword, encodeKcpassword, SEALED_PASSWORD } from '../../../src/macos/kcpassword.ts';
import { STOCK_PF_CONF } from '../../../src/sim/mac/bash/fresh-disk.ts';
import { PASSWORD } from '../mac/stage.ts';
import { until } from '../sshd-stage.ts';
import { agentBundle, tartArchive } from './artefacts.ts';
import { stageSteps } from './steps-stage.ts';

const KICK = 'launchctl kickstart -k system/com.apple.loginwindow';
const ANCHOR = '/etc/pf.anchors/tuist.runners';
const TABLES = 'table <vm_sources> { 192.168.64.0/22 }\ntable <blocked_dst> { 10.0.0.0/8 }\n';
const BLOCK = `anchor "tuist.runners"\nload anchor "tuist.runners" from "${ANCHOR}"\n`;

test('F42: a wrong password was written and never read back: all went well, and nobody ever logs in', async (t) => {
  const { asRoot, mac } = await stageSteps(t);
  const base64 = Buffer.from(encodeKcpassword('wrong')).toString('base64');
  const { exitCode } = await asRoot(`set -e
    echo ${base64} | base64 -D | tee /etc/kcpassword >/dev/null
    defaults write /Library/Preferences/com.apple.loginwindow autoLoginUser m1
    ${KICK}`);
  assert.equal(exitCode, 0);
  const stored = (): string => decodeKcpassword(mac.files.read('/etc/kcpassword') ?? Buffer.alloc(0));
  await until('macOS seals it', () => stored() === SEALED_PASSWORD);
  assert.ok(!mac.model.loginWindow.hasSession());
});

test('F43: a hang-up for loginwindow ended it for good', async (t) => {
  const { asRoot, mac } = await stageSteps(t);
  mac.files.write('/etc/kcpassword', encodeKcpassword(PASSWORD), { mode: 0o600 });
  await asRoot(
    'defaults write /Library/Preferences/com.apple.loginwindow autoLoginUser m1; killall -HUP loginwindow; sleep 60',
  );
  assert.ok(!mac.model.loginWindow.isAlive());
  await asRoot(`${KICK}; sleep 10`);
  assert.ok(mac.model.loginWindow.hasSession(), 'and the way we do it brings it back');
});

for (const [scope, command] of [
  ['the anchor', 'pfctl -a tuist.runners -t vm_sources -T kill'],
  ['the main rules', 'pfctl -t vm_sources -T kill'],
] as const) {
  test(`F46: tables were killed in ${scope} only, and the load failed as before`, async (t) => {
    const { asRoot, mac } = await stageSteps(t);
    mac.files.write(ANCHOR, TABLES);
    await asRoot('pfctl -t vm_sources -T add 10.0.0.1; pfctl -a tuist.runners -t vm_sources -T add 10.0.0.1');
    const { exitCode, stderr } = await asRoot(`${command}; pfctl -a tuist.runners -f ${ANCHOR}`);
    assert.notEqual(exitCode, 0);
    assert.match(stderr, /cannot define table vm_sources: Resource busy/);
  });
}

for (const [how, edit] of [
  ['if a line was missing', "grep -q '# BEGIN tuist.runners' /etc/pf.conf ||"],
  ['after removing marked blocks', "sed -i '' '/# BEGIN tuist.runners/,/# END tuist.runners/d' /etc/pf.conf;"],
] as const) {
  test(`F47: the block was appended ${how}, beside the old one without marks`, async (t) => {
    const { asRoot, mac, reboot } = await stageSteps(t);
    mac.files.write(ANCHOR, TABLES);
    mac.files.write('/etc/pf.conf', `${STOCK_PF_CONF}${BLOCK}`);
    const { exitCode } = await asRoot(
      `${edit} printf '%s' '# BEGIN tuist.runners\n${BLOCK}# END tuist.runners\n' >>/etc/pf.conf`,
    );
    assert.equal(exitCode, 0);
    await reboot();
    assert.equal((await asRoot('pfctl -sr')).stdout, '', 'no rule at all, not even those of macOS');
  });
}

test('F35: the old Tart was removed before the new one was there: a cut between the two left none', async (t) => {
  const { step, upload, asRoot, run } = await stageSteps(t);
  const call = { inputs: { artefact_tart: upload(tartArchive('2.30.0')) } };
  await step('tart', call);
  await asRoot('rm -rf /usr/local/lib/tart.app');
  assert.notEqual((await run('/usr/local/bin/tart --version')).exitCode, 0);
  assert.equal(await step('tart', call), 'check 1, apply 0, verify 0', 'and the next push of ours mends it');
});

test('F39: the marker of a sealed password, tried at every push, locked the account for the right one', async (t) => {
  const { run } = await stageSteps(t, { start: 'fresh' });
  for (let push = 1; push <= 5; push += 1) await run("printf '<sealed>\\n' | sudo -S true");
  const { exitCode, stderr } = await run(`printf '${PASSWORD}\\n' | sudo -S true`);
  assert.notEqual(exitCode, 0);
  assert.match(stderr, /is your account locked/);
});

test('F58: a push and a person who looked at the same time both appended the block, and nobody was held up', async (t) => {
  const { asRoot, mac, reboot } = await stageSteps(t);
  mac.files.write(ANCHOR, TABLES);
  await asRoot(`look() { ! grep -q '# BEGIN tuist.runners' /etc/pf.conf; }
    append() { printf '%s' '# BEGIN tuist.runners\n${BLOCK}# END tuist.runners\n' >>/etc/pf.conf; }
    look && push=missing; look && person=missing
    [ "$push" != missing ] || append; [ "$person" != missing ] || append`);
  await reboot();
  assert.equal((await asRoot('pfctl -sr')).stdout, '', 'no rule at all');
});

test('F58: whoever works by our steps is kept out while another does, and told who that is', async (t) => {
  const { mac, run, batch } = await stageSteps(t);
  await run('ln -s "$(($(date +%s) + 600)) anna" .macfleet/lock');
  const { refusal } = await batch({ firewall: {} });
  assert.deepEqual([refusal?.code, refusal?.message.includes('anna')], ['HostBusy', true]);
  assert.equal(mac.files.readText('/etc/pf.conf'), STOCK_PF_CONF);
  await run('rm .macfleet/lock');
  assert.equal((await batch({ firewall: {} })).refusal, undefined);
});

test('F37: an upload that was cut off was the live program already', async (t) => {
  const { step, upload, asRoot, readText } = await stageSteps(t);
  await step('agent-bundle', { inputs: { artefact_agent: upload(agentBundle('1')) } });
  const path = '/usr/local/lib/tart-kubelet/tart-kubelet.mjs';
  await asRoot(`printf '%s' '// 2 and what came bef' | tee ${path} >/dev/null`);
  assert.equal(readText(path), '// 2 and what came bef');
});

test('F51: writing over a program on a disk without room leaves half of it', async (t) => {
  const { mac, asRoot, reboot } = await stageSteps(t);
  mac.setDefects({ readOnly: [], full: ['/usr/local'] });
  await reboot();
  await asRoot('mkdir -p /usr/local/bin; echo whole >/usr/local/bin/tart-kubelet');
  const { stdout } = await asRoot(
    'head -c 400000 /dev/zero | tee /usr/local/bin/tart-kubelet >/dev/null; grep -c whole /usr/local/bin/tart-kubelet',
  );
  assert.equal(stdout, '0\n');
});

test('F48: ending and registering an identical job on every push makes macOS hold it back', async (t) => {
  const { asRoot, mac } = await stageSteps(t);
  const path = '/Library/LaunchDaemons/x.plist';
  mac.files.write(
    path,
    '<plist><dict><key>Label</key><string>x</string><key>RunAtLoad</key><true/><key>KeepAlive</key><true/><key>ProgramArguments</key><array><string>/bin/sleep</string><string>100000</string></array></dict></plist>',
  );
  for (let push = 1; push <= 6; push += 1)
    await asRoot(`launchctl bootout system/x; sleep 10; launchctl bootstrap system ${path}`);
  assert.equal(mac.model.launchd.job('x')?.isHeldBack, true);
});

test('F55: a command of /usr/local/bin is not found by its name over SSH', async (t) => {
  const { run, step, upload, said } = await stageSteps(t);
  const call = { inputs: { artefact_tart: upload(tartArchive('2.30.0')) } };
  assert.equal(await step('tart', call, { shell: 'zsh' }), 'check 1, apply 0, verify 0', said());
  assert.equal((await run('tart --version', { shell: 'zsh' })).exitCode, 127);
  assert.equal(await step('tart', call, { shell: 'zsh' }), 'check 0');
});
