import assert from 'node:assert/strict';
import test from 'node:test';
import { forEachCrashPoint } from '../sim/kernel/crash-points.ts';
import { createMacLife, type MacLife, type MacLifeOptions } from './testing/mac-life.ts';

const STORMY = {
  default: {
    lateMs: 5_000,
    faults: { 'fail-before': 0.05, 'fail-after': 0.05, 'late-effect': 0.05, 'late-answer': 0.05, duplicate: 0.05 },
  },
};

/** Runs the life to its end and asserts how it must have ended. */
const live = async (options: MacLifeOptions): Promise<MacLife & { readonly traceHash: string }> => {
  const life = createMacLife(options);
  const { outcome, traceHash } = await life.run();
  assert.equal(outcome, 'idle');
  assert.equal(life.server().name, 'pool-back');
  assert.ok(life.server().wipes >= 1);
  assert.deepEqual(life.runningAgents(), []);
  assert.ok(life.everRan(), 'the agent ran before the release');
  return { ...life, traceHash };
};

test('a Mac is claimed, bootstrapped and given back wiped', async () => {
  const life = await live({ seed: 1 });
  assert.equal(life.server().wipes, 1);
  assert.deepEqual(
    life.cloud.audit().map(({ verb, argument, outcome }) => `${verb} ${argument} ${outcome}`),
    ['rename mac-1 accepted', 'rename releasing accepted', 'reinstall default accepted', 'rename pool-back accepted'],
  );
});

for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
  test(`in a storm a Mac comes back wiped, and seed ${seed} does the same twice`, async () => {
    const first = await live({ seed, network: STORMY });
    const second = await live({ seed, network: STORMY });
    assert.equal(first.traceHash, second.traceHash);
    assert.deepEqual(first.cloud.audit(), second.cloud.audit());
  });
}

test('a client killed before and after every effect still brings the Mac back wiped', async () => {
  const tried = await forEachCrashPoint(
    { actor: 'client', restartAfterMs: 10_000, kinds: ['before-effect', 'after-effect'] },
    async (crash) => (await live({ seed: 3, crash })).kernel,
  );
  assert.ok(tried >= 50, `only ${tried} points`);
});

test('the check of this world can fail: a pool name given before the wipe is found', async () => {
  const life = createMacLife({ seed: 1 });
  life.kernel.schedule(60_000, 'somebody forgets the wipe', () =>
    life.cloud.as('careless').rename(life.server(), 'pool-too-early'),
  );
  await assert.rejects(life.run(), /pool-too-early without a wipe/);
});
