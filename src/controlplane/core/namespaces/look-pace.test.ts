import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextLookMs } from './look-pace.ts';

const rows = [
  { story: 'at once', endingMs: 0, is: 5_000 },
  { story: 'with a clock that was set back since', endingMs: -60_000, is: 5_000 },
  { story: 'after half a minute', endingMs: 30_000, is: 15_000 },
  { story: 'after a day', endingMs: 86_400_000, is: 60_000 },
  { story: 'after a day in a world that folds time', endingMs: 86_400_000, mostMs: 3_600_000, is: 3_600_000 },
];

for (const { story, endingMs, mostMs, is } of rows) {
  test(`what is left in a namespace is looked at again: ${story}`, () => {
    assert.equal(nextLookMs(endingMs, mostMs), is);
  });
}

test('a namespace that stays for an hour costs no more than a look a minute, and a few at first', () => {
  let looks = 0;
  for (let atMs = 0; atMs < 3_600_000; atMs += nextLookMs(atMs)) looks += 1;
  assert.ok(looks <= 70, `${looks} looks`);
});
