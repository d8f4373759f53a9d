import assert from 'node:assert/strict';
import test from 'node:test';
import { isRecord } from '../../base/json.ts';
import { createSeededRandom } from '../../base/random.ts';
import { createManualClock } from '../../base/testing/manual-clock.ts';
import { createSimCloud } from './sim-cloud.ts';

const MINUTE_MS = 60_000;
const ZONE = '/apple-silicon/v1alpha1/zones/fr-par-1';

const stage = () => {
  const clock = createManualClock();
  const cloud = createSimCloud({ clock, random: createSeededRandom(1) });
  const server = cloud.addServer({ name: 'pool-a' });
  const ask = (method: string, path: string, body?: object) => {
    const text = body === undefined ? '' : JSON.stringify(body);
    const answer = cloud.serve({ method, target: `${ZONE}${path}`, headers: {}, body: text, caller: 'test' });
    const shown: unknown = answer === undefined || answer.body === '' ? {} : JSON.parse(answer.body);
    return { status: answer?.status, body: isRecord(shown) ? shown : {} };
  };
  const own = `/servers/${server.id}`;
  const enable = (): void => {
    ask('PATCH', own, { enable_vpc: true });
    clock.advance(MINUTE_MS);
  };
  /** Network and status of each row. */
  const rows = (query = ''): readonly string[] => {
    const list = ask('GET', `/server-private-networks${query}`).body['server_private_networks'];
    return (Array.isArray(list) ? list : []).map((row) => `${row.private_network_id} ${row.status}`);
  };
  return { clock, cloud, server, ask, own, enable, rows };
};

test('the option takes a while, and without it no network is attached', () => {
  const { clock, ask, own } = stage();
  assert.equal(ask('POST', `${own}/private-networks`, { private_network_id: 'a' }).status, 412);
  assert.equal(ask('PATCH', own, { enable_vpc: true }).body['vpc_status'], 'vpc_updating');
  clock.advance(MINUTE_MS);
  assert.equal(ask('GET', own).body['vpc_status'], 'vpc_enabled');
  assert.equal(ask('POST', `${own}/private-networks`, { private_network_id: 'a' }).status, 200);
});

test('a network is attaching, then attached; detaching it takes its addresses at once and the row later', () => {
  const { clock, ask, own, enable, rows } = stage();
  enable();
  const added = ask('POST', `${own}/private-networks`, { private_network_id: 'a' }).body;
  assert.deepEqual([added['status'], Number(added['vlan']) >= 2_000], ['attaching', true]);
  clock.advance(MINUTE_MS);
  assert.deepEqual(rows(), ['a attached']);
  assert.equal(ask('POST', `${own}/private-networks`, { private_network_id: 'a' }).status, 409);
  assert.equal(ask('DELETE', `${own}/private-networks/a`).status, 204);
  assert.deepEqual(ask('GET', `${own}/private-networks/a`).body['ipam_ip_ids'], []);
  clock.advance(MINUTE_MS);
  assert.deepEqual([rows(), ask('GET', `${own}/private-networks/a`).status], [[], 404]);
});

test('a set of networks replaces the one before', () => {
  const { clock, ask, own, enable, rows } = stage();
  enable();
  ask('PUT', `${own}/private-networks`, { per_private_network_ipam_ip_ids: { a: [], b: ['ip'] } });
  clock.advance(MINUTE_MS);
  ask('PUT', `${own}/private-networks`, { per_private_network_ipam_ip_ids: { b: [], c: [] } });
  assert.deepEqual(rows(), ['a detaching', 'b attached', 'c attaching']);
  clock.advance(MINUTE_MS);
  assert.deepEqual(rows('?private_network_id=b'), ['b attached']);
});

test('a server has at most eight networks', () => {
  const { ask, own, enable } = stage();
  enable();
  const attach = (name: string) => ask('POST', `${own}/private-networks`, { private_network_id: name }).status;
  assert.deepEqual(
    ['1', '2', '3', '4', '5', '6', '7', '8', '9'].map(attach),
    [200, 200, 200, 200, 200, 200, 200, 200, 412],
  );
});

test('switching the option off, and deleting the server, leave no network and no timer', () => {
  const { clock, cloud, server, ask, own, enable, rows } = stage();
  enable();
  ask('POST', `${own}/private-networks`, { private_network_id: 'a' });
  ask('PATCH', own, { enable_vpc: false });
  assert.deepEqual(rows(), []);
  clock.advance(MINUTE_MS);
  enable();
  ask('POST', `${own}/private-networks`, { private_network_id: 'b' });
  cloud.deleteServer(server.id);
  assert.deepEqual([rows(), clock.timers], [[], 0]);
});

test('a saved project goes on attaching where it ended', () => {
  const { clock, cloud, ask, own, enable } = stage();
  enable();
  ask('POST', `${own}/private-networks`, { private_network_id: 'a' });
  cloud.stop();
  const next = createSimCloud({ clock, random: createSeededRandom(2), saved: cloud.save() });
  clock.advance(MINUTE_MS);
  assert.deepEqual(
    next.save().attachments.map(({ networkId, status }) => [networkId, status]),
    [['a', 'attached']],
  );
});

test('a commitment goes from the day to the month, which moves the end of the lease, and never back', () => {
  const { ask, own, server, cloud } = stage();
  const commit = (to: string) => ask('PATCH', own, { commitment_type: { commitment_type: to } }).status;
  assert.deepEqual([commit('renewed_monthly'), commit('duration_24h')], [200, 412]);
  const after = cloud.server(server.id);
  assert.equal(after?.commitment, 'renewed_monthly');
  assert.ok((after?.deletableAtMs ?? 0) > server.deletableAtMs);
});

test('a server that goes takes its networks, and what was under way with it', () => {
  const { clock, cloud, server, ask, own, enable, rows } = stage();
  enable();
  ask('POST', `${own}/private-networks`, { private_network_id: 'a' });
  const other = cloud.addServer({ name: 'pool-b' });
  ask('PATCH', `/servers/${other.id}`, { enable_vpc: true });
  for (const { id } of [server, other]) cloud.deleteServer(id);
  assert.deepEqual([rows(), clock.timers], [[], 0]);
});
