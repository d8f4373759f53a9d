import assert from 'node:assert/strict';
import test from 'node:test';
import type { CrashPoint } from './actors.ts';
import { forEachCrashPoint } from './crash-points.ts';
import type { Kernel, KernelOptions } from './kernel.ts';
import { type ClientKind, createCounterWorld, GOAL, STORMY } from './testing/counter-world.ts';

const PLAN = { actor: 'client', restartAfterMs: 500 };

const scenario =
  (client: ClientKind, options: KernelOptions) =>
  async (crash: CrashPoint | undefined): Promise<Kernel> => {
    const world = createCounterWorld(client, { ...options, ...(crash && { crash }) });
    await world.run();
    assert.equal(world.disk.done, GOAL, 'the client never finished');
    assert.equal(world.server.value, GOAL, 'the server counted something else');
    return world.kernel;
  };

test('a careful client survives a crash at every point, in calm and in storm', async () => {
  const calm = await forEachCrashPoint(PLAN, scenario('careful', { seed: 1 }));
  assert.equal(calm, 2 * GOAL + (1 + GOAL), 'before and after each effect, and instead of the start and each answer');
  let stormy = 0;
  for (let seed = 0; seed < 5; seed += 1) {
    stormy += await forEachCrashPoint(PLAN, scenario('careful', { seed, network: STORMY }));
  }
  assert.ok(stormy > 5 * calm, `${stormy} points: a storm means retries, and so more of them`);
});

test('a naive client is caught exactly after its first effect, and the point is named', async () => {
  await assert.rejects(forEachCrashPoint(PLAN, scenario('naive', { seed: 1 })), {
    code: 'CrashNotSurvived',
    message: /client killed after-effect 0: the server counted something else/,
  });
  const before = await forEachCrashPoint({ ...PLAN, kinds: ['before-effect'] }, scenario('naive', { seed: 1 }));
  assert.equal(before, GOAL, 'a crash before an effect does a naive client no harm');
});

test('a crash strikes at its very index', async () => {
  for (let index = 0; index < GOAL; index += 1) {
    for (const kind of ['before-effect', 'after-effect'] as const) {
      const world = createCounterWorld('careful', { seed: 1, crash: { ...PLAN, kind, index } });
      const atCrash: number[] = [];
      const until = (): boolean => {
        if (atCrash.length === 0 && world.kernel.hasCrashed()) atCrash.push(world.server.value);
        return false;
      };
      await world.kernel.run({ maxEvents: 1_000, maxVirtualMs: 60_000, until });
      assert.deepEqual(atCrash, [kind === 'before-effect' ? index : index + 1], `${kind} ${index}`);
    }
  }
});

test('a scenario that never reaches its crash point is reported, not passed', async () => {
  const blind = async (): Promise<Kernel> => {
    const world = createCounterWorld('careful', { seed: 1 });
    await world.run();
    return world.kernel;
  };
  await assert.rejects(forEachCrashPoint(PLAN, blind), /never came to this point/);
});
