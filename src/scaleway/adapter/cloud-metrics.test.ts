import assert from 'node:assert/strict';
import { test } from 'node:test';
import Registry from 'prom-client/lib/registry.js';
import { neverAborted } from '../../base/abort.ts';
import { createSeededRandom } from '../../base/random.ts';
import { createManualClock } from '../../base/testing/manual-clock.ts';
import { createSimCloud } from '../../sim/cloud/sim-cloud.ts';
import { createSimCloudTransport } from '../../sim/cloud/transports.ts';
import { createCloudMetrics } from './cloud-metrics.ts';
import { connectCloud } from './connect.ts';
import { createSimulatedCredentials } from './credentials.ts';

const signal = neverAborted();

const start = () => {
  const clock = createManualClock();
  const core = createSimCloud({ clock, random: createSeededRandom(1) });
  const server = core.addServer({ name: 'pool-a' });
  const registry = new Registry();
  const cloud = connectCloud({
    ...{ clock, random: createSeededRandom(2), credentials: createSimulatedCredentials(core.projectId) },
    ...{ transport: createSimCloudTransport(core, { clock, latencyMs: 0 }), observer: createCloudMetrics(registry) },
  });
  return { core, server, cloud, metrics: () => registry.metrics() };
};

test('every call is counted by its verb and how it ended', async () => {
  const { core, server, cloud, metrics } = start();
  await cloud.getServer(server, signal);
  await cloud.renameServer(server, 'b', { signal });
  core.deleteServer(server.id);
  await assert.rejects(cloud.getServer(server, signal));
  core.switchOn('html');
  await assert.rejects(cloud.rebootServer(server, { signal }));
  const counted = await metrics();
  for (const [verb, outcome] of [
    ['getServer', 'ok'],
    ['getServer', 'denied'],
    ['renameServer', 'ok'],
    ['rebootServer', 'contract'],
  ]) {
    assert.ok(counted.includes(`macfleet_scaleway_calls_total{verb="${verb}",outcome="${outcome}"} 1\n`), counted);
  }
});

test('a verb that is refused before anything is sent is counted too', async () => {
  const { cloud, metrics } = start();
  await assert.rejects(cloud.getServer({ zone: 'fr-par-1', id: 'no-uuid' }, signal));
  assert.match(await metrics(), /calls_total\{verb="getServer",outcome="invalid"\} 1/);
});

test('every list says how many servers there are, and a strange one that is gone is not counted any more', async () => {
  const { core, cloud, metrics } = start();
  core.addServer({ name: 'pool-b' });
  core.switchOn('no-status', { count: 1 });
  await cloud.listServers('fr-par-1', signal);
  const strange = /strange_servers\{zone="fr-par-1",lacks="status"\} (\d)/;
  assert.equal(strange.exec(await metrics())?.[1], '2');
  assert.match(await metrics(), /macfleet_scaleway_servers\{zone="fr-par-1"\} 2/);
  await cloud.listServers('fr-par-1', signal);
  assert.equal(strange.exec(await metrics())?.[1], '0');
});
