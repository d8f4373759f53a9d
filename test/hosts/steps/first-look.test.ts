import assert from 'node:assert/strict';
import test from 'node:test';
import { HOME, stageSteps } from './steps-stage.ts';

const CLAIM = `${HOME}/.macfleet/claim`;
const KUBECONFIG = '/etc/tart-kubelet/kubeconfig';

test('R9: a wiped Mac takes the claim, and takes it again', async (t) => {
  const { step, readText, mac } = await stageSteps(t, { start: 'fresh' });
  const call = { inputs: { claim: 'one' } };
  assert.equal(await step('first-look', { ...call, do: 'check' }), 'check 1');
  assert.equal(await step('first-look', call), 'check 1, apply 0, verify 0');
  assert.equal(readText(CLAIM), 'one\n');
  assert.equal(mac.files.facts(`${HOME}/.macfleet`)?.mode, 0o700);
  assert.equal(await step('first-look', call), 'check 0');
});

test('F35: a first look that was cut off before its epoch was noted is taken again, and work goes on', async (t) => {
  const { batch, step, asRoot, mac } = await stageSteps(t, { start: 'fresh' });
  const call = { inputs: { claim: 'one' } };
  await batch({ 'first-look': call });
  await asRoot(`rm -r ${HOME}/.macfleet/epoch`);
  // What the Mac has by then is its own claim's.
  mac.files.write(KUBECONFIG, 'kind: Config\n');
  assert.equal(await step('first-look', { ...call, do: 'check' }), 'check 1');
  assert.equal(await step('first-look', call), 'check 1, apply 0, verify 0');
  assert.equal(await step('first-look', call), 'check 0');
});

test('R9: a Mac that works for another claim changes nothing, for whoever asks', async (t) => {
  const { batch, readText } = await stageSteps(t, { start: 'fresh' });
  await batch({ 'first-look': { inputs: { claim: 'one' } } });
  for (const doing of ['check', 'converge'] as const) {
    for (const takeover of ['no', 'yes']) {
      const calls = { 'first-look': { do: doing, inputs: { claim: 'two', takeover } }, 'stop-agent': { do: doing } };
      const { exitCode, refusal, steps } = await batch(calls, { epoch: 9 });
      assert.equal(exitCode, 97);
      assert.equal(refusal?.code, 'NotWiped');
      assert.deepEqual(steps[1]?.phases, []);
    }
  }
  assert.equal(readText(CLAIM), 'one\n');
});

for (const mark of [KUBECONFIG, '/Library/LaunchDaemons/dev.tuist.tart-kubelet.plist']) {
  test(`R9: ${mark} without a claim is a Mac that was not wiped`, async (t) => {
    const { batch, mac } = await stageSteps(t, { start: 'fresh' });
    mac.files.write(mark, '');
    const { refusal } = await batch({ 'first-look': { inputs: { claim: 'one' } } });
    assert.equal(refusal?.code, 'NotWiped');
    assert.equal(mac.files.read(CLAIM), undefined);
  });
}

test('R28: a host of the Go original is taken over with its kubeconfig', async (t) => {
  const { step, mac } = await stageSteps(t, { start: 'fresh' });
  mac.files.write(KUBECONFIG, 'kind: Config\n');
  const inputs = { claim: 'one', takeover: 'yes' };
  assert.equal(await step('first-look', { inputs }), 'check 1, apply 0, verify 0');
});
