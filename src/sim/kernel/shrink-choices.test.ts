import assert from 'node:assert/strict';
import test from 'node:test';
import { type ChoiceList, unpackZeros } from './choices.ts';
import { shrinkChoices } from './shrink-choices.ts';
import { createCounterWorld, GOAL, STORMY } from './testing/counter-world.ts';

test('only the decisions that matter are left, at their places', async () => {
  const list: ChoiceList = { order: [3, 1, 4, 1, 5], fault: [-2, 1, 2, -7, 3, 1], latency: [9, 9, 9] };
  const failsWith = async ({ fault = [], order = [] }: ChoiceList): Promise<boolean> =>
    unpackZeros(fault)[11] === 3 && unpackZeros(order)[2] === 4;
  assert.deepEqual(unpackZeros(list['fault'] ?? [])[11], 3);
  assert.deepEqual(await shrinkChoices(list, { failsWith, triesMax: 1_000 }), { order: [-2, 4], fault: [-11, 3] });
});

const FAULTS = 'fault counter:add by client';

test('failures of the naive client shrink to a few faults, none of which can be left out', async () => {
  const failsWith = async (replay: ChoiceList): Promise<boolean> => {
    const world = createCounterWorld('naive', { seed: 'shrink', network: STORMY, replay });
    await world.run();
    return world.server.value !== GOAL;
  };
  let failures = 0;
  for (let seed = 0; seed < 10; seed += 1) {
    const world = createCounterWorld('naive', { seed, network: STORMY });
    await world.run();
    if (world.server.value === GOAL) continue;
    failures += 1;
    const small = await shrinkChoices(world.kernel.choices(), { failsWith, triesMax: 500 });
    const faults = unpackZeros(small[FAULTS] ?? []);
    const [places, others] = [faults.flatMap((value, at) => (value === 0 ? [] : [at])), Object.keys(small).length - 1];
    assert.ok(await failsWith(small), `seed ${seed}: the small list does not fail`);
    assert.ok(places.length >= 1 && places.length + others <= 3, `seed ${seed}: ${JSON.stringify(small)}`);
    for (const at of places) assert.ok(!(await failsWith({ ...small, [FAULTS]: faults.with(at, 0) })));
  }
  assert.ok(failures >= 5, `only ${failures} of 10 seeds fail`);
});

test('the number of tries is bounded, and the best list so far is returned', async () => {
  let tries = 0;
  const failsWith = async (list: ChoiceList): Promise<boolean> => {
    tries += 1;
    return (list['a'] ?? []).length > 0;
  };
  const list = { a: Array.from({ length: 100 }, () => 1), b: [1] };
  const small = await shrinkChoices(list, { failsWith, triesMax: 5 });
  assert.equal(tries, 5);
  assert.equal(await failsWith(small), true);
});
