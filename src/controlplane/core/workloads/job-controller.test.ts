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
});
