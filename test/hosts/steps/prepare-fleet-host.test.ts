/** 001-3 on real bash: the command as a person runs it, over SSH, against Macs that run the scripts. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { runCli } from '../../../src/cli/run-cli.ts';
import { decodeKcpassword, encodeKcpassword, SEALED_PASSWORD } from '../../../src/macos/kcpassword.ts';
import { openSshKeyFrom } from '../../../src/pki/openssh-key.ts';
import { serveBashMac } from '../../../src/sim/mac/bash/serve-bash-mac.ts';
import { PASSWORD, tempDir } from '../mac/stage.ts';
import { HOME, type StepsStage, stageSteps } from './steps-stage.ts';

const KEY = openSshKeyFrom(Buffer.alloc(32, 9));

interface Prepared {
  readonly exitCode: number;
  readonly told: string;
}

interface PrepareStage extends StepsStage {
  prepare(password: string, ...flags: readonly string[]): Promise<Prepared>;
}

const stage = async (t: TestContext, start: 'fresh' | 'fenced' = 'fresh'): Promise<PrepareStage> => {
  const steps = await stageSteps(t, { start, authorizedKeys: [KEY.publicKey] });
  const door = await serveBashMac(steps.mac);
  t.after(() => door.close());
  const identity = join(tempDir(t), 'key');
  writeFileSync(identity, KEY.privateKey.reveal(), { mode: 0o600 });
  const prepare = async (password: string, ...flags: readonly string[]): Promise<Prepared> => {
    let told = '';
    const write = (text: string): void => {
      told += text;
    };
    const io = {
      ...{ stdout: write, stderr: write, env: {}, signal: new AbortController().signal },
      stdin: {
        async *[Symbol.asyncIterator]() {
          yield `${password}\n`;
        },
      },
    };
    const args = [
      'prepare-fleet-host',
      `127.0.0.1:${door.port}`,
      '--identity',
      identity,
      '--password-file',
      '-',
      ...flags,
    ];
    return { exitCode: await runCli({ args, version: '1', io }), told };
  };
  return { ...steps, prepare };
};

const stored = ({ mac }: StepsStage): string => decodeKcpassword(mac.files.read('/etc/kcpassword') ?? Buffer.alloc(0));

test('001-3: a Mac is prepared with a key and a password, once', async (t) => {
  const mac = await stage(t);
  const first = await mac.prepare(PASSWORD);
  assert.equal(first.exitCode, 0, first.told);
  assert.match(first.told, /sudo done, auto-login done/);
  assert.equal(mac.readText('/etc/sudoers.d/m1-nopasswd'), 'm1 ALL=(ALL) NOPASSWD: ALL\n');
  assert.ok(mac.mac.model.loginWindow.hasSession());
  const second = await mac.prepare(PASSWORD);
  assert.equal(second.exitCode, 0, second.told);
  assert.match(second.told, /sudo was done, auto-login was done/);
  assert.equal(mac.mac.model.loginWindow.sessionsLost(), 0);
  assert.ok(!`${first.told}${second.told}`.includes(PASSWORD));
});

test('001-3: a prepared Mac is taken up by a controller that knows no password', async (t) => {
  const mac = await stage(t);
  await mac.prepare(PASSWORD);
  await mac.batch({ 'first-look': { inputs: { claim: 'c' } } });
  for (const id of ['sudo', 'auto-login']) assert.equal(await mac.step(id, { do: 'verify' }), 'verify 0', mac.said());
});

test('001-3, F39: a wrong password is tried once', async (t) => {
  const mac = await stage(t);
  const { exitCode, told } = await mac.prepare('wr0ng');
  assert.notEqual(exitCode, 0);
  assert.equal(mac.mac.model.accounts.failures(), 1);
  assert.match(told, /did not take the password/);
  assert.doesNotMatch(told, /wr0ng/);
  assert.equal(mac.mac.files.read('/etc/kcpassword'), undefined);
});

test('001-3, M22: a password that macOS seals is told, although sudo was never asked', async (t) => {
  const mac = await stage(t, 'fresh');
  mac.mac.files.write('/etc/sudoers.d/m1-nopasswd', 'm1 ALL=(ALL) NOPASSWD: ALL\n', { mode: 0o440 });
  mac.mac.files.write('/etc/kcpassword', encodeKcpassword(SEALED_PASSWORD), { mode: 0o600 });
  const wrong = await mac.prepare('wr0ng');
  assert.notEqual(wrong.exitCode, 0);
  assert.match(wrong.told, /macOS refused the password/);
  assert.equal(stored(mac), SEALED_PASSWORD);
  const right = await mac.prepare(PASSWORD);
  assert.equal(right.exitCode, 0, right.told);
  assert.equal(stored(mac), PASSWORD);
});

test('001-3: a Mac that a controller holds is left alone, unless forced', async (t) => {
  const mac = await stage(t);
  await mac.batch({ 'first-look': { inputs: { claim: 'c' } } });
  const refused = await mac.prepare(PASSWORD);
  assert.notEqual(refused.exitCode, 0);
  assert.equal(mac.readText('/etc/sudoers.d/m1-nopasswd'), '');
  const forced = await mac.prepare(PASSWORD, '--force');
  assert.equal(forced.exitCode, 0, forced.told);
  assert.equal(mac.readText(`${HOME}/.macfleet/claim`), 'c\n');
});

test('001-3: a Mac of the Go original is one that a controller holds', async (t) => {
  const mac = await stage(t);
  mac.mac.files.write('/Library/LaunchDaemons/dev.tuist.tart-kubelet.plist', '<plist/>');
  const refused = await mac.prepare(PASSWORD);
  assert.notEqual(refused.exitCode, 0);
  assert.match(refused.told, /--force/);
});
