import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forEachCrashPoint } from '../src/sim/kernel/crash-points.ts';
import type { NetworkOptions } from '../src/sim/kernel/network.ts';
import { createWorld, type World, type WorldOptions } from './widget-world.ts';

const BOUNDS = { maxEvents: 200_000, maxVirtualMs: 3_600_000 };

const STORM: NetworkOptions = {
  default: {
    faults: { 'fail-before': 0.05, 'fail-after': 0.05, 'late-effect': 0.01, 'late-answer': 0.01, duplicate: 0 },
  },
  sites: {
    'kube:body': { faults: { 'fail-before': 0, 'fail-after': 0, cut: 0.02, freeze: 0.01, split: 0.2 } },
  },
};

/** Creates three widgets, resizes nothing, deletes one while the others are being made. */
const playStory = ({ kernel, create, remove }: World): void => {
  kernel.schedule(100, 'create a', () => void create('a', 1));
  kernel.schedule(150, 'create b', () => void create('b', 2));
  kernel.schedule(400, 'remove a', () => void remove('a'));
  kernel.schedule(900, 'create c', () => void create('c', 3));
};

const isStoryTold = (world: World): boolean =>
  world.kernel.nowMs() > 1_000 && world.widgets().length === 2 && world.isConverged();

const runCalm = async (options: Partial<WorldOptions> = {}): Promise<World> => {
  const world = createWorld({ seed: 1, managers: ['manager'], ...options });
  playStory(world);
  const { outcome } = await world.kernel.run({ ...BOUNDS, check: world.check, until: () => isStoryTold(world) });
  assert.equal(outcome, 'until', 'the world did not converge');
  return world;
};

/** Two managers in a storm with kills and freezes, then calm until all is well, then silence. */
const runStorm = async (seed: number, options: Partial<WorldOptions> = {}) => {
  const world = createWorld({ seed, managers: ['m1', 'm2'], network: STORM, ...options });
  const { kernel, check } = world;
  playStory(world);
  for (const name of ['m1', 'm2']) {
    for (let blow = 0; blow < 4; blow += 1) {
      const atMs = 200 + kernel.choose('blow at', 120_000);
      if (kernel.choose('blow kind', 2) === 0) kernel.schedule(atMs, 'blow', () => kernel.restart(name, 1_000));
      else kernel.schedule(atMs, 'blow', () => kernel.pause(name, 5_000 + kernel.choose('pause', 40_000)));
    }
  }
  await kernel.run({ ...BOUNDS, maxVirtualMs: 180_000, check });
  kernel.setFaults('off');
  const { outcome } = await kernel.run({ ...BOUNDS, check, until: () => isStoryTold(world) });
  assert.equal(outcome, 'until', `seed ${seed} did not converge`);
  return world;
};

/** Freezes the leader right after an intent was stored, for longer than its lease. */
const runFrozen = async (mutant?: WorldOptions['mutant']): Promise<World> => {
  const world = createWorld({ seed: 5, managers: ['m1', 'm2'], ...(mutant === undefined ? {} : { mutant }) });
  const { kernel, check, widgets, press } = world;
  kernel.schedule(3_000, 'create a', () => void world.create('a', 1));
  await kernel.run({ ...BOUNDS, check, until: () => widgets().some(({ spec }) => spec?.serial !== undefined) });
  assert.equal(press.pieces.size, 0);
  for (const name of ['m1', 'm2']) if (name === world.leader()) kernel.pause(name, 60_000);
  const { outcome } = await kernel.run({
    ...BOUNDS,
    check,
    until: () => kernel.nowMs() > 90_000 && world.isConverged(),
  });
  assert.equal(outcome, 'until');
  return world;
};

const hashOf = async (world: World): Promise<string> =>
  (await world.kernel.run({ ...BOUNDS, maxVirtualMs: 60_000 })).traceHash;

describe('the controller runtime on the simulation kernel', () => {
  it('converges and then falls silent: no write but the lease', async () => {
    const world = await runCalm();
    await world.kernel.run({ ...BOUNDS, maxVirtualMs: 10_000, check: world.check });
    const before = world.api.writes.length;
    await world.kernel.run({ ...BOUNDS, maxVirtualMs: 600_000, check: world.check });
    const after = world.api.writes.slice(before).filter(({ path }) => !path.includes('/leases/'));
    assert.deepEqual(after, []);
  });

  it('survives being killed before and after every effect, and between any two awaits', async () => {
    const points = await forEachCrashPoint({ actor: 'manager', restartAfterMs: 2_000 }, async (crash) => {
      const { kernel } = await runCalm(crash === undefined ? {} : { crash });
      return kernel;
    });
    assert.ok(points > 80, `${points} crash points`);
  });

  it('keeps its promises with two managers in storms of faults, kills and freezes, and every seed runs the same twice', async () => {
    for (let seed = 1; seed <= 15; seed += 1) {
      const first = await hashOf(await runStorm(seed));
      const second = await hashOf(await runStorm(seed));
      assert.equal(first, second, `seed ${seed} ran differently the second time`);
    }
  });

  it('runs the same again from its recorded choices alone', async () => {
    const first = await runStorm(3);
    const hash = await hashOf(first);
    const second = await runStorm(999, { replay: first.kernel.choices() });
    assert.equal(await hashOf(second), hash);
  });

  it('is a harness that can fail: a controller that acts before its intent is stored is caught', async () => {
    await assert.rejects(runCalm({ mutant: 'acts-before-intent' }), /before its intent was stored/);
  });

  it('is a harness that can fail: a controller that forgets to scrap is caught', async () => {
    await assert.rejects(runCalm({ mutant: 'forgets-to-scrap' }), /left behind/);
  });

  it('lets a leader that was frozen past its lease do nothing more when it wakes', async () => {
    const world = await runFrozen();
    assert.equal(world.press.violation, undefined);
  });

  it('is a harness that can fail: a frozen leader that does not ask for permission is caught', async () => {
    await assert.rejects(runFrozen('acts-without-permit'), /acts while m\d leads/);
  });
});
