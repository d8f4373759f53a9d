import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import test from 'node:test';
import fc from 'fast-check';
import { parseWords, quoteWords } from './shell-words.ts';

const word = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\0', ''));

test('words that were quoted are read back as they were', () => {
  fc.assert(
    fc.property(fc.array(word, { minLength: 1 }), (words) => {
      assert.deepEqual(parseWords(quoteWords(words)), words);
    }),
  );
});

test('a real shell reads the words as they were', () => {
  const words = ["it's", '', '$HOME', '`id`', 'a\nb', '!!', '"', '\\', '*', ' ', "''", 'ü'];
  const script = `printf '%s\\0' ${quoteWords(words)}`;
  const printed = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' });
  assert.deepEqual(printed.split('\0').slice(0, -1), words);
});

for (const line of ['ls -l', "'a' b", "'a", "'a'  'b'", '"a"', "'a';'b'"]) {
  test(`the line ${line} is none of ours`, () => {
    assert.equal(parseWords(line), undefined);
  });
}

test('a NUL is refused, since no argument can hold one', () => {
  assert.throws(() => quoteWords(['a\0b']), { code: 'BadRemoteArgument' });
});
