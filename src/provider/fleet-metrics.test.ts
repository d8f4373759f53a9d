import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Registry from 'prom-client/lib/registry.js';
import { silentLogger } from '../base/logger.ts';
import { MAC_HOSTS, type MacHost, parseMacHost } from '../kinds/mac-host.ts';
import { MACHINES, type ScalewayAppleSiliconMachine } from '../kinds/machine.ts';
import { createCache } from '../kube/cache/cache.ts';
import { createHarness } from '../kube/testing/harness.ts';
import { measureFleet, measureStrays } from './fleet-metrics.ts';

const start = async (namespace?: string) => {
  const { client, clock, random, stop, advance } = createHarness();
  const deps = { client, clock, random, logger: silentLogger };
  const machines = createCache<ScalewayAppleSiliconMachine>({ ...deps, resource: MACHINES });
  const hosts = createCache<MacHost>({ ...deps, resource: MAC_HOSTS });
  const registry = new Registry();
  measureFleet(registry, { machines, hosts }, namespace);
  const { signal } = stop;
  const running = Promise.all([machines.run(signal), hosts.run(signal)]);
  const series = async (name: string): Promise<readonly string[]> => {
    for (let turn = 0; turn < 5; turn += 1) await advance(0);
    const text = await registry.metrics();
    return text.split('\n').filter((line) => line.startsWith(name) && !line.endsWith(' 0'));
  };
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
  };
  return { client, signal, series, end };
};

const KEY = { namespace: 'ci', name: 'mac-1' };

describe('the metrics of a fleet', () => {
  it('tell of a manager of one namespace the Macs of that, and those that nobody has', async () => {
    const { client, signal, series, end } = await start('ci');
    for (const [name, claimedIn] of [
      ['a', 'ci'],
      ['b', 'web'],
      ['c', undefined],
    ] as const) {
      const claim = claimedIn === undefined ? {} : { claimRef: { namespace: claimedIn, name: 'mac', uid: name } };
      const source = { scaleway: { projectID: 'p', zone: 'z', serverID: name } };
      await client.create(MAC_HOSTS, parseMacHost({ metadata: { name }, spec: { source, ...claim } }), { signal });
    }
    assert.deepEqual(await series('macfleet_hosts{'), ['macfleet_hosts{pool="",state="free"} 2']);
    await end();
  });

  it('T-37 T-38 are one series per machine, whatever becomes of it', async () => {
    const { client, signal, series, end } = await start();
    const name = 'capt_scaleway_applesilicon_machine_phase{';
    const spec = { type: 'M2-L', zone: 'fr-par-1', os: 'Tahoe', acquire: 'pool', fleetName: 'macos' } as const;
    await client.create(MACHINES, { metadata: KEY, spec }, { signal });
    const line = (phase: string, reason = ''): string =>
      `${name}machine="mac-1",fleet="macos",phase="${phase}",failure_reason="${reason}"} 1`;
    assert.deepEqual(await series(name), [line('Pending')]);
    const say = (status: object): Promise<unknown> =>
      client.patch(MACHINES, KEY, { type: 'merge', body: { status } }, { signal, subresource: 'status' });
    await say({ phase: 'Failed', failureReason: 'Broken' });
    assert.deepEqual(await series(name), [line('Failed', 'Broken')]);
    await say({ phase: 'Ready', failureReason: null });
    assert.deepEqual(await series(name), [line('Ready')]);
    await client.delete(MACHINES, KEY, { signal });
    assert.deepEqual(await series(name), []);
    await end();
  });

  it('W-13 count machines that had their Mac and are not ready, by fleet', async () => {
    const { client, signal, series, end } = await start();
    const spec = { type: 'M2-L', zone: 'fr-par-1', os: 'Tahoe', acquire: 'pool', fleetName: 'macos' } as const;
    await client.create(MACHINES, { metadata: KEY, spec }, { signal });
    const say = (status: object): Promise<unknown> =>
      client.patch(MACHINES, KEY, { type: 'merge', body: { status } }, { signal, subresource: 'status' });
    const ready = (status: string) => ({
      conditions: [{ type: 'Ready', status, reason: 'x', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }],
    });
    await say(ready('False'));
    assert.deepEqual(await series('macfleet_machines_unready{'), [], 'on its way for the first time');
    await say({ initialization: { provisioned: true }, ...ready('True') });
    assert.deepEqual(await series('macfleet_machines_unready{'), []);
    await say(ready('False'));
    assert.deepEqual(await series('macfleet_machines_unready{'), ['macfleet_machines_unready{fleet="macos"} 1']);
    await client.delete(MACHINES, KEY, { signal });
    assert.deepEqual(await series('macfleet_machines_unready{'), []);
    await end();
  });

  it('count Macs by state, and those that nobody has', async () => {
    const { client, signal, series, end } = await start();
    const source = { scaleway: { projectID: 'p', zone: 'z', serverID: 'srv-1' } };
    const host = { metadata: { name: 'srv-1' }, spec: { source, pool: { prefix: 'pool-' } } };
    await client.create(MAC_HOSTS, host as never, { signal });
    assert.deepEqual(await series('macfleet_hosts{'), ['macfleet_hosts{pool="pool-",state="free"} 1']);
    const body = { status: { state: 'held' } };
    await client.patch(MAC_HOSTS, { name: 'srv-1' }, { type: 'merge', body }, { signal, subresource: 'status' });
    assert.deepEqual(await series('macfleet_hosts{'), ['macfleet_hosts{pool="pool-",state="held"} 1']);
    assert.deepEqual(await series('scaleway_orphan_servers '), ['scaleway_orphan_servers 1']);
    const release = { intentID: 'i', policy: 'pool', reason: 'Reclaimed', requestedAt: '2026-01-01T00:00:00Z' };
    for (const spec of [{ release }, { zone: 'again' }])
      await client.patch(MAC_HOSTS, { name: 'srv-1' }, { type: 'merge', body: { spec } }, { signal });
    const told = await series('scaleway_orphan_servers_reclaimed_total');
    assert.deepEqual(told, ['scaleway_orphan_servers_reclaimed_total 1']);
    await end();
  });

  it('R25 count what is being rented, and is no Mac yet', async () => {
    const { client, signal, series, end } = await start();
    const source = { scaleway: { projectID: 'p', zone: 'z' } };
    await client.create(MAC_HOSTS, { metadata: { name: 'order-1' }, spec: { source } } as never, { signal });
    assert.deepEqual(await series('macfleet_hosts{'), ['macfleet_hosts{pool="",state="ordering"} 1']);
    await end();
  });

  it('count servers that are astray, by kind', async () => {
    const registry = new Registry();
    const stray = { id: 'a', name: 'mac-1', kind: 'machine' } as const;
    measureStrays(registry)('z', { lasting: [stray], fresh: [] });
    const text = await registry.metrics();
    assert.match(text, /macfleet_stray_servers{zone="z",kind="machine"} 1/);
    assert.match(text, /macfleet_stray_servers{zone="z",kind="pending"} 0/);
  });
});
