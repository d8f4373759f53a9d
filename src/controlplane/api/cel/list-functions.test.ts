import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCelCompiler, createMeter } from './metered.ts';
import { toCelValue } from './values.ts';

const evaluate = (expression: string, self: unknown): unknown =>
  createCelCompiler((environment) => environment).compile(expression)({ self: toCelValue(self) }, createMeter());

const rows: readonly { readonly expression: string; readonly self: unknown; readonly is: unknown }[] = [
  { expression: 'self.isSorted()', self: [1, 2, 2], is: true },
  { expression: 'self.isSorted()', self: ['a', 'c', 'b'], is: false },
  { expression: 'self.isSorted()', self: [], is: true },
  { expression: 'self.sum()', self: [1, 2, 3], is: 6n },
  { expression: 'self.sum()', self: [0.5, 1.25], is: 1.75 },
  { expression: 'self.sum() == 0', self: [], is: true },
  { expression: 'self.min()', self: [3, 1, 2], is: 1n },
  { expression: 'self.max()', self: ['a', 'b'], is: 'b' },
  { expression: 'self.indexOf(2)', self: [1, 2, 2], is: 1n },
  { expression: 'self.lastIndexOf(2)', self: [1, 2, 2], is: 2n },
  { expression: 'self.indexOf("x")', self: ['a'], is: -1n },
];
for (const { expression, self, is } of rows) {
  test(`${expression} of ${JSON.stringify(self)} is ${is}`, () => assert.equal(evaluate(expression, self), is));
}

const refusals: readonly { readonly expression: string; readonly self: unknown; readonly message: RegExp }[] = [
  { expression: 'self.min()', self: [], message: /min called on empty list/ },
  { expression: 'self.isSorted()', self: [{ a: 1 }, { a: 2 }], message: /no order/ },
  { expression: 'self.sum()', self: ['a'], message: /lists of numbers/ },
];
for (const { expression, self, message } of refusals) {
  test(`${expression} of ${JSON.stringify(self)} is refused`, () => {
    assert.throws(() => evaluate(expression, self), { message });
  });
}
