import assert from 'node:assert/strict';
import test from 'node:test';
import { createSeededRandom } from '../../base/random.ts';
import { createManualClock, type ManualClock } from '../../base/testing/manual-clock.ts';
import type { ReinstallFate } from './cloud-core.ts';
import { RECORDED_TIMES } from './recorded-times.ts';
import { createSimCloud, type SimCloud, type SimCloudOptions } from './sim-cloud.ts';
import type { SimServer } from './sim-server.ts';

interface Stage {
  readonly clock: ManualClock;
  readonly cloud: SimCloud;
  readonly server: SimServer;
  /** What happened to the Mac, one word each. */
  readonly power: readonly string[];
  now(): SimServer | undefined;
}

const stage = (options: Partial<SimCloudOptions> = {}): Stage => {
  const clock = createManualClock();
  const cloud = createSimCloud({ clock, random: createSeededRandom(7), ...options });
  const power: string[] = [];
  cloud.onPower(({ kind }) => power.push(kind));
  const server = cloud.addServer({ name: 'pool-a' });
  return { clock, cloud, server, power, now: () => cloud.server(server.id) };
};

const MINUTE_MS = 60_000;

test('a reinstall takes between 5 and 15 minutes, counts one wipe at its end and makes a new password', () => {
  const { clock, cloud, server, power, now } = stage();
  cloud.as('manager').reinstall(server);
  clock.advance(5 * MINUTE_MS - 1);
  assert.deepEqual([now()?.status, now()?.wipes], ['reinstalling', 0]);
  clock.advance(10 * MINUTE_MS + 1);
  assert.deepEqual([now()?.status, now()?.wipes], ['ready', 1]);
  assert.notEqual(now()?.password.reveal(), server.password.reveal());
  assert.deepEqual(power, ['added', 'down', 'wiped', 'up']);
});

test('a reboot takes 104 seconds and wipes nothing', () => {
  const { clock, cloud, server, power, now } = stage();
  cloud.as('manager').reboot(server);
  clock.advance(103_999);
  assert.equal(now()?.status, 'rebooting');
  clock.advance(1);
  assert.deepEqual([now()?.status, now()?.wipes], ['ready', 0]);
  assert.deepEqual(power, ['added', 'down', 'up']);
});

test('compressed a hundred times, a reboot takes a second', () => {
  const { clock, cloud, server, now } = stage({ timeScale: 0.01 });
  cloud.as('manager').reboot(server);
  clock.advance(1_040);
  assert.equal(now()?.status, 'ready');
});

test('a server that is starting is delivered after a while', () => {
  const { clock, cloud } = stage();
  const { id } = cloud.addServer({ name: 'ordered', status: 'starting' });
  assert.deepEqual([cloud.server(id)?.status, cloud.server(id)?.isDelivered], ['starting', false]);
  clock.advance(137_000);
  assert.deepEqual([cloud.server(id)?.status, cloud.server(id)?.isDelivered], ['ready', true]);
});

const fates: readonly { readonly fate: ReinstallFate; readonly status: string; readonly wipes: number }[] = [
  { fate: 'wiped', status: 'ready', wipes: 1 },
  { fate: 'disk-kept', status: 'ready', wipes: 0 },
  { fate: 'ends-in-error', status: 'error', wipes: 0 },
  { fate: 'never-ends', status: 'reinstalling', wipes: 0 },
];

for (const { fate, status, wipes } of fates) {
  test(`a reinstall with the fate ${fate} leaves the server ${status} after ${wipes} wipes; the next one is ordinary`, () => {
    const { clock, cloud, server, now } = stage();
    cloud.setNextReinstall(server.id, fate);
    cloud.as('manager').reinstall(server);
    clock.advance(60 * MINUTE_MS);
    assert.deepEqual([now()?.status, now()?.wipes], [status, wipes]);
    if (status === 'reinstalling') return;
    cloud.as('manager').reinstall(server);
    clock.advance(15 * MINUTE_MS);
    assert.deepEqual([now()?.status, now()?.wipes], ['ready', wipes + 1]);
  });
}

test('the audit tells every write, also a refused one, with its caller and what it met', () => {
  const { cloud, server } = stage();
  cloud.as('leader').rename(server, 'taken');
  cloud.as('leader').reinstall(server);
  assert.throws(() => cloud.as('old leader').reinstall(server), { code: 'TransientState' });
  assert.throws(() => cloud.as('old leader').rename({ ...server, id: 'nothing' }, 'x'), { code: 'ServerNotFound' });
  cloud.as('leader').get(server);
  assert.deepEqual(
    cloud.audit().map(({ caller, verb, before, outcome }) => [caller, verb, before?.name, before?.status, outcome]),
    [
      ['leader', 'rename', 'pool-a', 'ready', 'accepted'],
      ['leader', 'reinstall', 'taken', 'ready', 'accepted'],
      ['old leader', 'reinstall', 'taken', 'reinstalling', 'TransientState'],
      ['old leader', 'rename', undefined, undefined, 'ServerNotFound'],
    ],
  );
});

test('a cloud that went away answers nobody until it is back, and takes no write', () => {
  const { clock, cloud, server, now } = stage();
  cloud.goAway(MINUTE_MS);
  const target = `/apple-silicon/v1alpha1/zones/${cloud.zone}/servers/${server.id}`;
  const ask = (method: string, body: string) =>
    cloud.serve({ method, target, headers: {}, body, caller: 'manager' })?.status;
  assert.deepEqual([ask('GET', ''), ask('PATCH', '{"name":"taken"}')], [503, 503]);
  assert.equal(now()?.name, 'pool-a');
  clock.advance(MINUTE_MS);
  assert.equal(ask('GET', ''), 200);
});

test('a sealed password stays hidden until a wipe makes another', () => {
  const { clock, cloud, server, now } = stage();
  cloud.sealPassword(server.id);
  assert.equal(now()?.isSealed, true);
  cloud.as('manager').reinstall(server);
  clock.advance(15 * MINUTE_MS);
  assert.equal(now()?.isSealed, false);
});

test('a password stays hidden for a while after an install, where Scaleway seals it', () => {
  const times = { ...RECORDED_TIMES, sealMs: [MINUTE_MS, MINUTE_MS] as const };
  const { clock, cloud, server } = stage({ times });
  const shown = () => {
    const target = `/apple-silicon/v1alpha1/zones/${cloud.zone}/servers/${server.id}`;
    const answer = cloud.serve({ method: 'GET', target, headers: {}, body: '', caller: 'manager' });
    return /"sudo_password":"(.*?)"/.exec(answer?.body ?? '')?.[1];
  };
  cloud.as('manager').reboot(server);
  clock.advance(104_000);
  assert.equal(shown(), '<sealed>');
  clock.advance(MINUTE_MS);
  assert.equal(shown(), server.password.reveal());
});

test('a server costs its lease at least, and by the hour after it, also once it is gone', () => {
  const { clock, cloud, server } = stage();
  const leaseEuros = cloud.euros();
  assert.ok(Math.abs(leaseEuros - 24 * 0.23) < 0.001, String(leaseEuros));
  clock.advance(48 * 60 * MINUTE_MS);
  const twoDaysEuros = cloud.euros();
  assert.ok(Math.abs(twoDaysEuros - 2 * leaseEuros) < 0.001, String(twoDaysEuros));
  cloud.as('manager').terminate(server);
  clock.advance(48 * 60 * MINUTE_MS);
  assert.equal(cloud.euros(), twoDaysEuros);
});

test('a month is a commitment for thirty days, and cannot be taken back', () => {
  const { clock, cloud, server } = stage();
  const [ordered] = cloud.as('a').order('fr-par-1', [{ name: 'a', type: 'M4-S', commitment: 'renewed_monthly' }]);
  assert.equal(ordered && ordered.deletableAtMs - clock.now(), 30 * 24 * 60 * MINUTE_MS);
  const committed = cloud.as('a').commit(server, 'renewed_monthly');
  assert.equal(committed.deletableAtMs - server.createdAtMs, 30 * 24 * 60 * MINUTE_MS);
  assert.throws(() => cloud.as('a').commit(server, 'duration_24h'), { code: 'PreconditionFailed' });
});

test('a list comes with the oldest server first, or the newest when asked for', () => {
  const { clock, cloud, server } = stage();
  clock.advance(1);
  const { id } = cloud.addServer({ name: 'pool-b' });
  const ids = (query: string): readonly string[] => {
    const target = `/apple-silicon/v1alpha1/zones/fr-par-1/servers${query}`;
    const { body = '' } = cloud.serve({ method: 'GET', target, headers: {}, body: '', caller: 'a' }) ?? {};
    return JSON.parse(body).servers.map((row: { readonly id: string }) => row.id);
  };
  assert.deepEqual(ids(''), [server.id, id]);
  assert.deepEqual(ids('?order_by=created_at_asc'), [server.id, id]);
  assert.deepEqual(ids('?order_by=created_at_desc'), [id, server.id]);
});

test('a reboot by the API brings a Mac back that was shut down, and it does not come back a second time', () => {
  const { clock, cloud, server, power } = stage();
  cloud.switchOn('F32', { serverId: server.id });
  cloud.as('manager').reboot(server);
  clock.advance(48 * 60 * MINUTE_MS);
  assert.deepEqual(power, ['added', 'down', 'down', 'up']);
});

test('an order is for a zone that has the type', () => {
  const { cloud } = stage();
  const order = (zone: string) => cloud.as('manager').order(zone, [{ name: 'a', type: 'M1-M' }]).length;
  assert.throws(() => order('fr-par-1'), { code: 'InvalidArguments' });
  assert.equal(order('fr-par-3'), 1);
});

test('a server deleted in the middle of a reinstall never comes back', () => {
  const { clock, cloud, server, power } = stage();
  cloud.as('manager').reinstall(server);
  cloud.deleteServer(server.id);
  clock.advance(60 * MINUTE_MS);
  assert.deepEqual(power, ['added', 'down', 'deleted']);
  assert.deepEqual(cloud.servers(), []);
});

test('a stopped cloud leaves no timer behind', () => {
  const { clock, cloud, server } = stage();
  cloud.as('manager').reboot(server);
  assert.equal(clock.timers, 1);
  cloud.stop();
  assert.equal(clock.timers, 0);
});

test('the same seed gives the same servers', () => {
  const describe = ({ id, address, password }: SimServer): string => `${id} ${address} ${password.reveal()}`;
  assert.equal(describe(stage().server), describe(stage().server));
  assert.notEqual(describe(stage().server), describe(stage({ random: createSeededRandom(8) }).server));
});

test('no two servers have one address, also after one was gone without a trace', () => {
  const { cloud, server } = stage();
  cloud.addServer({ name: 'another' });
  cloud.switchOn('F11', { serverId: server.id });
  cloud.addServer({ name: 'late' });
  const addresses = cloud.servers().map(({ address }) => address);
  assert.equal(new Set(addresses).size, addresses.length);
});
