import assert from 'node:assert/strict';
import test from 'node:test';
import { STOCK_PF_CONF } from '../../../src/sim/mac/bash/fresh-disk.ts';
import { findMacScenario } from '../../../src/sim/mac/bash/scenarios.ts';
import { stageScenario } from '../../../src/sim/mac/bash/stage-scenario.ts';
import { PASSWORD } from '../mac/stage.ts';
import { agentBundle, packedRuntime, tartArchive } from './artefacts.ts';
import { type StepCallOptions, stageSteps } from './steps-stage.ts';

const BUNDLE = '/usr/local/lib/tart-kubelet/tart-kubelet.mjs';
/** Larger than what a full disk has left. */
const BALLAST = `// ${'x'.repeat(400_000)}\n`;

test('F51: a disk without room keeps what is there, and the step says why', async (t) => {
  const stage = await stageSteps(t);
  const put = (content: string): Promise<string> =>
    stage.step('agent-bundle', { inputs: { artefact_agent: stage.upload(content) } });
  stage.mac.setDefects({ readOnly: [], full: ['/usr/local'] });
  await stage.reboot();
  assert.equal(await put(agentBundle('1')), 'check 1, apply 0, verify 0', stage.said());
  assert.equal(await put(`${BALLAST}${agentBundle('2')}`), 'check 1, apply 70', stage.said());
  assert.match(stage.said(), /No space left on device/);
  assert.match(stage.said(), /cannot write/);
  const { stdout } = await stage.asRoot(`cat ${BUNDLE}; ls /usr/local/lib/tart-kubelet`);
  assert.ok(stdout.startsWith(agentBundle('1')), 'the old one is there');
  assert.ok(!stdout.includes('macfleet-new'), 'nothing is left over');
});

interface Row {
  readonly step: string;
  readonly call?: StepCallOptions;
  readonly why: RegExp;
}

const ON_READ_ONLY_ETC: readonly Row[] = [
  { step: 'firewall', why: /Read-only file system[\s\S]*cannot write \/etc\/pf\.anchors/ },
  { step: 'auto-login', call: { secrets: { sudoPassword: PASSWORD } }, why: /cannot write \/etc\/kcpassword/ },
  { step: 'kubeconfig', call: { secrets: { kubeconfig: 'kind: Config\n' } }, why: /cannot write \/etc\/tart-kubelet/ },
];

test('an /etc that cannot be written', async (t) => {
  const stage = await stageSteps(t);
  await stageScenario(stage.mac, findMacScenario('read-only-etc'));
  for (const { step, call = {}, why } of ON_READ_ONLY_ETC) {
    await t.test(`fails the step ${step}, which says so`, async () => {
      assert.equal(await stage.step(step, call), 'check 1, apply 70', stage.said());
      assert.match(stage.said(), why);
    });
  }
  await t.test('is as it was', () => assert.equal(stage.readText('/etc/pf.conf'), STOCK_PF_CONF));
});

test('sudo: an /etc that cannot be written is no wrong password', async (t) => {
  const stage = await stageSteps(t, { start: 'fresh' });
  await stage.batch({ 'first-look': { inputs: { claim: 'c' } } });
  await stageScenario(stage.mac, findMacScenario('read-only-etc'));
  assert.equal(await stage.step('sudo', { secrets: { sudoPassword: PASSWORD } }), 'check 1, apply 70');
  assert.match(stage.said(), /cannot write the sudoers file.*Read-only/);
  assert.equal(stage.mac.model.accounts.failures(), 0);
});

test('F39: an account that PAM locked is told as that, and a restart opens it', async (t) => {
  const stage = await stageSteps(t, { start: 'fresh' });
  await stage.batch({ 'first-look': { inputs: { claim: 'c' } } });
  await stageScenario(stage.mac, findMacScenario('account-locked'));
  const call = { secrets: { sudoPassword: PASSWORD } };
  assert.equal(await stage.step('sudo', call), 'check 1, apply 70');
  assert.match(stage.said(), /account is locked/);
  await stage.reboot();
  assert.equal(await stage.step('sudo', call), 'check 1, apply 0, verify 0', stage.said());
});

const DAMAGES: readonly { readonly step: string; readonly damage: string }[] = [
  { step: 'ssh-watchdog', damage: 'launchctl bootout system/dev.tuist.ssh-reachability; sleep 5' },
  { step: 'ssh-watchdog', damage: 'rm /usr/local/bin/tuist-ssh-reachability' },
  { step: 'ssh-watchdog', damage: 'chmod 600 /usr/local/bin/tuist-ssh-reachability' },
  { step: 'firewall', damage: 'launchctl bootout system/dev.tuist.pfctl-runners; sleep 5' },
  { step: 'firewall', damage: 'rm -r /etc/pf.anchors/tuist.runners; pfctl -a tuist.runners -F all' },
  { step: 'tart', damage: 'echo >>/usr/local/lib/tart.app/Contents/MacOS/tart' },
  { step: 'tart', damage: 'rm -r /usr/local/lib/tart.app' },
  { step: 'tart', damage: 'rm /usr/local/bin/tart' },
  { step: 'agent-runtime', damage: 'echo >>/usr/local/lib/tart-kubelet/node' },
  { step: 'agent-runtime', damage: 'rm -r /usr/local/lib/tart-kubelet' },
  { step: 'agent-bundle', damage: `echo >>${BUNDLE}` },
  { step: 'agent-bundle', damage: 'rm -r /usr/local/bin' },
  { step: 'kubeconfig', damage: 'rm -r /etc/tart-kubelet' },
  { step: 'kubeconfig', damage: 'chown root /etc/tart-kubelet/kubeconfig' },
  { step: 'auto-login', damage: 'rm /etc/kcpassword' },
  { step: 'auto-login', damage: 'defaults delete /Library/Preferences/com.apple.loginwindow autoLoginUser' },
  { step: 'idle-sleep', damage: 'rm /Library/Preferences/com.apple.screensaver.plist' },
];

test('whatever is broken is found to be so, never as something that cannot be told, and mended', async (t) => {
  const stage = await stageSteps(t);
  const calls: Readonly<Record<string, StepCallOptions>> = {
    'agent-bundle': { inputs: { artefact_agent: stage.upload(agentBundle('1')) } },
    'agent-runtime': { inputs: { artefact_node: stage.upload(packedRuntime('v1')) } },
    tart: { inputs: { artefact_tart: stage.upload(tartArchive('2.30.0')) } },
    kubeconfig: { secrets: { kubeconfig: 'kind: Config\n' } },
    'auto-login': { secrets: { sudoPassword: PASSWORD } },
  };
  for (const step of new Set(DAMAGES.map(({ step }) => step)))
    assert.equal(await stage.step(step, calls[step]), 'check 1, apply 0, verify 0', stage.said());
  for (const { step, damage } of DAMAGES) {
    await t.test(`${step}: ${damage}`, async () => {
      await stage.asRoot(damage);
      assert.equal(await stage.step(step, calls[step]), 'check 1, apply 0, verify 0', stage.said());
    });
  }
});

test('F35: whatever was cut off in the middle is done again from there', async (t) => {
  const stage = await stageSteps(t);
  const artefacts = {
    'agent-bundle': { artefact_agent: stage.upload(agentBundle('1')) },
    'agent-runtime': { artefact_node: stage.upload(packedRuntime('v1')) },
    tart: { artefact_tart: stage.upload(tartArchive('2.30.0')) },
  };
  const leftovers = [
    ...['/etc/pf.conf', '/etc/pf.anchors/tuist.runners', '/etc/kcpassword', '/usr/local/bin/tart'],
    ...[BUNDLE, '/usr/local/lib/tart-kubelet/node', '/Library/LaunchDaemons/dev.tuist.pfctl-runners.plist'],
  ].map((path) => `${path}.macfleet-new`);
  for (const path of leftovers) stage.mac.files.write(path, 'half a fi');
  stage.mac.files.write('/usr/local/lib/tart.app.new/tart.app/half', 'half a fi');
  stage.mac.files.write('/usr/local/lib/tart.app/Contents/half', 'half a fi');
  for (const [step, inputs] of Object.entries({ firewall: {}, ...artefacts }))
    assert.equal(await stage.step(step, { inputs }), 'check 1, apply 0, verify 0', stage.said());
  assert.equal(
    await stage.step('auto-login', { secrets: { sudoPassword: PASSWORD } }),
    'check 1, apply 0, verify 0',
    stage.said(),
  );
  for (const path of leftovers) assert.equal(stage.mac.files.read(path), undefined, path);
});
