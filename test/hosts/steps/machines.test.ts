/** What a Mac must be like before virtual machines start on it and can be reached, and how the original's hosts were not. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { findMacScenario } from '../../../src/sim/mac/bash/scenarios.ts';
import { stageScenario } from '../../../src/sim/mac/bash/stage-scenario.ts';
import { ADDRESSES_MAX } from '../../../src/sim/mac/model/hypervisor.ts';
import { PASSWORD } from '../mac/stage.ts';
import { tartArchive } from './artefacts.ts';
import { type StepsStage, stageSteps } from './steps-stage.ts';

const DONE = 'check 1, apply 0, verify 0';
const LOGIN = { secrets: { sudoPassword: PASSWORD } };
const REACH = 'nc -z 192.168.64.5 22';
const CACHE = '/Volumes/tuist-runner-cache';
const SHORT_LEASES = '/Library/Preferences/SystemConfiguration/com.apple.InternetSharing.default bootpd';

const TART = '/usr/local/bin/tart';
/** Lives as long as its machine. */
const RUN = `${TART} run a`;
const RUN_AND_LOOK = `${RUN} >/dev/null 2>&1 & for i in 1 2 3 4 5 6 7 8 9; do ${TART} ip a && break; sleep 2; done`;

/** With a machine that has not run yet. */
const installTart = async ({ step, upload, run, said }: StepsStage): Promise<void> => {
  assert.equal(await step('tart', { inputs: { artefact_tart: upload(tartArchive('2.30.0')) } }), DONE, said());
  assert.equal((await run(`${TART} create a --linux`)).exitCode, 0);
};

test('F44: where nobody ever logged in there is no keychain and no machine starts; our login makes one', async (t) => {
  const stage = await stageSteps(t);
  await installTart(stage);
  assert.match((await stage.run(RUN)).stderr, /Failed to get current host key/);
  assert.match((await stage.run('security show-keychain-info')).stderr, /could not be found/);
  assert.equal(await stage.step('auto-login', LOGIN), DONE, stage.said());
  assert.match((await stage.run(RUN_AND_LOOK)).stdout, /^192\.168\.64\./);
});

test('F44: with a keychain of a former password all went well, and no machine ever starts', async (t) => {
  const stage = await stageSteps(t);
  await stageScenario(stage.mac, findMacScenario('keychain-closed'));
  await installTart(stage);
  assert.equal(await stage.step('auto-login', LOGIN), DONE, stage.said());
  assert.match((await stage.run(RUN)).stderr, /SecKeyCreateRandomKey_ios failed/);
  await stage.run("security unlock-keychain -p 'a former password' login.keychain");
  assert.match((await stage.run(RUN_AND_LOOK)).stdout, /^192\.168\.64\./);
});

for (const shell of ['bash', 'zsh'] as const) {
  test(`F45: a builder is let through to its machines from the next restart on, through ${shell}`, async (t) => {
    const { step, mac, run, asRoot, reboot, said } = await stageSteps(t);
    mac.model.network.setLocalNetwork('blocked');
    assert.equal(await step('local-network', {}, { shell }), DONE, said());
    assert.match((await run(REACH)).stderr, /No route to host/, 'W-22: the original took this for done');
    await reboot();
    assert.equal((await run(REACH)).exitCode, 0);
    assert.equal(await step('local-network', {}, { shell }), 'check 0');
    for (const key of ['AllowedEthernetLocalNetworkAddresses', 'AllowedWiFiLocalNetworkAddresses']) {
      await asRoot(`defaults write com.apple.network.local-network ${key} -array 10.0.0.0/8 192.168.0.0/16`);
      assert.equal(await step('local-network', {}, { shell }), DONE, key);
    }
  });
}

test('F45: an exception in the preferences of m1 is one that macOS does not look at', async (t) => {
  const { mac, run, reboot } = await stageSteps(t);
  mac.model.network.setLocalNetwork('blocked');
  await run(
    'defaults write com.apple.network.local-network AllowedEthernetLocalNetworkAddresses -array 192.168.0.0/16',
  );
  await reboot();
  assert.match((await run(REACH)).stderr, /No route to host/);
});

test('F52: the original gave the volume to m1 at every push, which failed on one that came up read-only', async (t) => {
  const { mac, run, asRoot } = await stageSteps(t);
  await stageScenario(mac, findMacScenario('cache-volume-read-only'));
  const { exitCode, stderr } = await asRoot(`set -e; chown m1:staff ${CACHE}; sudo -u m1 test -w ${CACHE}`);
  assert.notEqual(exitCode, 0);
  assert.match(stderr, /Read-only file system/);
  assert.equal((await run(`test -w ${CACHE}`)).exitCode, 1);
});

for (const { story, prepare, hasAddress } of [
  { story: 'a day, as the original left them', prepare: `defaults delete ${SHORT_LEASES}`, hasAddress: false },
  { story: 'ten minutes, as we set them', prepare: 'true', hasAddress: true },
]) {
  test(`F57: after ${ADDRESSES_MAX} machines in a row, with leases of ${story}, the next ${hasAddress ? 'soon gets' : 'waits in vain for'} an address`, async (t) => {
    const stage = await stageSteps(t, { timeScale: 200 });
    await installTart(stage);
    assert.equal(await stage.step('auto-login', LOGIN), DONE, stage.said());
    await stage.asRoot(prepare);
    stage.mac.model.hypervisor.startMachines(ADDRESSES_MAX);
    const next = `${RUN} >/dev/null 2>&1 & sleep 300; ${TART} ip a`;
    assert.match((await stage.run(next)).stderr, /no IP address found/);
    const { stdout } = await stage.run(`sleep 700; ${next}`);
    assert.equal(stdout.startsWith('192.168.64.'), hasAddress);
  });
}
