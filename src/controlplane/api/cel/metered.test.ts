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
    { expression: 'xs.map(x, (x + 1) * 2) == [4, 6]', scope: { xs: [1, 2] }, result: true },
    { expression: 'xs.all(x, (x + 1) * 2 > 3)', scope: { xs: [1, 2] }, result: true },
    { expression: 'xs.exists(x, x == 3 && (x > 1 ? true : false)) || true', scope: { xs: [1] }, result: true },
    { expression: 'xs.exists_one(x, -x < -1 || (x > 5))', scope: { xs: [1, 2] }, result: true },
    { expression: 'xs.all(x, !(x > 2) ? true : false)', scope: { xs: [1, 2] }, result: true },
    { expression: "xs.all(x, x.matches('^a+$'))", scope: { xs: ['a', 'aa'] }, result: true },
    { expression: "('x' + 'y').matches('xy') && !'b'.matches('a')", scope: {}, result: true },
    { expression: "x . matches ( '(?i)A' )", scope: { x: 'a' }, result: true },
    { expression: 'a || b && !c ? x + 1 == 2 : -x > 3', scope: { a: false, b: true, c: false, x: 1 }, result: true },
    { expression: 'm["a b"] == 1 && m[k] == 1 && k in m', scope: { m: { 'a b': 1 }, k: 'a b' }, result: true },
    { expression: '[1, 2][0] + {"a": 1}["a"] == 2', scope: {}, result: true },
    { expression: `r'a\\b' + '''c''' + "\\u00e9" == 'a\\\\bcé'`, scope: {}, result: true },
    { expression: 'm.?a.orValue(3) + m.?b.orValue(4) == 5', scope: { m: { a: 1 } }, result: true },
    { expression: 'has(m.a) && !has(m.b)', scope: { m: { a: 1 } }, result: true },
    { expression: '10 - (3 - 2) == 9 && 2 * (3 + 1) == 8 && 7 / 2 * 2 == 6', scope: {}, result: true },
    { expression: "'a,b'.split(',').map(s, s.upperAscii()).join('-') == 'A-B'", scope: {}, result: true },
    { expression: "timestamp('2026-01-01T00:00:00Z') < timestamp('2026-01-02T00:00:00Z')", scope: {}, result: true },
    { expression: 'type(x) == int && string(x) == "1"', scope: { x: 1 }, result: true },
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

  it('ends a pattern over a long text', () => {
    const text = 'a'.repeat(100_000);
    assert.throws(() => run("x.matches('(a?){500}b')", { x: text }), { code: 'CelBudgetSpent' });
  });

  it('answers at once where JavaScript would go back for ever', () => {
    assert.equal(run("x.matches('^(a+)+$')", { x: `${'a'.repeat(50)}b` }), false);
  });

  it('finds no way around by a comment', () => {
    assert.equal(run("x // matches\n.matches('^(a+)+$')", { x: `${'a'.repeat(50)}b` }), false);
  });

  const many = Array.from({ length: 20_000 }, (_, at) => at);
  const long = 'a'.repeat(100_000);
  const large: readonly (readonly [expression: string, scope: object])[] = [
    ['xs.all(x, x in xs)', { xs: many }],
    ['xs.all(x, (xs + xs).size() > 0)', { xs: many }],
    ['xs.all(x, xs == ys)', { xs: many, ys: [...many] }],
    ['xs.all(x, a == b)', { xs: many, a: { deep: many }, b: { deep: [...many] } }],
    ['xs.all(x, !s.contains("b"))', { xs: many, s: long }],
    ['xs.all(x, s + "b" != "")', { xs: many, s: long }],
    ['xs.all(x, s.split("").size() > 1)', { xs: many, s: long }],
    ['xs.all(x, size(s) > 1)', { xs: many, s: long }],
    ['xs.all(x, s.size() > 1)', { xs: many, s: long }],
  ];
  for (const [expression, scope] of large) {
    it(`ends over values that are large: ${expression}`, () =>
      assert.throws(() => run(expression, scope), { code: 'CelBudgetSpent' }));
  }

  it('has enough for what people write about small values', () => {
    const xs = Array.from({ length: 200 }, (_, at) => ({ name: `item-${at}` }));
    assert.equal(run('xs.all(x, xs.exists_one(y, x.name == y.name))', { xs }), true);
    assert.equal(run('many.all(x, size(many) > 1 && many.size() > 1)', { many }), true);
    assert.equal(run('names.all(x, x in names)', { names: xs.map(({ name }) => name) }), true);
  });

  it('shares one meter among those that belong together', () => {
    const meter = createMeter(5);
    const evaluate = compiler.compile('xs.all(x, x > 0)');
    assert.equal(evaluate({ xs: [1n, 2n, 3n] }, meter), true);
    assert.throws(() => evaluate({ xs: [1n, 2n, 3n] }, meter), { code: 'CelBudgetSpent' });
  });

  for (const expression of ['1 +', 'noSuch(1)', "'a' + 1", "'a'.matches('(')", "x.matches('(?=a)')"]) {
    it(`does not compile: ${expression}`, () => assert.throws(() => compiler.compile(expression)));
  }
});
