import assert from 'node:assert/strict';
import test from 'node:test';
import { createChoices, packZeros, parseChoices, unpackZeros } from './choices.ts';

const draw = (count: number, pick: () => number): readonly number[] => Array.from({ length: count }, pick);

test('one seed decides the same twice, another seed differently', () => {
  const decide = (seed: number): readonly number[] => {
    const site = createChoices({ seed }).site('fault');
    return draw(50, () => site.pick(1_000));
  };
  assert.deepEqual(decide(1), decide(1));
  assert.notDeepEqual(decide(1), decide(2));
});

test('decisions at one site do not move those of another', () => {
  const alone = createChoices({ seed: 1 });
  const mixed = createChoices({ seed: 1 });
  mixed.site('other').pick(10);
  assert.deepEqual(
    draw(20, () => alone.site('fault').pick(100)),
    draw(20, () => {
      mixed.site('other').pick(10);
      return mixed.site('fault').pick(100);
    }),
  );
});

test('a recorded list replays without the seed, also after a trip through JSON', () => {
  const first = createChoices({ seed: 3 });
  const decide = ({ site }: ReturnType<typeof createChoices>): readonly number[] =>
    draw(200, () => site('fault').weigh([0.05, 0.05]) * 1_000 + site('latency').pick(10));
  const decided = decide(first);
  const again = createChoices({ replay: parseChoices(JSON.stringify(first.recorded())) });
  assert.deepEqual(decide(again), decided);
  assert.deepEqual(again.recorded(), first.recorded());
});

test('a site that runs out of recorded decisions goes on with 0, and a decision too big for its place is cut', () => {
  const { site } = createChoices({ replay: { fault: [7, -2, 3] } });
  assert.deepEqual(
    draw(6, () => site('fault').pick(5)),
    [4, 0, 0, 3, 0, 0],
  );
  assert.equal(site('unheard of').pick(9), 0);
});

test('weights are probabilities', () => {
  const site = createChoices({ seed: 5 }).site('fault');
  const decided = draw(20_000, () => site.weigh([0.1, 0.3]));
  const share = (value: number): number => decided.filter((one) => one === value).length / decided.length;
  assert.ok(Math.abs(share(1) - 0.1) < 0.01, `first fault: ${share(1)}`);
  assert.ok(Math.abs(share(2) - 0.3) < 0.01, `second fault: ${share(2)}`);
});

const packings: readonly { readonly story: string; readonly values: readonly number[]; readonly packed: number[] }[] = [
  { story: 'nothing happened', values: [0, 0, 0], packed: [] },
  { story: 'one fault after a long calm', values: [...Array.from({ length: 500 }, () => 0), 2], packed: [-500, 2] },
  { story: 'trailing calm costs nothing', values: [1, 0, 5, 0, 0], packed: [1, -1, 5] },
];
for (const { story, values, packed } of packings) {
  test(`a list stays short: ${story}`, () => {
    assert.deepEqual(packZeros(values), packed);
    const unpacked = unpackZeros(packed);
    assert.deepEqual([...unpacked, ...values.slice(unpacked.length)], values);
  });
}

const damaged = [
  '',
  '[]',
  '{"fault":3}',
  '{"fault":[1.5]}',
  '{"fault":["1"]}',
  '{"fault":[-99999999999]}',
  '{"fault":[1',
];
for (const text of damaged) {
  test(`a damaged list is refused: ${text || '(empty)'}`, () => {
    assert.throws(() => parseChoices(text), { name: 'FleetError', kind: 'invalid', code: 'BadChoiceList' });
  });
}
