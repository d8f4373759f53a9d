/** How long the end of a Pod takes: the grace is the Pod's, from its deletion on, and may get shorter. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PODS } from '../kube/types/core.ts';
import type { Container, PodSpec } from '../kube/types/pod.ts';
import { createKubeletWorld, type KubeletWorld } from './kubelet-world.ts';
import { createPod, deletePod, isReady, runFor, runUntil } from './testing/kubelet-run.ts';

/** A Pod whose end takes as long as it may. */
const stage = async (
  seed: number,
  { spec, container, http = () => 200 }: Wanted,
): Promise<{ readonly world: KubeletWorld; readonly sinceMs: () => number }> => {
  const world = createKubeletWorld({
    seed,
    adjust: (ports) => ({ ...ports, dial: { ...ports.dial, http: async () => http() } }),
  });
  const lifecycle = { preStop: { sleep: { seconds: 100_000 } } };
  createPod(world, { atMs: 1_000, name: 'pod' }, { spec, container: { lifecycle, ...container } });
  await runUntil(world, 'it is ready', () => isReady(world.pod('pod')));
  const beganMs = world.kernel.nowMs();
  return { world, sinceMs: () => world.kernel.nowMs() - beganMs };
};

interface Wanted {
  readonly spec: Partial<PodSpec>;
  readonly container?: Partial<Container>;
  readonly http?: () => number;
}

const isGone = (world: KubeletWorld) => (): boolean => world.pod('pod') === undefined;

/** Until it holds, however long: a run of the kernel has its limit. */
const runLong = async (world: KubeletWorld, untilMs: number, holds: () => boolean): Promise<void> => {
  while (!holds() && world.kernel.nowMs() < untilMs) await runFor(world, 10_000);
};

const evict = ({ operator }: KubeletWorld, gracePeriodSeconds: number): void =>
  operator.create('/api/v1/namespaces/default/pods/pod/eviction', {
    ...{ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'pod' }, deleteOptions: { gracePeriodSeconds } },
  });

describe('the grace of a Pod', () => {
  const rows: readonly { story: string; shorten: (world: KubeletWorld) => void }[] = [
    { story: 'that is deleted again with one second is over in seconds', shorten: (world) => evict(world, 1) },
    { story: 'that is deleted by force is over at once', shorten: ({ operator }) => operator.force(PODS, 'pod') },
  ];
  for (const [at, { story, shorten }] of rows.entries())
    it(`of half an hour, ${story}`, async () => {
      const { world, sinceMs } = await stage(401 + at, { spec: { terminationGracePeriodSeconds: 1_800 } });
      deletePod(world, { atMs: 0, name: 'pod' });
      await runFor(world, 10_000);
      shorten(world);
      await runUntil(world, 'it is gone', isGone(world));
      assert.ok(sinceMs() < 30_000, `${sinceMs()} ms`);
    });

  it('that is shortened leaves a hook the rest of it: it is not begun anew', async () => {
    const lifecycle = { preStop: { sleep: { seconds: 60 } } };
    const spec = { terminationGracePeriodSeconds: 1_800 };
    const { world, sinceMs } = await stage(403, { spec, container: { lifecycle } });
    deletePod(world, { atMs: 0, name: 'pod' });
    await runFor(world, 40_000);
    evict(world, 600);
    await runUntil(world, 'it is gone', isGone(world));
    assert.ok(sinceMs() >= 60_000 && sinceMs() < 75_000, `${sinceMs()} ms`);
  });

  it('of three hours ends after three hours: no limit of ours is shorter, and none begins it anew', async () => {
    const { world, sinceMs } = await stage(404, { spec: { terminationGracePeriodSeconds: 10_800 } });
    deletePod(world, { atMs: 0, name: 'pod' });
    await runLong(world, 20_000_000, isGone(world));
    assert.equal(world.pod('pod'), undefined);
    assert.ok(sinceMs() >= 10_795_000 && sinceMs() < 10_840_000, `${sinceMs()} ms`);
  });

  it('goes on where it was when the agent is started again', async () => {
    const { world, sinceMs } = await stage(405, { spec: { terminationGracePeriodSeconds: 600 } });
    deletePod(world, { atMs: 0, name: 'pod' });
    await runFor(world, 400_000);
    world.kernel.restart('kubelet', 1_000);
    await runUntil(world, 'it is gone', isGone(world));
    assert.ok(sinceMs() >= 595_000 && sinceMs() < 630_000, `${sinceMs()} ms`);
  });

  it('is the one of the liveness probe that ends it, where that has one', async () => {
    let status = 200;
    const livenessProbe = { httpGet: { port: 80 }, periodSeconds: 1, terminationGracePeriodSeconds: 5 };
    const spec = { terminationGracePeriodSeconds: 1_800 };
    const { world, sinceMs } = await stage(406, { spec, container: { livenessProbe }, http: () => status });
    status = 500;
    await runUntil(world, 'it is over', () => world.pod('pod')?.status?.phase === 'Failed');
    assert.ok(sinceMs() < 30_000, `${sinceMs()} ms`);
  });

  it('is cut to seconds when its Mac shuts down', async () => {
    let status = 200;
    const livenessProbe = { httpGet: { port: 80 }, periodSeconds: 1 };
    const spec = { terminationGracePeriodSeconds: 1_800 };
    const { world } = await stage(407, { spec, container: { livenessProbe }, http: () => status });
    status = 500;
    await runFor(world, 10_000);
    world.goDown();
    const leavesMs = world.kernel.nowMs();
    await runUntil(world, 'its end is told', () => world.pod('pod')?.status?.phase === 'Failed');
    assert.ok(world.kernel.nowMs() - leavesMs < 15_000, `${world.kernel.nowMs() - leavesMs} ms`);
  });
});
