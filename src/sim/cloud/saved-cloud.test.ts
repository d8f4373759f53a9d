/** A simulated project that is saved goes on in another process as if nothing had happened. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createSeededRandom } from '../../base/random.ts';
import { createManualClock } from '../../base/testing/manual-clock.ts';
import { SAVED_CLOUD } from './saved-cloud.ts';
import { createSimCloud, type SimCloud } from './sim-cloud.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Saves the cloud as text, ends it, and goes on with what the text says. */
const restart = (clock: ReturnType<typeof createManualClock>, cloud: SimCloud): SimCloud => {
  const text = JSON.stringify(cloud.save());
  cloud.stop();
  return createSimCloud({ clock, random: createSeededRandom(2), saved: SAVED_CLOUD.parse(JSON.parse(text)) });
};

const start = () => {
  const clock = createManualClock();
  const cloud = createSimCloud({ clock, random: createSeededRandom(1) });
  const server = cloud.addServer({ name: 'pool-a' });
  return { clock, cloud, server };
};

describe('what was under way goes on after a restart:', () => {
  test('a reinstall wipes once', () => {
    const { clock, cloud, server } = start();
    cloud.as('a').reinstall(server);
    const next = restart(clock, cloud);
    assert.equal(next.server(server.id)?.status, 'reinstalling');
    clock.advance(HOUR_MS);
    const { status, wipes, password } = next.server(server.id) ?? assert.fail('it is gone');
    assert.deepEqual([status, wipes, password.reveal() === server.password.reveal()], ['ready', 1, false]);
  });

  test('a reboot wipes nothing', () => {
    const { clock, cloud, server } = start();
    cloud.as('a').reboot(server);
    const next = restart(clock, cloud);
    clock.advance(HOUR_MS);
    assert.deepEqual([next.server(server.id)?.status, next.server(server.id)?.wipes], ['ready', 0]);
  });

  test('a scheduled deletion happens when the lease ends, and not before', () => {
    const { clock, cloud, server } = start();
    cloud.as('a').scheduleDeletion(server, 'delete');
    const next = restart(clock, cloud);
    clock.advance(DAY_MS - 1);
    assert.equal(next.servers().length, 1);
    clock.advance(1);
    assert.equal(next.servers().length, 0);
  });

  test('the option of private networks is on in the end', () => {
    const { clock, cloud, server } = start();
    cloud.as('a').switchVpc(server, 'vpc_enabled');
    const next = restart(clock, cloud);
    assert.equal(next.server(server.id)?.vpc, 'vpc_updating');
    clock.advance(36_000);
    assert.equal(next.server(server.id)?.vpc, 'vpc_enabled');
  });
});

test('what servers have cost that are gone is not forgotten', () => {
  const { clock, cloud, server } = start();
  cloud.deleteServer(server.id);
  const owed = cloud.euros();
  assert.ok(owed > 0);
  assert.equal(restart(clock, cloud).euros(), owed);
});

test('a saved cloud says all that it is: saving it again gives the same', () => {
  const { clock, cloud, server } = start();
  cloud.addServer({ name: 'gone' });
  cloud.as('a').addSshKey({ name: 'fleet', publicKey: 'ssh-ed25519 AAAA' });
  cloud.as('a').rename(server, 'renamed "🍏"');
  const before = cloud.save();
  assert.deepEqual(restart(clock, cloud).save(), before);
});
