import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import type { StepFiles } from '../../../src/hosts/program/compose.ts';
import { encodeKcpassword, SEALED_PASSWORD } from '../../../src/macos/kcpassword.ts';
import { PASSWORD } from '../mac/stage.ts';
import { until } from '../sshd-stage.ts';
import { mutate, STEP_FILES, type StepsStage, stageSteps, startMachine } from './steps-stage.ts';

const KCPASSWORD = '/etc/kcpassword';
const PREFERENCES = '/Library/Preferences/com.apple.loginwindow';
const secrets = { sudoPassword: PASSWORD };

const stored = ({ mac }: StepsStage): string => Buffer.from(mac.files.read(KCPASSWORD) ?? []).toString('hex');
const encoded = (password: string): string => Buffer.from(encodeKcpassword(password)).toString('hex');

/** As the command for preparing by hand leaves a Mac: logged in. */
const stageLoggedIn = async (t: TestContext): Promise<StepsStage> => {
  const stage = await stageSteps(t);
  stage.mac.files.write(KCPASSWORD, encodeKcpassword(PASSWORD), { mode: 0o600 });
  await stage.asRoot(
    `defaults write ${PREFERENCES} autoLoginUser m1; launchctl kickstart -k system/com.apple.loginwindow`,
  );
  await until('a session', () => stage.mac.model.loginWindow.hasSession());
  return stage;
};

for (const shell of ['bash', 'zsh'] as const) {
  test(`003-3: a fresh Mac logs in by itself, twice, through ${shell}`, async (t) => {
    const stage = await stageSteps(t);
    assert.equal(await stage.step('auto-login', { secrets }, { shell }), 'check 1, apply 0, verify 0', stage.said());
    assert.equal(stored(stage), encoded(PASSWORD));
    assert.equal(stage.mac.files.facts(KCPASSWORD)?.mode, 0o600);
    assert.ok(stage.mac.model.loginWindow.hasSession());
    const { asked } = stage.mac.model;
    assert.ok(!asked.some(({ name }) => name === 'killall'));
    assert.ok(asked.some(({ args }) => args.join(' ') === 'kickstart -k system/com.apple.loginwindow'));
    assert.equal(await stage.step('auto-login', { secrets: {} }, { shell }), 'check 0');
    assert.equal(stage.mac.model.loginWindow.sessionsLost(), 0);
  });
}

/** The vectors of the original; a length of exactly one key; bytes that become zero, and that are no ASCII. */
for (const password of [
  'hello',
  '12345678901',
  '}',
  '}\u0089R#',
  'pässwörd€',
  "it's \\0 %s `x` $(y)",
  'x'.repeat(40),
]) {
  test(`T-74: the password ${password} is written as macOS reads it`, async (t) => {
    const stage = await stageSteps(t, { password });
    const ended = await stage.step('auto-login', { secrets: { sudoPassword: password } });
    assert.equal(ended, 'check 1, apply 0, verify 0', stage.said());
    assert.equal(stored(stage), encoded(password));
  });
}

const refusesWrongPassword = async (stage: StepsStage, files: StepFiles): Promise<void> => {
  const ended = await stage.step('auto-login', { secrets: { sudoPassword: 'wr0ng' } }, { files });
  assert.equal(ended, 'check 1, apply 70');
  assert.match(stage.said(), /refused the password/);
  assert.doesNotMatch(stage.said(), /wr0ng/);
};

test('003-2, F42: a password that macOS seals fails the step', async (t) => {
  const stage = await stageSteps(t);
  await refusesWrongPassword(stage, STEP_FILES);
  assert.equal(stored(stage), encoded(SEALED_PASSWORD));
  assert.equal(await stage.step('auto-login', { do: 'check' }), 'check 1');
  assert.match(stage.said(), /holds <sealed>/);
  assert.equal(await stage.step('auto-login', { secrets }), 'check 1, apply 0, verify 0');
});

test('003-2: a sealed file that an earlier version left is repaired', async (t) => {
  const stage = await stageSteps(t);
  stage.mac.files.write(KCPASSWORD, encodeKcpassword(SEALED_PASSWORD), { mode: 0o600 });
  assert.equal(await stage.step('auto-login', { secrets }), 'check 1, apply 0, verify 0', stage.said());
});

test('003-2: a session that somebody else began does not hide a wrong password', async (t) => {
  const stage = await stageLoggedIn(t);
  stage.mac.files.write(KCPASSWORD, encodeKcpassword(SEALED_PASSWORD), { mode: 0o600 });
  await refusesWrongPassword(stage, STEP_FILES);
});

test('I-05: a file that is nothing but padding is no password', async (t) => {
  const stage = await stageLoggedIn(t);
  stage.mac.files.write(KCPASSWORD, encodeKcpassword(''), { mode: 0o600 });
  assert.equal(await stage.step('auto-login', { do: 'check' }), 'check 1');
});

for (const marker of [SEALED_PASSWORD, '%3Csealed%3E', '']) {
  test(`000-3: "${marker}" is never written as a password`, async (t) => {
    const stage = await stageSteps(t);
    assert.equal(await stage.step('auto-login', { secrets: { sudoPassword: marker } }), 'check 1, apply 70');
    assert.equal(stage.mac.files.read(KCPASSWORD), undefined);
  });
}

test('W-43: a Mac that somebody prepared keeps its password, whatever ours is', async (t) => {
  const stage = await stageLoggedIn(t);
  const stale = { secrets: { sudoPassword: 'stale' } };
  assert.equal(await stage.step('auto-login', stale), 'check 0, apply 0, verify 0', stage.said());
  assert.equal(stored(stage), encoded(PASSWORD));
  assert.equal(stage.mac.model.loginWindow.sessionsLost(), 0);
});

test('W-43: a password that macOS refuses does not cost the one that it took', async (t) => {
  const stage = await stageLoggedIn(t);
  await stage.asRoot('killall -HUP loginwindow');
  assert.equal(await stage.step('auto-login', { secrets: { sudoPassword: 'stale' } }), 'check 1, apply 70');
  assert.equal(stored(stage), encoded(PASSWORD));
});

test('003-3, F43: a loginwindow that the original left dead comes back', async (t) => {
  const stage = await stageLoggedIn(t);
  assert.equal((await stage.asRoot('killall -HUP loginwindow')).exitCode, 0);
  assert.ok(!stage.mac.model.loginWindow.hasSession());
  assert.notEqual((await stage.asRoot('killall -HUP loginwindow')).exitCode, 0, 'a second one finds nobody');
  assert.equal(await stage.step('auto-login', { secrets }), 'check 1, apply 0, verify 0', stage.said());
  assert.ok(stage.mac.model.loginWindow.hasSession());
});

test('W-12: a session with virtual machines is not ended for a new password', async (t) => {
  const stage = await stageLoggedIn(t);
  stage.mac.files.write(KCPASSWORD, encodeKcpassword(SEALED_PASSWORD), { mode: 0o600 });
  await startMachine(t, stage);
  assert.equal(await stage.step('auto-login', { secrets }), 'check 1, apply 0, verify 0', stage.said());
  assert.equal(stored(stage), encoded(PASSWORD));
  assert.equal(stage.mac.model.loginWindow.sessionsLost(), 0);
});

test('no secret is an argument of any command, and none stays in a file of its own', async (t) => {
  const stage = await stageSteps(t);
  await stage.step('auto-login', { secrets });
  const told = stage.mac.model.asked.filter(({ args }) => args.some((arg) => arg.includes(PASSWORD)));
  assert.deepEqual(told, []);
  const found = await stage.asRoot(`grep -rlF '${PASSWORD}' /private /Library /Users /usr/local`);
  assert.equal(found.stdout, '');
});

const READ_BACK = 'if [ "$(stored)" != "$wanted" ]; then';

test('mutant M21: kcpassword is not read back in the bootstrap: found', async (t) => {
  const stage = await stageSteps(t);
  await assert.rejects(
    refusesWrongPassword(stage, mutate('auto-login', READ_BACK, 'if false; then')),
    assert.AssertionError,
  );
});

test('mutant M22: kcpassword is not read back when a Mac is prepared by hand: found', async (t) => {
  const stage = await stageSteps(t);
  const files = mutate('auto-login', READ_BACK, 'if false; then');
  const secret = { sudoPassword: 'wr0ng' };
  const prepare = async (given: StepFiles): Promise<void> => {
    const { steps } = await stage.batch(
      { sudo: { secrets: secret }, 'auto-login': { secrets: secret } },
      { files: given },
    );
    assert.deepEqual(steps[1]?.phases.at(-1), { phase: 'apply', exitCode: 70 });
    assert.match(stage.said(), /refused the password/);
  };
  await prepare(STEP_FILES);
  await assert.rejects(prepare(files), assert.AssertionError);
});

test('mutant M23: loginwindow is sent a hang-up: found', async (t) => {
  const stage = await stageLoggedIn(t);
  await stage.asRoot('killall -HUP loginwindow');
  const files = mutate('auto-login', 'launchctl kickstart -k system/com.apple.loginwindow', 'killall -HUP loginwindow');
  assert.notEqual(await stage.step('auto-login', { secrets }, { files }), 'check 1, apply 0, verify 0');
});
