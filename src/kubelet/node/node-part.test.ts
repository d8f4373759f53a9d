/** The Node of an agent against an API in memory, on a clock that stands still. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { silentLogger } from '../../base/logger.ts';
import type { EventReport } from '../../kube/controller/outcome.ts';
import { createManager } from '../../kube/manager/manager.ts';
import { createHarness, type Harness } from '../../kube/testing/harness.ts';
import { LEASES } from '../../kube/types/coordination.ts';
import { NODES, type Node } from '../../kube/types/core.ts';
import { createHostWatch, type HostWatch } from './host-watch.ts';
import type { Finding } from './node-facts.ts';
import { createNodePart } from './node-part.ts';
import { FACTS } from './testing/node-samples.ts';

const WELL: Finding = { is: 'well' };

const INFO = {
  ...{ architecture: '', operatingSystem: '', osImage: '', kernelVersion: '', machineID: '', systemUUID: '' },
  ...{ containerRuntimeVersion: '', kubeletVersion: '', kubeProxyVersion: '' },
};

interface Stage extends Harness {
  readonly watch: HostWatch;
  readonly mac: { session: Finding; labels: Record<string, string>; fails: boolean };
  readonly writes: string[];
  readonly told: string[];
  readNode(): Promise<Node | undefined>;
}

const startNode = async (prepare: (stage: Harness) => Promise<unknown> = async () => undefined): Promise<Stage> => {
  const writes: string[] = [];
  const harness = createHarness({
    wrap: (transport) => ({
      ...transport,
      send: (request) => {
        if (request.method !== 'GET') writes.push(`${request.method} ${request.path.split('?')[0]}`);
        return transport.send(request);
      },
    }),
  });
  await prepare(harness);
  const { client, clock, random, stop } = harness;
  const mac = { session: WELL, labels: {}, fails: false };
  const well = async (): Promise<Finding> => WELL;
  const watch = createHostWatch({
    ...{ clock, logger: silentLogger, runningVms: () => 0, measureDisk: async () => 1_000 },
    probes: { disk: well, memory: well, pids: well, tart: well, autoLogin: well, guiSession: async () => mac.session },
    labelSources: {
      goldens: () => {
        if (mac.fails) throw new Error('no list');
        return mac.labels;
      },
      masters: () => ({ 'tuist.dev/cache-master-1': 'true' }),
    },
  });
  await watch.lookOnce(stop.signal);
  const told: string[] = [];
  const events = {
    publish: (_resource: unknown, _subject: unknown, reports: readonly EventReport[]) => {
      for (const { type, reason } of reports) told.push(`${type} ${reason}`);
    },
  };
  const { nodeName, address } = FACTS;
  const deps = { client, clock, random, logger: silentLogger };
  const part = createNodePart({ ...deps, nodeName, address, facts: async () => FACTS, watch, events });
  const manager = createManager({
    ...{ name: 'kubelet', client, clock, random, logger: silentLogger },
    ...{ caches: [part.nodes], controllers: [part.keeper] },
  });
  void manager.run(stop.signal);
  void part.run(stop.signal);
  const readNode = async (): Promise<Node | undefined> =>
    (await client.list(NODES, { signal: stop.signal })).items.find(({ metadata }) => metadata.name === 'mac-1');
  const stage = { ...harness, watch, mac, writes, told, readNode };
  await settle(stage);
  return stage;
};

const settle = async ({ advance }: Pick<Harness, 'advance'>, ms = 0): Promise<void> => {
  for (let turn = 0; turn < 12; turn += 1) await advance(turn === 0 ? ms : 0);
};

const readyOf = (node: Node | undefined): string | undefined =>
  node?.status?.conditions?.find(({ type }) => type === 'Ready')?.status;

describe('the Node of an agent', () => {
  it('is registered by one write and has a Lease soon after', async () => {
    const stage = await startNode();
    assert.deepEqual(
      stage.writes.filter((write) => write.includes('/nodes')),
      ['POST /api/v1/nodes'],
    );
    await settle(stage, 2_000);
    const { items } = await stage.client.list(LEASES, { signal: stage.stop.signal });
    assert.deepEqual(
      items.map(({ metadata, spec }) => [metadata.name, spec?.holderIdentity]),
      [['mac-1', 'mac-1']],
    );
    stage.stop.abort();
  });

  it('writes nothing but its Lease, every ten seconds, while nothing changes', async () => {
    const stage = await startNode();
    await settle(stage, 2_000);
    stage.writes.length = 0;
    for (let second = 0; second < 60; second += 1) await settle(stage, 1_000);
    assert.deepEqual(
      new Set(stage.writes),
      new Set(['PATCH /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/mac-1']),
    );
    assert.equal(stage.writes.length, 6);
    stage.stop.abort();
  });

  it('is registered again after it was deleted (K9)', async () => {
    const stage = await startNode();
    await stage.client.delete(NODES, { name: 'mac-1' }, { signal: stage.stop.signal });
    await settle(stage);
    assert.equal(readyOf(await stage.readNode()), 'True');
    stage.stop.abort();
  });

  it('L21 is registered a few times at once, and then as often as a heartbeat, while somebody keeps deleting it', async () => {
    const stage = await startNode();
    for (let round = 0; round < 60; round += 1) {
      await stage.client.delete(NODES, { name: 'mac-1' }, { signal: stage.stop.signal }).catch(() => undefined);
      await settle(stage, 1_000);
    }
    const registered = stage.writes.filter((write) => write === 'POST /api/v1/nodes').length;
    assert.ok(registered >= 6 && registered <= 12, `${registered} times in a minute`);
    await settle(stage, 60_000);
    assert.equal(readyOf(await stage.readNode()), 'True', 'it is there once nobody deletes it');
    stage.stop.abort();
  });

  it('S29 a turn for the worse is told at once although the minute is full, and nobody who denies it is answered at once', async () => {
    const stage = await startNode();
    for (let round = 0; round < 8; round += 1) {
      stage.mac.labels = { [`tuist.dev/golden-${round}`]: 'true' };
      stage.watch.touch();
      await settle(stage, 100);
    }
    const tellReady = async (): Promise<void> => {
      const conditions = [{ type: 'Ready', status: 'True' }];
      const patch = { type: 'merge', body: { status: { conditions } } } as const;
      await stage.client.patch(NODES, { name: 'mac-1' }, patch, { signal: stage.stop.signal, subresource: 'status' });
    };
    stage.mac.session = { is: 'ill', reason: 'GuiSessionMissing', message: 'none' };
    await settle(stage, 20_000);
    const golden = Object.keys((await stage.readNode())?.metadata.labels ?? {}).filter((key) => key.includes('golden'));
    assert.deepEqual(golden, ['tuist.dev/golden-4'], 'ordinary news waits');
    assert.equal(readyOf(await stage.readNode()), 'False');
    await tellReady();
    await settle(stage, 1_000);
    assert.equal(readyOf(await stage.readNode()), 'True', 'the denial stands for a while');
    await settle(stage, 60_000);
    await settle(stage, 1_000);
    assert.equal(readyOf(await stage.readNode()), 'False', 'and not for ever');
    stage.stop.abort();
  });

  it('is Ready again by its own write after it was marked Unknown (§9.1-5, §7-27)', async () => {
    const stage = await startNode();
    const conditions = [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' }];
    const patch = { type: 'merge', body: { status: { conditions } } } as const;
    await stage.client.patch(NODES, { name: 'mac-1' }, patch, { signal: stage.stop.signal, subresource: 'status' });
    await settle(stage);
    assert.equal(readyOf(await stage.readNode()), 'True');
    assert.deepEqual(stage.told, [], 'who did not know tells that himself');
    stage.stop.abort();
  });

  it('gets the provider id when another had registered it without (§9.1-2, §7-2)', async () => {
    const stage = await startNode(({ client, stop }) =>
      client.create(NODES, { metadata: { name: 'mac-1' } }, { signal: stop.signal }),
    );
    const node = await stage.readNode();
    assert.equal(node?.spec?.providerID, FACTS.providerId);
    assert.equal(readyOf(node), 'True');
    stage.stop.abort();
  });

  it('tells labels that come and go in the API, and one source that fails takes no other with it (§9.1-4, §9.1-9)', async () => {
    const stage = await startNode();
    const labels = async (): Promise<readonly string[]> =>
      Object.keys((await stage.readNode())?.metadata.labels ?? {}).filter((key) => /golden|master/.test(key));
    stage.mac.labels = { 'tuist.dev/golden-1': 'true' };
    stage.watch.touch();
    await settle(stage);
    assert.deepEqual((await labels()).toSorted(), ['tuist.dev/cache-master-1', 'tuist.dev/golden-1']);
    stage.mac.fails = true;
    stage.watch.touch();
    await settle(stage);
    assert.deepEqual((await labels()).toSorted(), ['tuist.dev/cache-master-1', 'tuist.dev/golden-1']);
    stage.mac.fails = false;
    stage.mac.labels = {};
    stage.watch.touch();
    await settle(stage);
    assert.deepEqual(await labels(), ['tuist.dev/cache-master-1']);
    stage.stop.abort();
  });

  it('S29 is not ready once a look has found no graphical session, and ready at the first that finds it', async () => {
    const stage = await startNode();
    stage.mac.session = { is: 'ill', reason: 'GuiSessionMissing', message: 'none' };
    await settle(stage, 20_000);
    assert.equal(readyOf(await stage.readNode()), 'False');
    stage.mac.session = WELL;
    await settle(stage, 30_000);
    assert.equal(readyOf(await stage.readNode()), 'True');
    assert.deepEqual(stage.told, [
      ...['Warning GuiSessionMissing', 'Warning GuiSessionMissing'],
      ...['Normal SessionPresent', 'Normal TartKubeletReady'],
    ]);
    stage.stop.abort();
  });

  it('tells that its Mac was started again', async () => {
    const stage = await startNode(({ client, stop }) => {
      const status: Node['status'] = { nodeInfo: { ...INFO, bootID: 'boot-0' } };
      return client.create(NODES, { metadata: { name: 'mac-1' }, status }, { signal: stop.signal });
    });
    assert.deepEqual(stage.told, ['Warning Rebooted']);
    stage.stop.abort();
  });
});
