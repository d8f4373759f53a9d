/** What goes wrong on the way to a Mac, switch by switch, as our SSH adapter meets it. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, type TestContext, test } from 'node:test';
import { neverAborted } from '../../../src/base/abort.ts';
import { createSystemClock } from '../../../src/base/clock.ts';
import { FleetError } from '../../../src/base/errors.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import type { Artefact, Batch } from '../../../src/hosts/port.ts';
import { readStepFiles } from '../../../src/hosts/program/step-files.ts';
import { DEFAULT_SSH_TIMES } from '../../../src/hosts/ssh/ssh-connection.ts';
import { createSshHosts } from '../../../src/hosts/ssh/ssh-hosts.ts';
import { openSshKeyFrom } from '../../../src/pki/openssh-key.ts';
import { switchesOfBash } from '../../../src/sim/mac/bash/bash-faults.ts';
import { serveBashMac } from '../../../src/sim/mac/bash/serve-bash-mac.ts';
import { LOGIN_SWITCHES } from '../../../src/sim/mac/testing/fault-switches.ts';
import { stageMac } from './stage.ts';

const KEY = openSshKeyFrom(Buffer.alloc(32, 7));
const signal = neverAborted();
const LOOK: Batch = {
  ...{ epoch: 1, timeoutMs: 60_000 },
  calls: [{ step: 'stop-agent', do: 'check', inputs: {}, secrets: {}, digest: '' }],
};

const stage = async (t: TestContext) => {
  const { mac, run } = await stageMac(t, { authorizedKeys: [KEY.publicKey], timeScale: 5 });
  const door = await serveBashMac(mac);
  t.after(() => door.close());
  const hosts = createSshHosts({ clock: createSystemClock(), ...DEFAULT_SSH_TIMES, files: readStepFiles() });
  const target = { address: '127.0.0.1', port: door.port, user: 'm1', privateKey: KEY.privateKey };
  const first = await hosts.open({ ...target, pinnedHostKey: undefined }, signal);
  await first.close();
  const open = async () => {
    const session = await hosts.open({ ...target, pinnedHostKey: first.hostKey }, signal);
    t.after(() => session.close());
    return session;
  };
  return { mac, run, open };
};

const outcome = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
    return 'done';
  } catch (error) {
    return error instanceof FleetError ? `${error.kind} ${error.code}` : assert.fail(String(error));
  }
};

const artefactOf = (content: Buffer): Artefact => ({
  ...{ name: 'file', sizeBytes: content.length, sha256: createHash('sha256').update(content).digest('hex') },
  async *open() {
    for (let at = 0; at < content.length; at += 65_536) yield content.subarray(at, at + 65_536);
  },
});

test('F34: connections are refused as often as asked for', async (t) => {
  const { mac, open } = await stage(t);
  mac.trouble.refuseConnections(2);
  assert.match(await outcome(open()), /^unavailable /);
  assert.match(await outcome(open()), /^unavailable /);
  assert.equal(await outcome(open()), 'done');
});

test('F40: who was banned gets in again after a boot', async (t) => {
  const { mac, open } = await stage(t);
  mac.trouble.ban();
  assert.match(await outcome(open()), /^unavailable /);
  assert.match(await outcome(open()), /^unavailable /);
  await mac.power.reboot();
  assert.equal(await outcome(open()), 'done');
});

test('F35: a command that is cut before it began did nothing; one that is cut after its end did all', async (t) => {
  const { mac, open, run } = await stage(t);
  for (const [how, left] of [
    ['lost-before', '0\n'],
    ['lost-after', '1\n'],
  ] as const) {
    mac.trouble.breakNext('first-look', how);
    const calls = [
      { ...LOOK.calls[0], step: 'first-look', do: 'converge', digest: 'd', secrets: {}, inputs: { claim: 'ours' } },
    ] as const;
    assert.equal(await outcome((await open()).run({ ...LOOK, calls }, signal)), 'unavailable HostConnectionLost');
    assert.equal((await run('ls .macfleet/epoch 2>/dev/null | wc -l | tr -d " "')).stdout, left, how);
  }
});

test('F37: an upload that is cut in its middle leaves no file under its sum, and the next one does', async (t) => {
  const { mac, open, run } = await stage(t);
  const file = artefactOf(Buffer.alloc(1_000_000, 'x'));
  mac.trouble.breakNext(file.sha256, 'lost-midway');
  assert.equal(await outcome((await open()).upload([file], signal)), 'unavailable HostConnectionLost');
  assert.equal((await run(`ls .macfleet/artefacts | grep -cx ${file.sha256}`)).stdout, '0\n');
  assert.equal(await outcome((await open()).upload([file], signal)), 'done');
  assert.equal((await run(`wc -c <.macfleet/artefacts/${file.sha256} | tr -d " "`)).stdout, '1000000\n');
});

test('F36: a command that hangs is ended at its limit, and the session goes on', async (t) => {
  const { mac, open } = await stage(t);
  const session = await open();
  mac.trouble.breakNext('stop-agent/check', 'hang');
  assert.equal(await outcome(session.run({ ...LOOK, timeoutMs: 500 }, signal)), 'unavailable DeadlineExceeded');
  assert.equal(await outcome(session.run(LOOK, signal)), 'done');
});

test('F38, F41: another host key, and no key of ours let in, are refusals', async (t) => {
  const { mac, open } = await stage(t);
  mac.authorize([]);
  assert.equal(await outcome(open()), 'denied AuthenticationFailed');
  mac.authorize([KEY.publicKey]);
  mac.changeHostKey();
  assert.equal(await outcome(open()), 'denied HostKeyChanged');
});

test('a Mac that loses its power amid a command is a lost connection, and nobody answers until it is on', async (t) => {
  const { mac, open } = await stage(t);
  const session = await open();
  mac.trouble.breakNext('stop-agent/check', 'hang');
  const hanging = outcome(session.run(LOOK, signal));
  await mac.exec({ line: 'true' });
  await mac.power.off();
  assert.equal(await hanging, 'unavailable HostConnectionLost');
  assert.match(await outcome(open()), /^unavailable /);
  await mac.power.on();
  assert.equal(await outcome(open()), 'done');
});

// A boot takes seconds, of which a Mac sleeps most.
describe('macfleet sim fault', { concurrency: true }, () => {
  for (const { fault, logins, afterBoot } of LOGIN_SWITCHES) {
    test(`${fault} is seen by whoever logs in, as on a step-level Mac`, async (t) => {
      const { mac, open } = await stage(t);
      switchesOfBash(mac, silentLogger)[fault](1);
      if (fault === 'reboot') await mac.power.reboot();
      const seen = [await outcome(open()), await outcome(open())];
      assert.deepEqual(seen, logins);
      await mac.power.reboot();
      assert.equal(await outcome(open()), afterBoot);
    });
  }
});
