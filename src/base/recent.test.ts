import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRecent } from './recent.ts';

test('a value is the one that was seen before under its key', () => {
  const share = createRecent<object>(2);
  const first = {};
  assert.equal(share('a', first), first);
  assert.equal(share('a', {}), first);
  assert.notEqual(share('b', {}), first);
});

test('what was seen least recently is forgotten first, however old it is', () => {
  const share = createRecent<object>(2);
  const [a, b] = [{}, {}];
  share('a', a);
  share('b', b);
  share('a', {});
  share('c', {});
  assert.equal(share('a', {}), a);
  assert.notEqual(share('b', {}), b);
});
