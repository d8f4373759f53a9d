import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NODES, PODS } from '../../../kube/types/core.ts';
import type { Pod } from '../../../kube/types/pod.ts';
import { createCoreControllers } from '../core-controllers.ts';
import { readyNode, startCluster } from '../testing/cluster.ts';
import { DEPLOYMENTS, type Deployment, REPLICA_SETS } from './replicated.ts';

const KEY = { namespace: 'ns', name: 'web' };
const render = (spec: Partial<Deployment['spec']> = {}, image = 'one'): Deployment => ({
  metadata: KEY,
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: 'web' } },
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image }] } },
    ...spec,
  },
});
const template = (image: string) => ({ spec: { template: render({}, image).spec.template } });

const start = async (deployment = render()) => {
  const cluster = startCluster(createCoreControllers);
  await cluster.create(DEPLOYMENTS, deployment);
  const imageOf = ({ spec }: Pod): string => spec.containers[0]?.image ?? '';
  const keyOf = ({ metadata }: Pod) => ({ namespace: 'ns', name: metadata.name });
  const living = async () =>
    (await cluster.all(PODS)).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  /** Every Pod there is becomes ready; answers the images and how often each runs. */
  const makeReady = async (): Promise<Readonly<Record<string, number>>> => {
    for (const pod of await living()) {
      const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }];
      if (pod.status?.phase !== 'Running')
        await cluster.patchStatus(PODS, keyOf(pod), { phase: 'Running', conditions });
    }
    return images();
  };
  const images = async (): Promise<Readonly<Record<string, number>>> => {
    const counts: Record<string, number> = {};
    for (const pod of await living()) counts[imageOf(pod)] = (counts[imageOf(pod)] ?? 0) + 1;
    return counts;
  };
  const deploymentNow = async (): Promise<Deployment> => {
    const [found] = await cluster.all(DEPLOYMENTS);
    assert.ok(found);
    return found;
  };
  const condition = async (type: string): Promise<string> => {
    const found = (await deploymentNow()).status?.conditions?.find((one) => one.type === type);
    return `${found?.status} ${found?.reason}`;
  };
  const revisions = async () =>
    Object.fromEntries(
      (await cluster.all(REPLICA_SETS)).map(({ metadata, spec }) => [
        spec.template.spec.containers[0]?.image,
        metadata.annotations?.['deployment.kubernetes.io/revision'],
      ]),
    );
  return { ...cluster, makeReady, images, deploymentNow, condition, revisions, living, keyOf };
};

describe('a Deployment', () => {
  it('gets its Pods, and is available once they are ready', async () => {
    const cluster = await start();
    assert.deepEqual(await cluster.images(), { one: 3 });
    assert.equal(await cluster.condition('Available'), 'False MinimumReplicasUnavailable');
    await cluster.makeReady();
    assert.equal(await cluster.condition('Available'), 'True MinimumReplicasAvailable');
    assert.equal(await cluster.condition('Progressing'), 'True NewReplicaSetAvailable');
    const { status, metadata } = await cluster.deploymentNow();
    const { conditions: _told, ...counts } = status ?? {};
    assert.deepEqual(counts, {
      ...{ observedGeneration: 1, replicas: 3, updatedReplicas: 3, readyReplicas: 3 },
      ...{ availableReplicas: 3, unavailableReplicas: 0, terminatingReplicas: 0 },
    });
    assert.equal(metadata.annotations?.['deployment.kubernetes.io/revision'], '1');
    const writes = cluster.api.writes.length;
    await cluster.advance(5_000);
    await cluster.settle();
    assert.equal(cluster.api.writes.length, writes, 'all is well and still something is written');
    assert.deepEqual(cluster.problems, []);
    await cluster.end();
  });

  it('rolls one by one and never has fewer ready ones than wanted', async () => {
    const cluster = await start();
    await cluster.makeReady();
    await cluster.patch(DEPLOYMENTS, KEY, template('two'));
    assert.deepEqual(await cluster.images(), { one: 3, two: 1 });
    assert.equal(await cluster.condition('Progressing'), 'True ReplicaSetUpdated');
    const courses = [];
    for (let turn = 0; turn < 3; turn += 1) courses.push(await cluster.makeReady());
    assert.deepEqual(courses, [{ one: 2, two: 2 }, { one: 1, two: 3 }, { two: 3 }]);
    assert.deepEqual(await cluster.revisions(), { one: '1', two: '2' });
    assert.equal(await cluster.condition('Progressing'), 'True NewReplicaSetAvailable');
    await cluster.end();
  });

  it('goes back to an older template by its own set, under a new number', async () => {
    const cluster = await start();
    await cluster.makeReady();
    await cluster.patch(DEPLOYMENTS, KEY, template('two'));
    for (let turn = 0; turn < 3; turn += 1) await cluster.makeReady();
    await cluster.patch(DEPLOYMENTS, KEY, template('one'));
    for (let turn = 0; turn < 3; turn += 1) await cluster.makeReady();
    assert.deepEqual(await cluster.images(), { one: 3 });
    assert.deepEqual(await cluster.revisions(), { one: '3', two: '2' });
    assert.equal((await cluster.all(REPLICA_SETS)).length, 2);
    await cluster.end();
  });

  it('recreates: nothing new starts before all that is old is gone', async () => {
    const cluster = await start(render({ strategy: { type: 'Recreate' } }));
    await cluster.makeReady();
    const [held] = await cluster.living();
    assert.ok(held);
    await cluster.patch(PODS, cluster.keyOf(held), { metadata: { finalizers: ['slow/pod'] } });
    await cluster.patch(DEPLOYMENTS, KEY, template('two'));
    assert.deepEqual(await cluster.images(), { two: 3 }, 'a Pod on its way out does not count, as in Kubernetes');
    await cluster.end();
  });

  it('stands still while it is paused, but for its size', async () => {
    const cluster = await start();
    await cluster.makeReady();
    await cluster.patch(DEPLOYMENTS, KEY, { spec: { paused: true } });
    await cluster.patch(DEPLOYMENTS, KEY, template('two'));
    assert.deepEqual(await cluster.images(), { one: 3 });
    assert.equal(await cluster.condition('Progressing'), 'Unknown DeploymentPaused');
    await cluster.patch(DEPLOYMENTS, KEY, { spec: { replicas: 4 } });
    assert.deepEqual(await cluster.images(), { one: 4 });
    await cluster.patch(DEPLOYMENTS, KEY, { spec: { paused: false } });
    assert.deepEqual(await cluster.images(), { one: 4, two: 1 });
    await cluster.end();
  });

  it('says when its rollout is stuck', async () => {
    const cluster = await start(render({ progressDeadlineSeconds: 60 }));
    for (let second = 0; second < 70; second += 1) {
      await cluster.advance(1_000);
      await cluster.settle();
    }
    assert.equal(await cluster.condition('Progressing'), 'False ProgressDeadlineExceeded');
    await cluster.end();
  });

  it('forgets sets beyond its history', async () => {
    const cluster = await start(render({ revisionHistoryLimit: 1 }));
    for (const image of ['one', 'two', 'three', 'four']) {
      await cluster.patch(DEPLOYMENTS, KEY, template(image));
      for (let turn = 0; turn < 4; turn += 1) await cluster.makeReady();
    }
    assert.deepEqual(await cluster.revisions(), { three: '3', four: '4' });
    await cluster.end();
  });
});

describe('a ReplicaSet', () => {
  it('adopts a Pod that matches and has nobody, and lets one go that matches no more', async () => {
    const cluster = await start();
    const [set] = await cluster.all(REPLICA_SETS);
    const [pod] = await cluster.living();
    assert.ok(set && pod);
    await cluster.patch(PODS, cluster.keyOf(pod), { metadata: { labels: { app: 'other' } } });
    assert.equal((await cluster.living()).length, 4, 'the Pod that left is replaced');
    const left = (await cluster.living()).find(({ metadata }) => metadata.name === pod.metadata.name);
    assert.deepEqual(left?.metadata.ownerReferences, []);
    await cluster.patch(PODS, cluster.keyOf(pod), { metadata: { labels: { app: 'web' } } });
    assert.equal((await cluster.living()).length, 3, 'it came back, and one is too many');
    assert.deepEqual(cluster.problems, []);
    await cluster.end();
  });

  it('takes away who serves least: without a Node first, then not ready', async () => {
    const cluster = await start();
    await cluster.create(NODES, readyNode('n', { spec: { unschedulable: true } }));
    const [first, second, third] = await cluster.living();
    assert.ok(first && second && third);
    const binding = (name: string) => ({ metadata: { name }, target: { name: 'n' } });
    for (const pod of [first, second]) {
      const body = binding(pod.metadata.name);
      await cluster.client.createSubresource(PODS, cluster.keyOf(pod), {
        subresource: 'binding',
        body,
        signal: cluster.stop.signal,
      });
    }
    await cluster.settle();
    const conditions = [{ type: 'Ready', status: 'True' }];
    await cluster.patchStatus(PODS, cluster.keyOf(first), { phase: 'Running', conditions });
    await cluster.patch(DEPLOYMENTS, KEY, { spec: { replicas: 2 } });
    const names = async () => (await cluster.living()).map(({ metadata }) => metadata.name);
    assert.deepEqual(await names(), [first.metadata.name, second.metadata.name]);
    await cluster.patch(DEPLOYMENTS, KEY, { spec: { replicas: 1 } });
    assert.deepEqual(await names(), [first.metadata.name]);
    await cluster.end();
  });

  it('gives a Pod that is gone no successor of the same name', async () => {
    const cluster = await start();
    const [first] = await cluster.living();
    assert.ok(first);
    const before = (await cluster.living()).map(({ metadata }) => metadata.name);
    await cluster.remove(PODS, cluster.keyOf(first));
    const after = (await cluster.living()).map(({ metadata }) => metadata.name);
    assert.equal(after.length, 3);
    assert.deepEqual(after.filter((name) => !before.includes(name)).length, 1);
    assert.ok(!after.includes(first.metadata.name));
    await cluster.end();
  });

  it('counts revisions on from any that Kubernetes may have given', async () => {
    const cluster = await start();
    const [set] = await cluster.all(REPLICA_SETS);
    const annotations = { 'deployment.kubernetes.io/revision': '3546343826724305832' };
    const key = { namespace: 'ns', name: set?.metadata.name ?? '' };
    await cluster.patch(REPLICA_SETS, key, { metadata: { annotations } });
    await cluster.patch(DEPLOYMENTS, KEY, template('two'));
    assert.equal((await cluster.revisions())['two'], '3546343826724305833');
    await cluster.end();
  });

  it('grows all its sets in proportion when it is scaled during a rollout', async () => {
    const limits = { maxSurge: 3, maxUnavailable: 2 };
    const strategy = { type: 'RollingUpdate', rollingUpdate: limits };
    const cluster = await start(render({ replicas: 10, strategy }));
    await cluster.makeReady();
    await cluster.patch(DEPLOYMENTS, KEY, template('stuck'));
    assert.deepEqual(await cluster.images(), { one: 8, stuck: 5 });
    await cluster.patch(DEPLOYMENTS, KEY, { spec: { replicas: 30 } });
    assert.deepEqual(await cluster.images(), { one: 20, stuck: 13 });
    await cluster.end();
  });
});
