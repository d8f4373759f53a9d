import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { encodeKcpassword } from '../../../src/macos/kcpassword.ts';
import { CALLS, clearCalls, putBuilderPrograms, TOKEN_SEEN } from '../mac/builder-programs.ts';
import { PASSWORD } from '../mac/stage.ts';
import { until } from '../sshd-stage.ts';
import { type StepsStage, stageSteps } from './steps-stage.ts';

const TOKEN = 'canary-registration-token';
const CALL = {
  inputs: { nodeName: 'builder-1', githubOrg: 'tuist', runnerLabels: 'macos,builder', runnerVersion: '2.330.0' },
  secrets: { githubToken: TOKEN },
};
const SERVICE = 'actions.runner.tuist.builder-1';
const DONE = 'check 1, apply 0, verify 0';

const stageBuilder = async (t: TestContext): Promise<StepsStage> => {
  const stage = await stageSteps(t);
  stage.mac.files.write('/etc/kcpassword', encodeKcpassword(PASSWORD), { mode: 0o600 });
  putBuilderPrograms(stage.mac);
  await stage.asRoot(
    'defaults write /Library/Preferences/com.apple.loginwindow autoLoginUser m1; launchctl kickstart -k system/com.apple.loginwindow',
  );
  await until('a session', () => stage.mac.model.loginWindow.hasSession());
  return stage;
};

for (const shell of ['bash', 'zsh'] as const) {
  test(`a builder becomes a runner of its organisation, once, through ${shell}`, async (t) => {
    const stage = await stageBuilder(t);
    assert.equal(await stage.step('github-runner', CALL, { shell }), DONE, stage.said());
    const calls = stage.readText(CALLS);
    assert.match(calls, /^brew pin packer$/m);
    assert.match(
      calls,
      /^config\.sh --url https:\/\/github\.com\/tuist --name builder-1 --labels macos,builder --work _work --unattended --replace$/m,
    );
    assert.match(calls, /^svc\.sh install m1$/m);
    assert.doesNotMatch(calls, /svc\.sh start|canary/, 'no legacy load, no token among the arguments');
    assert.equal(stage.readText(TOKEN_SEEN), `${TOKEN}\n`);
    assert.doesNotMatch(stage.said(), /canary/);
    assert.equal(stage.readText('/etc/zshenv'), 'export TUIST_MIX_BUILD_ROOT=/opt/tuist-build-cache\n');
    assert.match(stage.readText('/opt/actions-runner/.path'), /^\/usr\/local\/bin:\/opt\/homebrew\/bin:/);
    assert.equal(await stage.step('github-runner', { ...CALL, secrets: {} }, { shell }), 'check 0', stage.said());
  });
}

test('a runner that lost its job is registered again, and what is there is not installed again', async (t) => {
  const stage = await stageBuilder(t);
  await stage.step('github-runner', CALL);
  await stage.run(`launchctl bootout gui/501/${SERVICE}`);
  clearCalls(stage.mac);
  await until('it is gone', () => stage.mac.model.launchd.job(SERVICE) === undefined);
  assert.equal(await stage.step('github-runner', CALL), DONE, stage.said());
  assert.doesNotMatch(stage.readText(CALLS), /brew/);
  assert.equal(stage.readText('/etc/zshenv').split('\n').length, 2, 'the line stands there once');
});

for (const [story, change, why] of [
  ['without a token', { secrets: {} }, /no token/],
  ['with an organisation that is none', { inputs: { ...CALL.inputs, githubOrg: 'a/../b' } }, /organisation/],
  ['with a version that is none', { inputs: { ...CALL.inputs, runnerVersion: '1;reboot' } }, /version/],
] as const) {
  test(`nobody is registered ${story}`, async (t) => {
    const stage = await stageBuilder(t);
    assert.match(await stage.step('github-runner', { ...CALL, ...change }), / 70$/);
    assert.match(stage.said(), why);
    assert.doesNotMatch(stage.readText(CALLS), /config\.sh/);
  });
}
