/**
 * B6: an agent starts on a Mac where 504 finished Pods wait to be let go (003-4): how long until none is left, and what it asks for each. The peer is
 * the bare writes, from a process that runs already.
 */
import type { Benchmark, Sample, SideName } from '../benchmark.ts';

const STUCK = 504;
const CALLERS = 16;
const NODE = 'mac-0';

const measure = async (side: SideName): Promise<Sample> => {
  const { neverAborted } = await import('../../src/base/abort.ts');
  const { createLimiter } = await import('../../src/base/limiter.ts');
  const { FINALIZERS } = await import('../../src/kinds/labels.ts');
  const { PODS } = await import('../../src/kube/types/core.ts');
  const { openKubeletLab } = await import('../kubelet/lab.ts');
  const { followPods } = await import('../kubelet/follow-pods.ts');
  const { renderJob } = await import('../kubelet/jobs.ts');
  const { countTo } = await import('../control-plane/until.ts');
  const signal = neverAborted();
  const lab = await openKubeletLab();
  try {
    const { client } = lab;
    const limiter = createLimiter(CALLERS);
    const strand = async (name: string): Promise<void> => {
      const key = { namespace: 'default', name };
      const pod = renderJob(name, NODE, 'true');
      await client.create(PODS, { ...pod, metadata: { ...key, finalizers: [FINALIZERS.pod] } }, { signal });
      const body = { status: { phase: 'Succeeded' } };
      await client.patch(PODS, key, { type: 'merge', body }, { subresource: 'status', signal });
      await client.delete(PODS, key, { signal });
    };
    const letGo = (name: string): Promise<unknown> => {
      const patch = { type: 'merge', body: { metadata: { finalizers: null } } } as const;
      return client.patch(PODS, { namespace: 'default', name }, patch, { signal });
    };
    const names = Array.from({ length: STUCK }, (_, at) => `done-${at}`);
    await Promise.all(names.map((name) => limiter.run(() => strand(name), signal)));
    const gone = countTo(STUCK, 'Pods that are gone');
    const { resourceVersion } = (await client.list(PODS, { signal })).metadata;
    const end = new AbortController();
    void followPods(client, { resourceVersion, signal: end.signal }, ({ type, object }) => {
      if (type === 'DELETED') gone.add(object.metadata.name);
    });
    const before = await lab.countRequests();
    const beganMs = performance.now();
    const working =
      side === 'ours' ? lab.startAgent(NODE) : Promise.all(names.map((name) => limiter.run(() => letGo(name), signal)));
    await gone.reached;
    const tookMs = performance.now() - beganMs;
    await working;
    end.abort();
    const after = await lab.countRequests();
    // What the bench itself asks is not counted: it lists before, and watches.
    const calls = [...after].reduce(
      (sum, [key, count]) =>
        /^(PUT|PATCH|DELETE|GET|POST) pods/.test(key) ? sum + count - (before.get(key) ?? 0) : sum,
      0,
    );
    return { 'start of the agent to no Pod left, s': tookMs / 1_000, 'calls per Pod, 1': calls / STUCK };
  } finally {
    await lab.stop();
  }
};

export const kubeletStuck: Benchmark = {
  id: 'kubelet-stuck',
  about: 'tart-kubelet starts on a real API server with 504 finished Pods of its own that are deleted and not gone',
  figures: [
    { name: 'start of the agent to no Pod left, s', goal: { of: 'ours', is: '<=', value: 2.5 } },
    { name: 'calls per Pod, 1', goal: { of: 'ours', is: '<=', value: 1.1 } },
  ],
  ours: () => measure('ours'),
  peer: () => measure('peer'),
};
