import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { neverAborted } from '../base/abort.ts';
import { silentLogger } from '../base/logger.ts';
import { createSeededRandom } from '../base/random.ts';
import { createManualClock } from '../base/testing/manual-clock.ts';
import { createKubeClient } from '../kube/client/create-client.ts';
import { NODES } from '../kube/types/core.ts';
import { ADMIN, type User } from './auth/user.ts';
import { type ControlPlane, createControlPlane } from './control-plane.ts';

const folder = mkdtempSync(join(tmpdir(), 'macfleet-plane-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const clock = createManualClock();
const logger = silentLogger;
const signal = neverAborted();
const open = (seed: string, dataFile?: string): ControlPlane =>
  createControlPlane({ clock, random: createSeededRandom(seed), logger, ...(dataFile !== undefined && { dataFile }) });
const clientOf = (plane: ControlPlane) =>
  createKubeClient({ transport: plane.transportFor(ADMIN), clock, random: createSeededRandom('client'), logger });

test('objects and the authority survive a restart on the same file', async () => {
  const dataFile = join(folder, 'plane.db');
  const first = open('one', dataFile);
  await clientOf(first).create(NODES, { metadata: { name: 'mac-1' } }, { signal });
  first.close();
  const second = open('two', dataFile);
  assert.equal((await clientOf(second).get(NODES, { name: 'mac-1' }, { signal })).metadata.name, 'mac-1');
  assert.equal(second.authority.certificate.fingerprintSha256, first.authority.certificate.fingerprintSha256);
  second.close();
});

test('whoever watches in this process is given one and the same object, whoever it is', async () => {
  const plane = open('one');
  const somebody: User = { name: 'somebody', groups: ['system:masters'] };
  const watching = [plane.transportFor(ADMIN), plane.transportFor(ADMIN), plane.transportFor(somebody)].map(
    (transport) => {
      const client = createKubeClient({ transport, clock, random: createSeededRandom('client'), logger });
      const events = client.watch(NODES, { resourceVersion: '1', timeoutSeconds: 60, signal });
      return events[Symbol.asyncIterator]().next();
    },
  );
  await new Promise(setImmediate);
  await clientOf(plane).create(NODES, { metadata: { name: 'mac-1' } }, { signal });
  const [seen, ...others] = (await Promise.all(watching)).map(({ value }) => value);
  assert.equal(seen?.type, 'ADDED');
  for (const other of others) assert.equal(other, seen);
  plane.close();
});

test('the same seed gives the same objects, another seed others', async () => {
  const uidOf = async (seed: string) => {
    const plane = open(seed);
    const { metadata } = await clientOf(plane).create(NODES, { metadata: { name: 'n' } }, { signal });
    plane.close();
    return metadata.uid;
  };
  assert.equal(await uidOf('a'), await uidOf('a'));
  assert.notEqual(await uidOf('a'), await uidOf('b'));
});

test('tokens stay good, and roles as somebody changed them, when the control plane starts again', () => {
  const dataFile = join(folder, 'roles.db');
  const send = (plane: ControlPlane, method: string, path: string, body?: object) => {
    const headers = { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' };
    return plane.api.handle({ method, path, headers, user: ADMIN, ...(body && { body: JSON.stringify(body) }) });
  };
  const view = '/apis/rbac.authorization.k8s.io/v1/clusterroles/view';
  const first = open('one', dataFile);
  send(first, 'POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } });
  const asked = send(first, 'POST', '/api/v1/namespaces/default/serviceaccounts/robot/token', {});
  send(first, 'PATCH', view, { metadata: { annotations: { mine: 'yes' } } });
  const version = send(first, 'GET', view).body;
  first.close();
  const second = open('two', dataFile);
  assert.equal(second.tokens.read(JSON.parse(String(asked.body)).status.token).is, 'good');
  assert.equal(send(second, 'GET', view).body, version);
  second.close();
});

test('every request is told about once it is answered: who, what, and how it went', () => {
  const told: string[] = [];
  const plane = createControlPlane({
    ...{ clock, random: createSeededRandom('told'), logger },
    onRequest: ({ attempt: { user, verb, ...attempt }, actingAs = '-', code }) =>
      told.push(
        `${user.name} as ${actingAs}: ${verb} ${attempt.on === 'resource' ? attempt.resource : attempt.path} ${code}`,
      ),
  });
  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    plane.api.handle({ method: 'GET', path, headers, user: ADMIN });
  get('/api/v1/nodes');
  get('/api/v1/nodes/none');
  get('/api/v1/secrets', { 'impersonate-user': 'petra' });
  assert.deepEqual(told, [
    'macfleet-admin as -: list nodes 200',
    'macfleet-admin as -: get nodes 404',
    'macfleet-admin as petra: list secrets 403',
  ]);
  plane.close();
});

test('no path of the API leads to the key of the authority', () => {
  const plane = open('a');
  const answer = plane.api.handle({
    method: 'GET',
    path: '/apis/macfleet.internal/v1/authorities',
    headers: {},
    user: ADMIN,
  });
  assert.equal(answer.status, 404);
  plane.close();
});

test('a watch in this process ends with an error when its signal is aborted', async () => {
  const timersBefore = clock.timers;
  const plane = open('a');
  const stop = new AbortController();
  const iterator = clientOf(plane)
    .watch(NODES, { resourceVersion: '0', timeoutSeconds: 60, signal: stop.signal })
    [Symbol.asyncIterator]();
  const next = iterator.next();
  setImmediate(() => stop.abort());
  await assert.rejects(next, { kind: 'cancelled' });
  plane.close();
  assert.equal(clock.timers, timersBefore);
});
