import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toMicroTimestamp } from '../../../base/clock.ts';
import { FleetError } from '../../../base/errors.ts';
import type { TransportRequest } from '../../../kube/client/transport.ts';
import { createRuntimeMetrics, type RuntimeMetrics } from '../../../kube/manager/metrics.ts';
import { LEASES } from '../../../kube/types/coordination.ts';
import { EVENTS, NODES, PODS } from '../../../kube/types/core.ts';
import { createCoreControllers } from '../core-controllers.ts';
import type { SchedulablePod, Toleration } from '../scheduling/schedulable.ts';
import { readyNode, startCluster } from '../testing/cluster.ts';

const MAC = { key: 'mac', effect: 'NoSchedule' } as const;

/** Passes of the controller over all Nodes, so far. */
const passesIn = async ({ registry }: RuntimeMetrics): Promise<number> => {
  const [metric] = (await registry.getMetricsAsJSON()).filter(
    ({ name }) => name === 'controller_runtime_reconcile_total',
  );
  const own = (metric?.values ?? []).filter(({ labels }) => labels['controller'] === 'node-lifecycle');
  return own.reduce((sum, { value }) => sum + value, 0);
};

/** How many passes it takes until so many Nodes have registered, and each has become ready a moment later. */
const costOfJoining = async (count: number): Promise<number> => {
  const metrics = createRuntimeMetrics();
  const cluster = startCluster(createCoreControllers, { metrics });
  await cluster.create(NODES, readyNode('first'));
  for (let at = 0; at < count; at += 1) {
    const status = { conditions: [{ type: 'Ready', status: 'False' }] } as const;
    await cluster.create(NODES, readyNode(`node-${at}`, { status }));
    await cluster.patchStatus(NODES, { name: `node-${at}` }, { conditions: [{ type: 'Ready', status: 'True' }] });
  }
  await cluster.end();
  return passesIn(metrics);
};

const start = async (names: readonly string[] = ['a', 'b', 'c']) => {
  const api = { isDeaf: false };
  /** Nobody is told what a Lease is, although all else is well. */
  const intercept = ({ method, path }: TransportRequest): void => {
    if (!api.isDeaf || method !== 'GET' || !/\/leases\/[^?]+/.test(path)) return;
    throw new FleetError('unavailable', { code: 'Down', message: 'nobody answers' });
  };
  const cluster = startCluster(createCoreControllers, { intercept });
  const renewal = () => ({ spec: { renewTime: toMicroTimestamp(cluster.clock.now()) } });
  const leaseKey = (name: string) => ({ namespace: 'kube-node-lease', name });
  const renew = (name: string) => cluster.patch(LEASES, leaseKey(name), renewal());
  /** Time passes; the Nodes named keep their Leases. */
  const pass = async (ms: number, alive: readonly string[] = []): Promise<void> => {
    for (let leftMs = ms; leftMs > 0; leftMs -= 1_000) {
      await cluster.advance(Math.min(leftMs, 1_000));
      if (leftMs % 10_000 < 1_000) for (const name of alive) await renew(name);
      await cluster.settle();
    }
  };
  for (const name of names) {
    await cluster.create(NODES, readyNode(name, { spec: { taints: [MAC] } }));
    await cluster.create(LEASES, { metadata: leaseKey(name), ...renewal() });
  }
  const taints = async (name: string): Promise<readonly string[]> => {
    const node = (await cluster.all(NODES)).find(({ metadata }) => metadata.name === name);
    return (node?.spec?.taints ?? []).map(({ key, effect }) => `${key.replace('node.kubernetes.io/', '')}:${effect}`);
  };
  const run = (name: string, nodeName: string, tolerations?: readonly Toleration[]) => {
    const pod: SchedulablePod = {
      metadata: { namespace: 'ns', name },
      spec: { nodeName, containers: [], ...(tolerations && { tolerations }) },
    };
    return cluster.create(PODS, pod);
  };
  /** Pods that nobody asked to go. */
  const staying = async (): Promise<readonly string[]> =>
    (await cluster.all(PODS))
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata }) => metadata.name);
  const report = (name: string, status: 'True' | 'False') =>
    cluster.patchStatus(NODES, { name }, { conditions: [{ type: 'Ready', status }] });
  return { ...cluster, apiState: api, pass, renew, taints, run, staying, report };
};

const WITH_MAC = 'mac:NoSchedule';

describe('the life of a Node', () => {
  it('costs the same however many there are: four times as many Nodes join in four times as many passes', async () => {
    const [few, many] = [await costOfJoining(50), await costOfJoining(200)];
    assert.ok(many <= 4.5 * few, `${few} passes for 50, ${many} for 200`);
  });

  it('is not given up by who hears nobody: the silence counts anew when the API answers again', async () => {
    const cluster = await start();
    cluster.apiState.isDeaf = true;
    await cluster.pass(100_000, ['b', 'c']);
    assert.deepEqual(await cluster.taints('a'), [WITH_MAC]);
    cluster.apiState.isDeaf = false;
    await cluster.pass(30_000, ['b', 'c']);
    assert.deepEqual(await cluster.taints('a'), [WITH_MAC], 'it was given no time to be heard');
    await cluster.pass(60_000, ['b', 'c']);
    assert.deepEqual(await cluster.taints('a'), [WITH_MAC, 'unreachable:NoSchedule', 'unreachable:NoExecute']);
  });

  it('is believed while its Lease is fresh, and doubted fifty seconds after the last renewal', async () => {
    const cluster = await start();
    await cluster.pass(30_000, ['b', 'c']);
    await cluster.renew('a');
    await cluster.pass(49_000, ['b', 'c']);
    assert.deepEqual(await cluster.taints('a'), [WITH_MAC]);
    await cluster.pass(2_000, ['b', 'c']);
    assert.deepEqual(await cluster.taints('a'), [WITH_MAC, 'unreachable:NoSchedule', 'unreachable:NoExecute']);
    const [silent] = await cluster.all(NODES);
    assert.deepEqual(
      silent?.status?.conditions?.map(({ type, status, reason }) => [type, status, reason]),
      [
        ['Ready', 'Unknown', 'NodeStatusUnknown'],
        ['MemoryPressure', 'Unknown', 'NodeStatusNeverUpdated'],
        ['DiskPressure', 'Unknown', 'NodeStatusNeverUpdated'],
        ['PIDPressure', 'Unknown', 'NodeStatusNeverUpdated'],
      ],
    );
    const told = (await cluster.all(EVENTS)).filter(({ reason }) => reason === 'NodeNotReady');
    assert.equal(told.length, 1);
    const before = cluster.writesTo(NODES).length;
    await cluster.pass(120_000, ['b', 'c']);
    assert.equal(cluster.writesTo(NODES).length, before, 'it is told once');
    await cluster.end();
  });

  for (const { story, wrongMs } of [
    { story: 'two hours behind', wrongMs: -7_200_000 },
    { story: 'two hours ahead', wrongMs: 7_200_000 },
  ]) {
    it(`is judged by when its Lease changes, not by the time in it: its clock may be ${story}`, async () => {
      const cluster = await start();
      const renewWrongly = () => {
        const spec = { renewTime: toMicroTimestamp(cluster.clock.now() + wrongMs) };
        return cluster.patch(LEASES, { namespace: 'kube-node-lease', name: 'a' }, { spec });
      };
      for (let passed = 0; passed < 120_000; passed += 10_000) {
        await renewWrongly();
        await cluster.pass(10_000, ['b', 'c']);
      }
      assert.deepEqual(await cluster.taints('a'), [WITH_MAC], 'it is heard');
      await cluster.pass(51_000, ['b', 'c']);
      assert.deepEqual(await cluster.taints('a'), [WITH_MAC, 'unreachable:NoSchedule', 'unreachable:NoExecute']);
      await cluster.end();
    });
  }

  it('is itself again once its agent says that it is ready', async () => {
    const cluster = await start();
    await cluster.pass(60_000, ['b', 'c']);
    await cluster.renew('a');
    await cluster.report('a', 'True');
    await cluster.pass(1_000, ['b', 'c']);
    assert.deepEqual(await cluster.taints('a'), [WITH_MAC]);
    await cluster.end();
  });

  const conditions: readonly (readonly [string, string, readonly string[]])[] = [
    ['Ready', 'False', ['not-ready:NoSchedule', 'not-ready:NoExecute']],
    ['MemoryPressure', 'True', ['memory-pressure:NoSchedule']],
    ['DiskPressure', 'True', ['disk-pressure:NoSchedule']],
    ['PIDPressure', 'True', ['pid-pressure:NoSchedule']],
    ['NetworkUnavailable', 'True', ['network-unavailable:NoSchedule']],
  ];
  for (const [type, status, expected] of conditions) {
    it(`shows ${type}=${status} as ${expected.join(' and ')}`, async () => {
      const cluster = await start();
      const others = type === 'Ready' ? [] : [{ type: 'Ready', status: 'True' }];
      await cluster.patchStatus(NODES, { name: 'a' }, { conditions: [...others, { type, status }] });
      assert.deepEqual(await cluster.taints('a'), [WITH_MAC, ...expected]);
      await cluster.end();
    });
  }

  it('shows that it is cordoned, and that it is no more', async () => {
    const cluster = await start();
    await cluster.patch(NODES, { name: 'a' }, { spec: { unschedulable: true } });
    assert.deepEqual(await cluster.taints('a'), [WITH_MAC, 'unschedulable:NoSchedule']);
    await cluster.patch(NODES, { name: 'a' }, { spec: { unschedulable: false } });
    assert.deepEqual(await cluster.taints('a'), [WITH_MAC]);
    await cluster.end();
  });
});

describe('Pods of a silent Node', () => {
  it('leave after five minutes, sooner or never as they tolerate it', async () => {
    const cluster = await start();
    const tolerate = (more: object): readonly Toleration[] => [
      { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', ...more },
    ];
    await cluster.run('plain', 'a');
    await cluster.run('patient', 'a', tolerate({}));
    await cluster.run('hasty', 'a', tolerate({ tolerationSeconds: 10 }));
    await cluster.run('elsewhere', 'b');
    await cluster.pass(55_000, ['b', 'c']);
    assert.deepEqual(await cluster.staying(), ['plain', 'patient', 'hasty', 'elsewhere']);
    await cluster.pass(10_000, ['b', 'c']);
    assert.deepEqual(await cluster.staying(), ['plain', 'patient', 'elsewhere']);
    await cluster.pass(290_000, ['b', 'c']);
    assert.deepEqual(await cluster.staying(), ['patient', 'elsewhere']);
    const [plain] = await cluster.all(PODS);
    assert.equal(plain?.status?.conditions?.[0]?.reason, 'DeletionByTaintManager');
    await cluster.end();
  });

  it('stay when the Node is back in time', async () => {
    const cluster = await start();
    await cluster.run('plain', 'a');
    await cluster.pass(200_000, ['b', 'c']);
    await cluster.renew('a');
    await cluster.report('a', 'True');
    await cluster.pass(400_000, ['a', 'b', 'c']);
    assert.deepEqual(await cluster.staying(), ['plain']);
    await cluster.end();
  });

  it('stay while no Node at all is heard of: the fault is not theirs', async () => {
    const cluster = await start();
    await cluster.run('plain', 'a');
    await cluster.pass(600_000);
    assert.deepEqual(await cluster.staying(), ['plain']);
    assert.deepEqual(await cluster.taints('a'), [WITH_MAC, 'unreachable:NoSchedule']);
    await cluster.end();
  });

  it('of further Nodes stay while most of them are silent', async () => {
    const cluster = await start(['a', 'b', 'c', 'd', 'e']);
    await cluster.pass(60_000, ['d', 'e']);
    const taints = await Promise.all(['a', 'b', 'c'].map((name) => cluster.taints(name)));
    const marked = taints.filter((one) => one.includes('unreachable:NoExecute'));
    assert.ok(marked.length < 3, `${marked.length} of three silent Nodes lose their Pods`);
    await cluster.end();
  });
});

describe('Pods of a Node that is gone', () => {
  it('are ended after the quarantine, because nobody else can end them', async () => {
    const cluster = await start();
    await cluster.run('p1', 'a');
    await cluster.run('p2', 'b');
    await cluster.run('p3', 'never-was');
    await cluster.remove(NODES, { name: 'a' });
    await cluster.pass(39_000, ['b', 'c']);
    assert.deepEqual(await cluster.staying(), ['p1', 'p2', 'p3']);
    await cluster.pass(2_000, ['b', 'c']);
    assert.deepEqual(await cluster.staying(), ['p2']);
    assert.deepEqual(cluster.problems, []);
    await cluster.end();
  });

  it('live on when it is registered again', async () => {
    const cluster = await start();
    await cluster.run('p1', 'a');
    await cluster.remove(NODES, { name: 'a' });
    await cluster.pass(20_000, ['b', 'c']);
    await cluster.create(NODES, readyNode('a'));
    await cluster.pass(60_000, ['a', 'b', 'c']);
    assert.deepEqual(await cluster.staying(), ['p1']);
    await cluster.end();
  });
});
