import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FleetError } from '../../../base/errors.ts';
import type { HarnessOptions } from '../../../kube/testing/harness.ts';
import { PODS } from '../../../kube/types/core.ts';
import { createCoreControllers } from '../core-controllers.ts';
import { startCluster } from '../testing/cluster.ts';
import { JOBS, type Job } from './job.ts';

const start = (options: HarnessOptions = {}) => startCluster(createCoreControllers, options);
const KEY = { namespace: 'ns', name: 'build' };
const job = (spec: Partial<Job['spec']> = {}): Job => ({
  metadata: KEY,
  spec: {
    template: {
      metadata: { labels: { app: 'demo' }, annotations: { note: 'x' } },
      spec: { containers: [{ name: 'main' }], restartPolicy: 'Never' },
    },
    ...spec,
  },
});

const finish = async (cluster: ReturnType<typeof start>, phase: 'Succeeded' | 'Failed'): Promise<void> => {
  const open = (await cluster.all(PODS)).filter(({ status }) => status?.phase === undefined);
  for (const { metadata } of open) await cluster.patchStatus(PODS, { namespace: 'ns', name: metadata.name }, { phase });
};

describe('the Job controller', () => {
  it('makes Pods that say whose they are, and completes when they succeed', async () => {
    const cluster = start();
    const { metadata } = await cluster.create(JOBS, job({ parallelism: 2, completions: 3 }));
    const pods = await cluster.all(PODS);
    assert.equal(pods.length, 2);
    const [first] = pods;
    assert.match(first?.metadata.name ?? '', /^build-[a-z0-9]{5}$/);
    assert.deepEqual(first?.metadata.labels, {
      app: 'demo',
      'job-name': 'build',
      'batch.kubernetes.io/job-name': 'build',
      'controller-uid': metadata.uid,
      'batch.kubernetes.io/controller-uid': metadata.uid,
    });
    assert.deepEqual(first?.metadata.annotations, { note: 'x' });
    assert.deepEqual(first?.metadata.ownerReferences, [
      {
        apiVersion: 'batch/v1',
        kind: 'Job',
        name: 'build',
        uid: metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    await finish(cluster, 'Succeeded');
    await finish(cluster, 'Succeeded');
    const [ended] = await cluster.all(JOBS);
    assert.equal(ended?.status?.succeeded, 3);
    assert.deepEqual(
      ended?.status?.conditions?.map(({ type }) => type),
      ['SuccessCriteriaMet', 'Complete'],
    );
    assert.equal((await cluster.all(PODS)).length, 3);
    await cluster.end();
  });

  it('writes nothing more once it is done', async () => {
    const cluster = start();
    await cluster.create(JOBS, job());
    await finish(cluster, 'Succeeded');
    const before = cluster.api.writes.length;
    await cluster.patch(JOBS, KEY, { metadata: { annotations: { look: 'again' } } });
    assert.equal(cluster.api.writes.length, before + 1, 'but the one of this test');
    await cluster.end();
  });

  it('makes no second Pod when the answer to the first was lost', async () => {
    let isLost = false;
    const cluster = start({
      wrap: (direct) => ({
        ...direct,
        send: async (request) => {
          const response = await direct.send(request);
          if (request.method !== 'POST' || !request.path.includes('/pods') || isLost) return response;
          isLost = true;
          throw new FleetError('unavailable', { code: 'ConnectionReset', message: 'the answer was lost' });
        },
      }),
    });
    await cluster.create(JOBS, job());
    for (let turn = 0; turn < 5; turn += 1) {
      await cluster.advance(2_000);
      await cluster.settle();
    }
    assert.equal(isLost, true);
    assert.equal((await cluster.all(PODS)).length, 1);
    assert.equal((await cluster.all(JOBS))[0]?.status?.active, 1);
    await cluster.end();
  });

  it('counts every success once although finished Pods are deleted on the way', async () => {
    const cluster = start();
    await cluster.create(JOBS, job({ parallelism: 2, completions: 4 }));
    for (let round = 0; round < 2; round += 1) {
      await finish(cluster, 'Succeeded');
      for (const { metadata, status } of await cluster.all(PODS)) {
        if (status?.phase === 'Succeeded') await cluster.remove(PODS, { namespace: 'ns', name: metadata.name });
      }
    }
    const [ended] = await cluster.all(JOBS);
    assert.equal(ended?.status?.succeeded, 4);
    assert.deepEqual(
      ended?.status?.conditions?.map(({ type }) => type),
      ['SuccessCriteriaMet', 'Complete'],
    );
    assert.deepEqual(await cluster.all(PODS), [], 'no Pod is held any more');
    await cluster.end();
  });

  it('holds no Pod back when it is deleted while they run', async () => {
    const cluster = start();
    await cluster.create(JOBS, job({ parallelism: 2, completions: 2 }));
    assert.equal((await cluster.all(PODS)).length, 2);
    await cluster.remove(JOBS, KEY);
    assert.deepEqual(await cluster.all(PODS), []);
    await cluster.end();
  });

  it('gives up after too many failures, and its Pods go when it is deleted', async () => {
    const cluster = start();
    await cluster.create(JOBS, job({ backoffLimit: 1 }));
    await finish(cluster, 'Failed');
    await cluster.advance(11_000);
    await cluster.settle();
    await finish(cluster, 'Failed');
    const [failed] = await cluster.all(JOBS);
    assert.deepEqual(
      failed?.status?.conditions?.map(({ type, reason }) => [type, reason]),
      [
        ['FailureTarget', 'BackoffLimitExceeded'],
        ['Failed', 'BackoffLimitExceeded'],
      ],
    );
    assert.equal((await cluster.all(PODS)).length, 2);
    await cluster.remove(JOBS, KEY);
    assert.deepEqual(await cluster.all(PODS), []);
    assert.deepEqual(cluster.problems, []);
    await cluster.end();
  });

  it('is deleted with its Pods when its time after the end is over', async () => {
    const cluster = start();
    await cluster.create(JOBS, job({ ttlSecondsAfterFinished: 30 }));
    await finish(cluster, 'Succeeded');
    await cluster.advance(29_000);
    await cluster.settle();
    assert.equal((await cluster.all(JOBS)).length, 1);
    await cluster.advance(2_000);
    await cluster.settle();
    assert.deepEqual([await cluster.all(JOBS), await cluster.all(PODS)], [[], []]);
    await cluster.end();
  });

  it('lets its Pods go uncounted while it is suspended', async () => {
    const cluster = start();
    await cluster.create(JOBS, job({ parallelism: 2, completions: 2 }));
    await cluster.patch(JOBS, KEY, { spec: { suspend: true } });
    assert.deepEqual(await cluster.all(PODS), []);
    const [asleep] = await cluster.all(JOBS);
    assert.equal(asleep?.status?.failed ?? 0, 0);
    await cluster.patch(JOBS, KEY, { spec: { suspend: false } });
    assert.equal((await cluster.all(PODS)).length, 2);
    await cluster.end();
  });

  it('takes a Pod back that matches and has nobody, and lets one go that matches no more', async () => {
    const cluster = start();
    await cluster.create(JOBS, job());
    const [made] = await cluster.all(PODS);
    assert.ok(made);
    const { name, ownerReferences } = made.metadata;
    await cluster.patch(PODS, { namespace: 'ns', name }, { metadata: { ownerReferences: [], finalizers: [] } });
    const [again, ...others] = await cluster.all(PODS);
    assert.deepEqual([again?.metadata.ownerReferences, others], [ownerReferences, []]);
    assert.deepEqual(again?.metadata.finalizers, ['batch.kubernetes.io/job-tracking']);
    const label = 'batch.kubernetes.io/controller-uid';
    await cluster.patch(PODS, { namespace: 'ns', name }, { metadata: { labels: { [label]: null } } });
    const all = await cluster.all(PODS);
    const left = all.find(({ metadata }) => metadata.name === name);
    assert.deepEqual([left?.metadata.ownerReferences, left?.metadata.finalizers], [[], []]);
    assert.equal(all.length, 2, 'the Pod that left is replaced');
    assert.deepEqual(cluster.problems, []);
    await cluster.end();
  });

  it('counts a Pod that ended while nobody had it', async () => {
    const cluster = start();
    await cluster.create(JOBS, job({ suspend: true }));
    const [{ metadata } = job()] = await cluster.all(JOBS);
    const labels = { 'batch.kubernetes.io/controller-uid': metadata.uid ?? '' };
    const pod = { metadata: { namespace: 'ns', name: 'found', labels }, spec: { containers: [] } };
    await cluster.create(PODS, { ...pod, status: { phase: 'Succeeded' } });
    const [ended] = await cluster.all(JOBS);
    assert.equal(ended?.status?.succeeded, 1);
    await cluster.end();
  });

  it('takes no Pod once it has ended', async () => {
    const cluster = start();
    await cluster.create(JOBS, job());
    await finish(cluster, 'Succeeded');
    const [made] = await cluster.all(PODS);
    const key = { namespace: 'ns', name: made?.metadata.name ?? '' };
    await cluster.patch(PODS, key, { metadata: { ownerReferences: [] } });
    assert.deepEqual(
      (await cluster.all(PODS)).map(({ metadata }) => metadata.ownerReferences ?? []),
      [[]],
    );
    await cluster.end();
  });

  it('lets a Pod on its way out alone when nobody has it, and lets go one that matches no more', async () => {
    const cluster = start();
    await cluster.create(JOBS, job());
    const [made] = await cluster.all(PODS);
    const path = `/api/v1/namespaces/ns/pods/${made?.metadata.name}`;
    const finalizers = ['example.com/slow'];
    const held = [...finalizers, ...(made?.metadata.finalizers ?? [])];
    const labels = made?.metadata.labels ?? {};
    const change = (metadata: object) =>
      cluster.api.handle({ method: 'PATCH', path, body: JSON.stringify({ metadata }) });
    change({ finalizers: held });
    cluster.api.handle({ method: 'DELETE', path });
    change({ labels: { 'batch.kubernetes.io/controller-uid': null } });
    await cluster.settle();
    const left = async () => (await cluster.all(PODS)).find(({ metadata }) => metadata.name === made?.metadata.name);
    assert.deepEqual((await left())?.metadata.finalizers, finalizers);
    change({ labels });
    await cluster.settle();
    assert.deepEqual((await left())?.metadata.ownerReferences, []);
    await cluster.end();
  });
});
