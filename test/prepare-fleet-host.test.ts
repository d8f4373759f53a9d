/** 001-3: the command as a person runs it, with files and a real SSH connection, against simulated Macs. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { createSeededRandom } from '../src/base/random.ts';
import { createManualClock } from '../src/base/testing/manual-clock.ts';
import { runCli } from '../src/cli/run-cli.ts';
import { openSshKeyFrom } from '../src/pki/openssh-key.ts';
import { createSimCloud } from '../src/sim/cloud/sim-cloud.ts';
import { createSimMacs } from '../src/sim/mac/sim-macs.ts';
import { serveMac } from '../src/sim/mac/ssh-server.ts';

const fleetKey = openSshKeyFrom(Buffer.alloc(32, 1)).privateKey;

const stage = async (t: TestContext) => {
  const clock = createManualClock();
  const cloud = createSimCloud({ clock, random: createSeededRandom(3) });
  const server = cloud.addServer({ name: 'pool-a' });
  const startAgent = (): (() => void) => () => undefined;
  const macs = createSimMacs({ cloud, clock, fleetKey, random: createSeededRandom(4), startAgent, timeScale: 0 });
  const mac = macs.mac(server.id);
  const ssh = await serveMac({ hosts: macs.hosts, mac, address: server.address, fleetKey });
  const dir = mkdtempSync(join(tmpdir(), 'macfleet-prepare-'));
  t.after(async () => {
    rmSync(dir, { recursive: true, force: true });
    await ssh.close();
    macs.stop();
  });
  const identity = join(dir, 'key');
  writeFileSync(identity, fleetKey.reveal(), { mode: 0o600 });
  const run = async (input: string, ...flags: readonly string[]) => {
    const written = { stdout: '', stderr: '' };
    const io = {
      stdout: (text: string) => {
        written.stdout += text;
      },
      stderr: (text: string) => {
        written.stderr += text;
      },
      stdin: {
        async *[Symbol.asyncIterator]() {
          yield input;
        },
      },
      ...{ env: {}, signal: new AbortController().signal },
    };
    const args = [
      'prepare-fleet-host',
      `127.0.0.1:${ssh.port}`,
      '--identity',
      identity,
      '--password-file',
      '-',
      ...flags,
    ];
    return { exitCode: await runCli({ args, version: '1', io }), ...written };
  };
  return { mac, server, run, identity };
};

test('001-3: a Mac is prepared over SSH with the key alone, and a second run finds all done', async (t) => {
  const { server, run } = await stage(t);
  const first = await run(`${server.password.reveal()}\n`);
  assert.equal(first.exitCode, 0, first.stderr);
  assert.match(
    first.stdout,
    /prepared: sudo done, auto-login done\nHost keys that were shown:\n.*SHA256.*\nThe Mac is prepared\.\n$/,
  );
  const second = await run(`${server.password.reveal()}\n`);
  assert.match(second.stdout, /prepared: sudo was done, auto-login was done\n/);
});

test('a wrong password is an error with advice and an exit code, and is not shown', async (t) => {
  const { mac, run } = await stage(t);
  const { exitCode, stdout, stderr } = await run('canary-password\n');
  assert.equal(exitCode, 77);
  assert.match(stderr, /Each wrong one counts/);
  assert.ok(!(stdout + stderr).includes('canary'));
  assert.equal(mac.view().sudoFailures, 1);
});

test('a Mac that a controller holds is refused unless forced', async (t) => {
  const { mac, server, run } = await stage(t);
  mac.plantLeftover({ epochFile: { claim: 'uid-1', epoch: 4 } });
  const refused = await run(`${server.password.reveal()}\n`);
  assert.equal(refused.exitCode, 5);
  assert.match(refused.stderr, /a controller works on this Mac \(uid-1\).*\n.*--force/);
  assert.deepEqual(mac.view().applies, {});
  assert.equal((await run(`${server.password.reveal()}\n`, '--force')).exitCode, 0);
  assert.equal(mac.view().epochFile?.epoch, 4);
});

for (const { story, content } of [
  { story: 'a password', content: () => 'secret\n' },
  { story: 'the public half of a key', content: () => `${openSshKeyFrom(Buffer.alloc(32, 1)).publicKey}\n` },
]) {
  test(`001-3: ${story} in the place of the key is told once, before anybody is asked or called`, async (t) => {
    const { run, identity } = await stage(t);
    writeFileSync(identity, content());
    const { exitCode, stdout, stderr } = await run('never read\n');
    assert.deepEqual([exitCode, stdout], [2, '']);
    assert.match(stderr, /^error: the fleet's SSH key is no private key.*code: BadPrivateKey\n$/s);
    assert.ok(!stderr.includes('secret'));
  });
}
