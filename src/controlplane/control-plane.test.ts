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
import { ADMIN } from './auth/user.ts';
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

test('the same seed gives the same objects, another seed others', async () => {
  const uidOf = async (seed: string) => {
    const plane = open(seed);
    return (await clientOf(plane).create(NODES, { metadata: { name: 'n' } }, { signal })).metadata.uid;
  };
  assert.equal(await uidOf('a'), await uidOf('a'));
  assert.notEqual(await uidOf('a'), await uidOf('b'));
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
});

test('a watch in this process ends with an error when its signal is aborted', async () => {
  const plane = open('a');
  const stop = new AbortController();
  const iterator = clientOf(plane)
    .watch(NODES, { resourceVersion: '0', timeoutSeconds: 60, signal: stop.signal })
    [Symbol.asyncIterator]();
  const next = iterator.next();
  setImmediate(() => stop.abort());
  await assert.rejects(next, { kind: 'cancelled' });
  plane.close();
  assert.equal(clock.timers, 0);
});
