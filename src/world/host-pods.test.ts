/** Pods on Macs that go for good, on the virtual clock (003-4). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FINALIZERS } from '../kinds/labels.ts';
import { MACHINES } from '../kinds/machine.ts';
import { NODES, PODS } from '../kube/types/core.ts';
import { forEachCrashPoint } from '../sim/kernel/crash-points.ts';
import type { FleetWorld } from './fleet-world.ts';
import { freeHosts, pass, readyMachines, runUntil, scale, startWorld } from './testing/fleet-run.ts';

const nodeOf = ({ operator }: FleetWorld): string => operator.list(MACHINES)[0]?.metadata.name ?? '';

/** As an agent leaves Pods behind that dies with its Mac: being deleted, and held by its finalizer. */
const strand = (world: FleetWorld, nodeName: string, name: string): void => {
  const finalizers = [FINALIZERS.pod, 'another.dev/keep'];
  const spec = { nodeName, containers: [{ name: 'vm', image: 'macos' }], terminationGracePeriodSeconds: 0 };
  world.operator.apply({
    resource: PODS,
    object: { metadata: { name, namespace: 'default', finalizers }, ...{ spec } },
  });
  world.operator.remove(PODS, name);
};

const finalizersOf = ({ operator }: FleetWorld, name: string) =>
  operator.list(PODS).find(({ metadata }) => metadata.name === name)?.metadata.finalizers ?? [];

const isLetGo = (world: FleetWorld, name: string): boolean =>
  !finalizersOf(world, name).includes(FINALIZERS.pod) && finalizersOf(world, name).includes('another.dev/keep');

const held = ({ operator }: FleetWorld): number =>
  operator.list(PODS).filter(({ metadata }) => metadata.finalizers?.includes(FINALIZERS.pod)).length;

/** As in fleet-world.test.ts: MACFLEET_CRASH_POINTS=all tries every point, which takes long. */
const EVERY = process.env['MACFLEET_CRASH_POINTS'] === 'all' ? 1 : 120;

describe('Pods of a Mac that is gone for good', () => {
  it('003-4 lose our finalizer, and no other, once the wipe of their Mac has begun', async () => {
    const world = startWorld({ seed: 71, macs: 1 });
    await runUntil(world, 'ready', () => readyMachines(world) === 1);
    const name = nodeOf(world);
    scale(world, 0);
    await runUntil(world, 'no Node', () => world.operator.list(NODES).length === 0);
    const stuck = Array.from({ length: 40 }, (_, at) => `stuck-${at}`);
    for (const pod of stuck) strand(world, name, pod);
    await runUntil(world, 'let go', () => held(world) === 0);
    assert.ok(stuck.every((pod) => isLetGo(world, pod)));
  });

  it('003-4 keep it while their Mac is held: it may still run them', async () => {
    const world = startWorld({ seed: 72, macs: 1 });
    await runUntil(world, 'ready', () => readyMachines(world) === 1);
    const name = nodeOf(world);
    world.operator.merge(MACHINES, name, { metadata: { annotations: { 'cluster.x-k8s.io/paused': '' } } });
    await pass(world, 30_000);
    strand(world, name, 'stuck');
    await pass(world, 60_000);
    assert.ok(finalizersOf(world, 'stuck').includes(FINALIZERS.pod));
  });

  it('003-4 lose it also when the manager is killed before or after any effect', async () => {
    const kinds = ['before-effect', 'after-effect'] as const;
    const plan = { actor: 'manager', restartAfterMs: 5_000, kinds, every: EVERY };
    const points = await forEachCrashPoint(plan, async (crash) => {
      const world = startWorld({ seed: 73, macs: 1, ...(crash === undefined ? {} : { crash }) });
      await runUntil(world, 'ready', () => readyMachines(world) === 1);
      const name = nodeOf(world);
      scale(world, 0);
      await runUntil(world, 'no Node', () => world.operator.list(NODES).length === 0);
      strand(world, name, 'stuck');
      await runUntil(world, 'free', () => freeHosts(world) === 1 && isLetGo(world, 'stuck'));
      return world.kernel;
    });
    assert.ok(points > 1, `${points} points`);
  });
});
