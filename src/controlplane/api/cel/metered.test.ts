import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createCelCompiler, createMeter } from './metered.ts';
import { toCelValue } from './values.ts';

const compiler = createCelCompiler((environment) => environment);
const run = (expression: string, scope: object = {}, stepsMax?: number): unknown =>
  compiler.compile(expression)({ ...Object(toCelValue(scope)) }, createMeter(stepsMax));

describe('an expression whose steps are counted', () => {
  const rows = [
    { expression: 'xs.all(x, x > 0)', scope: { xs: [1, 2] }, result: true },
    { expression: 'xs.exists(x, x > 1)', scope: { xs: [1, 2] }, result: true },
    { expression: 'xs.exists_one(x, x > 0)', scope: { xs: [1, 2] }, result: false },
    { expression: 'xs.filter(x, x > 1).size() == 1', scope: { xs: [1, 2] }, result: true },
    { expression: 'xs.map(x, x + 1) == [2, 3]', scope: { xs: [1, 2] }, result: true },
    { expression: 'xs.map(x, x > 1, x + 1) == [3]', scope: { xs: [1, 2] }, result: true },
    { expression: 'xs.all(x, x.ys.exists(y, y == x.y))', scope: { xs: [{ y: 1, ys: [1] }] }, result: true },
    { expression: 'xs.map(x, x.ys.map(y, y + 1)) == [[2]]', scope: { xs: [{ ys: [1] }] }, result: true },
    { expression: "m.all(k, k.startsWith('a'))", scope: { m: { a: 1, ab: 2 } }, result: true },
    { expression: 'a.?b == c.?b', scope: { a: {}, c: {} }, result: true },
    { expression: 'a.?b == c.?b', scope: { a: { b: { d: [1] } }, c: { b: { d: [1] } } }, result: true },
    { expression: 'a.?b == c.?b', scope: { a: { b: 1 }, c: {} }, result: false },
    { expression: 'x + 1 == 2', scope: { x: 1 }, result: true },
    { expression: 'x + 0.5 == 1.0', scope: { x: 0.5 }, result: true },
  ];
  for (const { expression, scope, result } of rows) {
    it(`means the same: ${expression}`, () => assert.equal(run(expression, scope), result));
  }

  const xs = Array.from({ length: 1_000 }, (_, at) => at);
  const endless = [
    'xs.all(a, xs.all(b, xs.all(c, xs.all(d, a + b + c + d >= 0))))',
    'xs.map(a, xs.map(b, xs.map(c, a + b + c))).size() > 0',
    'xs.exists(a, xs.exists(b, xs.exists(c, a + b + c < 0))) || true',
    'xs.filter(a, xs.filter(b, xs.filter(c, true).size() > 0).size() > 0).size() > 0',
  ];
  for (const expression of endless) {
    it(`ends: ${expression}`, () => assert.throws(() => run(expression, { xs }), { code: 'CelBudgetSpent' }));
  }

  it('shares one meter among those that belong together', () => {
    const meter = createMeter(5);
    const evaluate = compiler.compile('xs.all(x, x > 0)');
    assert.equal(evaluate({ xs: [1n, 2n, 3n] }, meter), true);
    assert.throws(() => evaluate({ xs: [1n, 2n, 3n] }, meter), { code: 'CelBudgetSpent' });
  });

  for (const expression of ['1 +', 'noSuch(1)', "'a' + 1"]) {
    it(`does not compile: ${expression}`, () => assert.throws(() => compiler.compile(expression)));
  }
});
