import assert from 'node:assert/strict';
import test from 'node:test';
import { orderSteps } from './order-steps.ts';
import { BOOTSTRAP_STEPS, RELEASE_STEPS, type Step } from './step.ts';

const step = (id: string, ...needs: readonly string[]): Step => ({
  ...{ id, needs, follows: [], inputs: {}, secretInputs: [], artefacts: [], timeoutMs: 1_000 },
});

const rows: readonly { readonly story: string; readonly steps: readonly Step[]; readonly order: string }[] = [
  { story: 'nothing', steps: [], order: '' },
  { story: 'independent steps stay in their order', steps: [step('b'), step('a')], order: 'b a' },
  { story: 'a step comes after what it needs', steps: [step('a', 'b'), step('b')], order: 'b a' },
  {
    story: 'what two steps need comes once',
    steps: [step('top', 'left', 'right'), step('right', 'base'), step('left', 'base'), step('base')],
    order: 'base left right top',
  },
];

for (const { story, steps, order } of rows) {
  test(`order of steps: ${story}`, () => {
    assert.equal(
      orderSteps(steps)
        .map(({ id }) => id)
        .join(' '),
      order,
    );
  });
}

const refused: readonly { readonly story: string; readonly steps: readonly Step[]; readonly why: RegExp }[] = [
  { story: 'a step that needs itself', steps: [step('a', 'a')], why: /a → a need each other/ },
  {
    story: 'a circle',
    steps: [step('a', 'b'), step('b', 'c'), step('c', 'a')],
    why: /a → b → c → a need each other/,
  },
  { story: 'a need that is not in the list', steps: [step('a', 'b')], why: /a needs b, which is not in the list/ },
  { story: 'the same step twice', steps: [step('a'), step('a')], why: /a is there twice/ },
];

for (const { story, steps, why } of refused) {
  test(`no order for ${story}`, () => {
    assert.throws(() => orderSteps(steps), { code: 'BadStepPlan', message: why });
  });
}

test('a bootstrap begins with the look at what is there and ends with the agent', () => {
  const order = orderSteps(BOOTSTRAP_STEPS).map(({ id }) => id);
  assert.deepEqual([order[0], order[1], order.at(-1)], ['first-look', 'sudo', 'agent']);
  assert.equal(order.length, BOOTSTRAP_STEPS.length);
});

test('a release needs no step of a bootstrap', () => {
  assert.deepEqual(
    orderSteps(RELEASE_STEPS).map(({ id }) => id),
    ['stop-agent'],
  );
});
