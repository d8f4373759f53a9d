import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toMicroTimestamp } from '../../base/clock.ts';
import { LEASES } from '../../kube/types/coordination.ts';
import { NODES, PODS } from '../../kube/types/core.ts';
import { createCoreControllers } from './core-controllers.ts';
import { isNodeReady } from './schedulable.ts';
import { readyNode, startCluster } from './testing/cluster.ts';

const LEASE = { namespace: 'kube-node-lease', name: 'a' };

const start = async () => {
  const cluster = startCluster(createCoreControllers);
  const renewal = () => ({ spec: { renewTime: toMicroTimestamp(cluster.clock.now()) } });
  const pass = async (ms: number): Promise<void> => {
    for (let leftMs = ms; leftMs > 0; leftMs -= 1_000) {
      await cluster.advance(Math.min(leftMs, 1_000));
      await cluster.settle();
    }
  };
  await cluster.create(NODES, readyNode('a', { spec: { taints: [{ key: 'mac', effect: 'NoSchedule' }] } }));
  await cluster.create(LEASES, { metadata: LEASE, ...renewal() });
  const renew = () => cluster.patch(LEASES, LEASE, renewal());
  const taints = async () => (await cluster.all(NODES))[0]?.spec?.taints?.map(({ key }) => key);
  return { ...cluster, pass, renew, taints };
};

describe('the life of a Node', () => {
  it('is believed while its Lease is fresh, and doubted forty seconds after the last renewal', async () => {
    const cluster = await start();
    await cluster.pass(30_000);
    await cluster.renew();
    await cluster.pass(39_000);
    assert.deepEqual(await cluster.taints(), ['mac']);
    await cluster.pass(2_000);
    assert.deepEqual(await cluster.taints(), ['mac', 'node.kubernetes.io/unreachable']);
    const [silent] = await cluster.all(NODES);
    assert.deepEqual(
      silent?.status?.conditions?.map(({ type, status, reason }) => [type, status, reason]),
      [['Ready', 'Unknown', 'NodeStatusUnknown']],
    );
    const before = cluster.writesTo(NODES).length;
    await cluster.pass(120_000);
    assert.equal(cluster.writesTo(NODES).length, before, 'it is told once');
    await cluster.end();
  });

  it('is believed again with the next renewal; that it is ready, it says itself', async () => {
    const cluster = await start();
    await cluster.pass(41_000);
    await cluster.renew();
    assert.deepEqual(await cluster.taints(), ['mac']);
    const [node] = await cluster.all(NODES);
    assert.ok(node);
    assert.equal(isNodeReady(node), false);
    await cluster.end();
  });

  it('ends with its Pods: nobody else could end those', async () => {
    const cluster = await start();
    const pod = (name: string, nodeName: string) => ({
      metadata: { namespace: 'ns', name },
      spec: { nodeName, containers: [] },
    });
    await cluster.create(NODES, readyNode('b'));
    await cluster.create(PODS, pod('p1', 'a'));
    await cluster.create(PODS, pod('p2', 'b'));
    await cluster.remove(NODES, { name: 'a' });
    assert.deepEqual(
      (await cluster.all(PODS)).map(({ metadata }) => metadata.name),
      ['p2'],
    );
    await cluster.create(PODS, pod('p3', 'never-was'));
    assert.deepEqual(
      (await cluster.all(PODS)).map(({ metadata }) => metadata.name),
      ['p2'],
    );
    assert.deepEqual(cluster.problems, []);
    await cluster.end();
  });
});
