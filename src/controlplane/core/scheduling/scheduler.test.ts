import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Transport } from '../../../kube/client/transport.ts';
import type { HarnessOptions } from '../../../kube/testing/harness.ts';
import { NODES, PODS } from '../../../kube/types/core.ts';
import type { Pod } from '../../../kube/types/pod.ts';
import { createCoreControllers } from '../core-controllers.ts';
import { readyNode, startCluster } from '../testing/cluster.ts';
import type { SchedulablePod } from './schedulable.ts';

const start = (options: HarnessOptions = {}) => startCluster(createCoreControllers, options);

/** Watches that keep back every line that tells of a binding. */
const hideBindings = (direct: Transport): Transport => ({
  ...direct,
  send: async (request) => {
    const response = await direct.send(request);
    return request.path.includes('watch=') ? { ...response, body: withoutBindings(response.body) } : response;
  },
});

async function* withoutBindings(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) if (!Buffer.from(chunk).toString().includes('"nodeName"')) yield chunk;
}
const pod = (name: string, spec: Partial<SchedulablePod['spec']> = {}): SchedulablePod => ({
  metadata: { namespace: 'ns', name },
  spec: { containers: [{ name: 'main' }], ...spec },
});

const placesOf = async (cluster: ReturnType<typeof start>): Promise<readonly string[]> =>
  (await cluster.all(PODS)).map(({ metadata, spec }) => `${metadata.name}→${spec.nodeName ?? ''}`).sort();

const unschedulable = ({ status }: Pod): string | undefined => {
  const condition = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  return condition?.status === 'False' ? `${condition.reason}: ${condition.message}` : undefined;
};

describe('the scheduler', () => {
  it('never puts more Pods on a Node than it has places, however fast they come', async () => {
    const cluster = start();
    await cluster.create(NODES, readyNode('a'));
    await Promise.all(['p1', 'p2', 'p3'].map((name) => cluster.create(PODS, pod(name))));
    assert.deepEqual(await placesOf(cluster), ['p1→a', 'p2→a', 'p3→']);
    await cluster.end();
  });

  it('counts the places it just gave away although its cache does not show them yet', async () => {
    const cluster = start({ wrap: hideBindings });
    await cluster.create(NODES, readyNode('a'));
    for (const name of ['p1', 'p2', 'p3']) await cluster.create(PODS, pod(name));
    assert.deepEqual(await placesOf(cluster), ['p1→a', 'p2→a', 'p3→']);
    await cluster.end();
  });

  it('tells why a Pod fits nowhere, once, and binds it as soon as a Node appears', async () => {
    const cluster = start();
    await cluster.create(NODES, readyNode('a', { spec: { unschedulable: true } }));
    await cluster.create(PODS, pod('p'));
    const [waiting] = await cluster.all(PODS);
    assert.ok(waiting);
    assert.equal(
      unschedulable(waiting),
      'Unschedulable: 0/1 nodes are available: 1 node(s) were unschedulable. preemption: not supported by the embedded scheduler.',
    );
    const before = cluster.writesTo(PODS).length;
    assert.equal(before, 2, 'the Pod itself and the one report');
    await cluster.patch(NODES, { name: 'a' }, { metadata: { annotations: { heartbeat: '1' } } });
    assert.equal(cluster.writesTo(PODS).length, before, 'a heartbeat is no reason to write');
    await cluster.create(NODES, readyNode('b'));
    assert.deepEqual(await placesOf(cluster), ['p→b']);
    await cluster.end();
  });

  it('gives a freed place to a waiting Pod: when one ends, and when one is deleted', async () => {
    const cluster = start();
    await cluster.create(NODES, readyNode('a'));
    for (const name of ['p1', 'p2', 'p3', 'p4']) await cluster.create(PODS, pod(name));
    await cluster.patchStatus(PODS, { namespace: 'ns', name: 'p1' }, { phase: 'Succeeded' });
    assert.deepEqual(await placesOf(cluster), ['p1→a', 'p2→a', 'p3→a', 'p4→']);
    await cluster.client.delete(
      PODS,
      { namespace: 'ns', name: 'p2' },
      { gracePeriodSeconds: 0, signal: cluster.stop.signal },
    );
    await cluster.settle();
    assert.deepEqual(await placesOf(cluster), ['p1→a', 'p3→a', 'p4→a']);
    await cluster.end();
  });

  it('leaves a Pod alone that somebody else bound, and one that is being deleted', async () => {
    const cluster = start();
    await cluster.create(NODES, readyNode('elsewhere', { spec: { unschedulable: true } }));
    await cluster.create(PODS, pod('bound', { nodeName: 'elsewhere' }));
    await cluster.create(PODS, {
      ...pod('leaving'),
      metadata: { namespace: 'ns', name: 'leaving', finalizers: ['x/y'] },
    });
    await cluster.remove(PODS, { namespace: 'ns', name: 'leaving' });
    await cluster.create(NODES, readyNode('a'));
    assert.deepEqual(await placesOf(cluster), ['bound→elsewhere', 'leaving→']);
    assert.deepEqual(cluster.problems, []);
    await cluster.end();
  });

  it('serves the most important first when places become free, and the oldest of equals', async () => {
    const cluster = start();
    const important = { priority: 100 };
    for (const [name, spec] of [
      ['low', {}],
      ['high', important],
      ['late', {}],
    ] as const) {
      await cluster.create(PODS, pod(name, spec));
    }
    await cluster.create(NODES, readyNode('a', { status: { allocatable: { pods: '1' } } }));
    assert.deepEqual(await placesOf(cluster), ['high→a', 'late→', 'low→']);
    await cluster.end();
  });

  it('leaves a Pod of another scheduler alone, and waits for gates', async () => {
    const cluster = start();
    await cluster.create(NODES, readyNode('a'));
    await cluster.create(PODS, pod('theirs', { schedulerName: 'other' }));
    await cluster.create(PODS, pod('gated', { schedulingGates: [{ name: 'x/y' }] }));
    assert.deepEqual(await placesOf(cluster), ['gated→', 'theirs→']);
    await cluster.patch(PODS, { namespace: 'ns', name: 'gated' }, { spec: { schedulingGates: null } });
    assert.deepEqual(await placesOf(cluster), ['gated→a', 'theirs→']);
    await cluster.end();
  });
});
