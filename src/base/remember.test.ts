import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rememberLast } from './remember.ts';

test('an answer is made once, until as many others came after it as are kept', () => {
  const asked: string[] = [];
  const length = rememberLast(2, (text: string) => ({ length: asked.push(text) && text.length }));
  const first = length('a');
  assert.equal(length('a'), first, 'the very same');
  length('bb');
  length('ccc');
  assert.deepEqual(length('a'), { length: 1 });
  assert.deepEqual(asked, ['a', 'bb', 'ccc', 'a']);
});

test('a failure is not remembered', () => {
  let tries = 0;
  const flaky = rememberLast(2, (text: string) => {
    tries += 1;
    if (tries === 1) throw new Error('not yet');
    return text;
  });
  assert.throws(() => flaky('a'), /not yet/);
  assert.equal(flaky('a'), 'a');
});
