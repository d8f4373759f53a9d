/** Macs with real bash follow the servers of a simulated Scaleway project. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { type TestContext, test } from 'node:test';
import { createSystemClock } from '../../../src/base/clock.ts';
import { createIds } from '../../../src/base/ids.ts';
import { createLogger } from '../../../src/base/logger.ts';
import { createSeededRandom, createSystemRandom } from '../../../src/base/random.ts';
import { createManualClock } from '../../../src/base/testing/manual-clock.ts';
import { createSimCloud } from '../../../src/sim/cloud/sim-cloud.ts';
import { createBashMacs } from '../../../src/sim/mac/bash/bash-macs.ts';
import { openMacRack } from '../../../src/sim/mac/bash/mac-rack.ts';

const HOUR_MS = 3_600_000;
const KEYS = '/Users/m1/.ssh/scw_authorized_keys';

const stage = async (t: TestContext) => {
  const clock = createManualClock();
  const cloud = createSimCloud({ clock, random: createSeededRandom(3) });
  const rack = await openMacRack({ parentDir: tmpdir(), node: process.execPath });
  const logger = createLogger({ clock, level: 'error', destination: { write: (text) => assert.fail(text) } });
  const ids = createIds(createSystemRandom());
  const macs = createBashMacs({ cloud, rack, ids, clock: createSystemClock(), logger });
  t.after(async () => {
    await macs.stop();
    assert.deepEqual(readdirSync(rack.dir), ['root'], 'no disk is left');
    await rack.close();
    assert.ok(!existsSync(rack.dir));
  });
  const after = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await macs.settled();
  };
  return { cloud, macs, after, person: cloud.as('a person') };
};

test('a Mac is there when it is delivered, and gone when its server is', async (t) => {
  const { cloud, macs, after } = await stage(t);
  const { id } = cloud.addServer({ name: 'mac', status: 'starting' });
  await after(0);
  const mac = macs.mac(id);
  assert.equal(mac.power.sandbox(), undefined);
  await after(HOUR_MS);
  assert.equal((await mac.exec({ line: 'whoami' })).stdout, 'm1\n');
  cloud.deleteServer(id);
  await after(0);
  assert.throws(() => macs.mac(id), { code: 'NoSuchMac' });
});

test('keys of the project come with a start by the API, passwords with an install', async (t) => {
  const { cloud, macs, after, person } = await stage(t);
  const { id, zone, password } = cloud.addServer({ name: 'mac' });
  await after(0);
  const mac = macs.mac(id);
  person.addSshKey({ name: 'late', publicKey: 'ssh-ed25519 AAAA late' });
  assert.equal(mac.files.readText(KEYS), '');
  person.reboot({ id, zone });
  await after(0);
  assert.equal(mac.power.sandbox(), undefined, 'it is off while it reboots');
  await after(HOUR_MS);
  assert.equal(mac.files.readText(KEYS), 'ssh-ed25519 AAAA late\n');
  const sudo = (given: string) => mac.exec({ line: 'sudo -S true' }, `${given}\n`);
  assert.equal((await sudo(password.reveal())).exitCode, 0);
  person.reinstall({ id, zone });
  await after(HOUR_MS);
  assert.equal((await sudo(password.reveal())).exitCode, 1);
  assert.equal((await sudo(cloud.server(id)?.password.reveal() ?? '')).exitCode, 0);
});
