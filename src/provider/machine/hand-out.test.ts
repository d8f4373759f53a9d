/** Many machines that wait for Macs, and Macs that come: who is woken, and how often. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createIds } from '../../base/ids.ts';
import { silentLogger } from '../../base/logger.ts';
import { MAC_HOSTS, type MacHost, parseMacHost } from '../../kinds/mac-host.ts';
import { MACHINES, parseMachine, type ScalewayAppleSiliconMachine } from '../../kinds/machine.ts';
import { createCache } from '../../kube/cache/cache.ts';
import { createEventRecorder } from '../../kube/controller/events.ts';
import { createManager } from '../../kube/manager/manager.ts';
import { createRuntimeMetrics } from '../../kube/manager/metrics.ts';
import { createHarness } from '../../kube/testing/harness.ts';
import { CLUSTER_API_LABELS, CLUSTER_API_RESOURCES } from '../../kube/types/cluster-api.ts';
import { NODES } from '../../kube/types/core.ts';
import { createKnownStrays } from '../host/known-strays.ts';
import { DEFAULT_LIMITS, DEFAULT_ROLL } from '../host/ports.ts';
import { createMachineController } from './machine-controller.ts';
import { createMissedHosts } from './missed-hosts.ts';

const TIMES = {
  ...{ claimHoldMs: 36_000, quietMs: 60_000, recordMaxAgeMs: 30_000, pollMs: 10_000, inventoryMs: 30_000 },
  ...{ bootstrapTimeoutMs: 900_000, nodeWaitMs: 120_000, bootstrapBackoff: { initialMs: 60_000, maxMs: 600_000 } },
};
const { clusters: CLUSTERS } = CLUSTER_API_RESOURCES;

const machineOf = (at: number, spec: object = {}): ScalewayAppleSiliconMachine =>
  parseMachine({
    metadata: {
      ...{ name: `mac-${at}`, namespace: 'ci', labels: { [CLUSTER_API_LABELS.clusterName]: 'demo' } },
      ownerReferences: [{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine', name: `mac-${at}`, uid: `m-${at}` }],
    },
    spec,
  });

const hostOf = (at: number, pool = 'pool-'): MacHost => {
  const { type, os, zone } = machineOf(0).spec;
  const name = `srv-${String(at).padStart(4, '0')}`;
  return parseMacHost({
    metadata: { name },
    spec: {
      source: { scaleway: { projectID: 'p', zone, serverID: name } },
      ...{ type, osFamily: os, pool: { prefix: pool } },
    },
  });
};

const start = async () => {
  const { client, clock, random, stop, advance, api } = createHarness();
  const { signal } = stop;
  const deps = { client, clock, random, logger: silentLogger };
  const machines = createCache<ScalewayAppleSiliconMachine>({
    ...{ ...deps, resource: MACHINES },
    indexes: { server: ({ status }) => (status?.serverID ? [status.serverID] : []) },
  });
  const hosts = createCache<MacHost>({
    ...{ ...deps, resource: MAC_HOSTS },
    indexes: { claim: ({ spec }) => (spec.claimRef === undefined ? [] : [spec.claimRef.uid]) },
  });
  const nodes = createCache({ ...deps, resource: NODES, indexes: { provider: () => [] } });
  const clusters = createCache({ ...deps, resource: CLUSTERS });
  const metrics = createRuntimeMetrics();
  const ids = createIds(random);
  const settings = {
    ...{ projectId: 'p', zones: [machineOf(0).spec.zone], poolPrefix: 'pool-', clusterId: '0a1b2c3d' },
    ...{ times: TIMES, limits: DEFAULT_LIMITS, roll: DEFAULT_ROLL },
  };
  const events = createEventRecorder({ ...deps, ids, component: 'test', signal });
  const caches = { hosts, machines, nodes, clusters };
  const missed = createMissedHosts(clock, { lastOf: () => undefined });
  const turns = { take: () => true, end: () => undefined };
  const strays = createKnownStrays();
  const controller = createMachineController({
    ports: { clock, ids, settings },
    caches,
    events,
    missed,
    strays,
    turns,
  });
  const manager = createManager({
    ...{ ...deps, name: 'machines', caches: [hosts, machines, nodes, clusters], controllers: [controller], metrics },
  });
  const running = manager.run(signal);
  const settle = async (): Promise<void> => {
    for (let quiet = 0, seen = -1; quiet < 6; quiet = api.writes.length === seen ? quiet + 1 : 0) {
      seen = api.writes.length;
      await advance(0);
    }
  };
  const initialization = { infrastructureProvisioned: true };
  await client.create(CLUSTERS, { metadata: { name: 'demo', namespace: 'ci' }, spec: {} }, { signal });
  const body = { status: { initialization } };
  await client.patch(
    CLUSTERS,
    { namespace: 'ci', name: 'demo' },
    { type: 'merge', body },
    { signal, subresource: 'status' },
  );
  /** As the inventory puts it on record: the Mac, then its server. */
  const deliver = async (host: MacHost): Promise<void> => {
    const { name } = (await client.create(MAC_HOSTS, host, { signal })).metadata;
    const body = { status: { state: 'free', server: { name: `${host.spec.pool?.prefix}${name}`, status: 'ready' } } };
    await client.patch(MAC_HOSTS, { name }, { type: 'merge', body }, { signal, subresource: 'status' });
  };
  const passes = async (): Promise<number> => {
    const [metric] = (await metrics.registry.getMetricsAsJSON()).filter(
      ({ name }) => name === 'controller_runtime_reconcile_total',
    );
    return (metric?.values ?? []).reduce((sum, { value }) => sum + value, 0);
  };
  const claimed = async (): Promise<number> =>
    (await client.list(MAC_HOSTS, { signal })).items.filter(({ spec }) => spec.claimRef !== undefined).length;
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
  };
  return { client, signal, settle, deliver, passes, claimed, end };
};

/** How many passes it takes until so many machines that waited have claimed as many Macs, which come one after the other. */
const costOf = async (count: number): Promise<number> => {
  const { client, signal, settle, deliver, passes, claimed, end } = await start();
  for (let at = 0; at < count; at += 1) await client.create(MACHINES, machineOf(at), { signal });
  await settle();
  const before = await passes();
  for (let at = 0; at < count; at += 1) {
    await deliver(hostOf(at));
    await settle();
  }
  assert.equal(await claimed(), count);
  const cost = (await passes()) - before;
  await end();
  return cost;
};

describe('Macs that come while machines wait', () => {
  it('wake as many machines as there are Macs: four times as many take four times as many passes', async () => {
    const [few, many] = [await costOf(50), await costOf(200)];
    assert.ok(many <= 4.5 * few, `${few} passes for 50, ${many} for 200`);
    assert.ok(many <= 200 * 6, `${many} passes for 200`);
  });

  it('wake a machine that the Mac is for, whoever else waits before it', async () => {
    const { client, signal, settle, deliver, claimed, end } = await start();
    for (let at = 0; at < 5; at += 1)
      await client.create(MACHINES, machineOf(at, at === 4 ? {} : { adoptPoolPrefix: 'other-' }), { signal });
    await settle();
    await deliver(hostOf(0));
    await settle();
    assert.equal(await claimed(), 1);
    await end();
  });

  it('wake one that can take it when the first ones may not', async () => {
    const { client, signal, settle, deliver, claimed, end } = await start();
    const paused = machineOf(0);
    const annotations = { 'cluster.x-k8s.io/paused': '' };
    await client.create(MACHINES, { ...paused, metadata: { ...paused.metadata, annotations } }, { signal });
    await client.create(MACHINES, machineOf(1, { os: 'macos-26' }), { signal });
    await client.create(MACHINES, machineOf(2), { signal });
    await settle();
    await deliver(hostOf(0));
    await settle();
    assert.equal(await claimed(), 1);
    await end();
  });
});
