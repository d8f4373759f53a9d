/** Macs with real bash over real SSH: our own adapter, and the ssh that everybody has. */
import assert from 'node:assert/strict';
import { execFile, type PromiseWithChild } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { neverAborted } from '../../../src/base/abort.ts';
import { createSystemClock, sleep } from '../../../src/base/clock.ts';
import { openSshKeyFrom } from '../../../src/pki/openssh-key.ts';
import { serveBashMac } from '../../../src/sim/mac/bash/serve-bash-mac.ts';
import { type MacStage, stageMac, tempDir } from './stage.ts';

const KEY = openSshKeyFrom(Buffer.alloc(32, 7));
const run = promisify(execFile);

interface SshStage extends MacStage {
  ssh(...words: readonly string[]): PromiseWithChild<{ readonly stdout: string; readonly stderr: string }>;
}

const stageSsh = async (t: TestContext): Promise<SshStage> => {
  const stage = await stageMac(t, { authorizedKeys: [KEY.publicKey] });
  const door = await serveBashMac(stage.mac);
  t.after(() => door.close());
  const identity = join(tempDir(t), 'key');
  writeFileSync(identity, KEY.privateKey.reveal(), { mode: 0o600 });
  const options = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'LogLevel=ERROR', 'IdentitiesOnly=yes'];
  const words = ['-i', identity, '-p', String(door.port), ...options.flatMap((option) => ['-o', option])];
  return {
    ...stage,
    ssh: (...more) =>
      run('ssh', [...words, ...more.slice(0, -1), '-l', 'm1', '127.0.0.1', ...more.slice(-1)], { timeout: 20_000 }),
  };
};

test('plain ssh runs a command on the Mac, with its exit code and both outputs', async (t) => {
  const { ssh } = await stageSsh(t);
  assert.deepEqual(await ssh('whoami; sw_vers -productName; echo $ZSH_NAME; echo oh >&2'), {
    stdout: 'm1\nmacOS\nzsh\n',
    stderr: 'oh\n',
  });
  await assert.rejects(ssh('exit 7'), { code: 7 });
});

test('plain ssh gets an interactive shell on a terminal of its own', async (t) => {
  const { ssh } = await stageSsh(t);
  const shell = ssh('-tt');
  shell.child.stdin?.end('stty size; echo "I am $(whoami) at $(tty)"; exit 3\n');
  await assert.rejects(shell, ({ code, stdout }: { readonly code: number; readonly stdout: string }) => {
    assert.match(stdout, /I am m1 at \/dev\/pts\/\d/);
    assert.equal(code, 3);
    return true;
  });
});

test('only keys of the two key files are let in, and only as m1', async (t) => {
  const { ssh, mac } = await stageSsh(t);
  await assert.rejects(ssh('-l', 'root', 'id'), /Permission denied/);
  mac.files.write('/Users/m1/.ssh/scw_authorized_keys', '');
  await assert.rejects(ssh('id'), /Permission denied/);
  mac.files.write('/Users/m1/.ssh/authorized_keys', `${KEY.publicKey}\n`);
  assert.equal((await ssh('id -u')).stdout, '501\n');
});

test('a reboot asked for on the Mac breaks the connection, and lets one in again afterwards', async (t) => {
  const { ssh, mac } = await stageSsh(t);
  mac.files.write('/etc/sudoers.d/m1-nopasswd', 'm1 ALL=(ALL) NOPASSWD: ALL\n', { mode: 0o440 });
  const before = Number((await ssh('sysctl -n kern.boottime | cut -d" " -f4 | tr -d ,')).stdout);
  await assert.rejects(ssh('sudo reboot; sleep 1000000'), { code: 255 });
  await assert.rejects(ssh('true'), { code: 255 }, 'it takes a while');
  const clock = createSystemClock();
  let answer = '';
  for (let left = 300; answer === ''; left -= 1) {
    assert.ok(left > 0, 'it did not come up');
    await sleep(clock, 100, neverAborted());
    answer = await ssh('sysctl -n kern.boottime | cut -d" " -f4 | tr -d ,').then(
      ({ stdout }) => stdout,
      () => '',
    );
  }
  assert.ok(Number(answer) >= before + 20, `${answer} after ${before}`);
});
