import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { compilePattern } from './pattern.ts';

const matches = (pattern: string, text: string): boolean => compilePattern(pattern).test(text);

describe('a pattern', () => {
  const rows: readonly (readonly [pattern: string, yes: readonly string[], no: readonly string[]])[] = [
    ['abc', ['abc', 'xabcx'], ['ab', 'aBc']],
    ['^a.c$', ['abc', 'a😀c', 'a\rc'], ['a\nc', 'xabc']],
    ['(?s)^a.c$', ['a\nc'], ['ac']],
    ['(?m)^b$', ['a\nb\nc'], ['a\nbb']],
    ['(?i)stra(?-i:SS)e', ['STRASSe', 'straSSE'], ['strasse']],
    ['(?i)[^a]', ['b'], ['a', 'A']],
    ['(?i)k', ['\u212a'], ['l']],
    ['^(?:a|bc|)d$', ['ad', 'bcd', 'd'], ['abcd']],
    ['^(?P<year>\\d{4})-(?<month>\\d\\d)$', ['2026-11'], ['226-11']],
    ['^a{2,3}$', ['aa', 'aaa'], ['a', 'aaaa']],
    ['^a{2,}$', ['aa', 'aaaaaa'], ['a']],
    ['^a{,2}$', ['a{,2}'], ['aa']],
    ['^x{0}y$', ['y'], ['xy']],
    ['^a*?b+?c??$', ['ab', 'bbc'], ['a']],
    ['^[a-c\\d_.-]+$', ['a1_-.c'], ['d']],
    ['^[]a]+$', [']a'], ['b']],
    ['^[^]a]+$', ['b'], [']']],
    ['^[[:alpha:][:^ascii:]]+$', ['aé'], ['1']],
    ['^[\\w-]+$', ['a-b'], ['a.b']],
    ['^\\pL\\p{Lu}\\P{L}\\p{^L}$', ['éÉ1!'], ['ééé1']],
    ['^\\p{Greek}+$', ['αβγ'], ['abc']],
    ['^\\x41\\x{1F600}\\101\\n\\t$', ['A😀A\n\t'], ['A']],
    ['^\\Qa.b*\\E+$', ['a.b*', 'a.b***'], ['aXb*']],
    ['\\bfoo\\b', ['a foo b', 'foo'], ['foods']],
    ['\\Boo\\z', ['foo'], ['oo', 'foos']],
    ['\\Aab', ['abc'], ['cab']],
    ['^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$', ['a-b.c'], ['a-.c', '-a']],
    ['', ['', 'x'], []],
    ['{', ['a{'], ['a']],
    ['a|', ['', 'a'], []],
    ['^\\/\\-\\_\\@$', ['/-_@'], ['x']],
  ];
  for (const [pattern, yes, no] of rows) {
    it(`means what RE2 says: ${pattern}`, () => {
      for (const text of yes) assert.equal(matches(pattern, text), true, JSON.stringify(text));
      for (const text of no) assert.equal(matches(pattern, text), false, JSON.stringify(text));
    });
  }

  const refused: readonly (readonly [pattern: string, why: RegExp])[] = [
    ['(a)\\1', /invalid escape sequence: `\\1`/],
    ['(?=a)', /invalid or unsupported Perl syntax: `\(\?=`/],
    ['(?!a)', /invalid or unsupported Perl syntax: `\(\?!`/],
    ['(?<=a)b', /invalid or unsupported Perl syntax: `\(\?<`/],
    ['a**', /invalid nested repetition operator/],
    ['a*+', /invalid nested repetition operator/],
    ['*a', /missing argument to repetition operator: `\*`/],
    ['a|*', /missing argument to repetition operator/],
    ['(a', /missing closing \)/],
    ['a)', /unexpected \)/],
    ['[a', /missing closing \]/],
    ['[b-a]', /invalid character class range: `b-a`/],
    ['[[:nope:]]', /invalid character class range/],
    ['\\p{Nope}', /invalid character class range/],
    ['a{1001}', /invalid repeat count/],
    ['a{3,2}', /invalid repeat count/],
    ['(a{1000}){1000}', /expression too large/],
    ['a\\', /trailing backslash/],
    ['\\k<x>', /invalid escape sequence/],
    ['\\u0041', /invalid escape sequence/],
    [`${'('.repeat(300)}a${')'.repeat(300)}`, /nests too deeply/],
  ];
  for (const [pattern, why] of refused) {
    it(`is refused as by RE2: ${pattern.slice(0, 40)}`, () =>
      assert.throws(() => compilePattern(pattern), { code: 'BadPattern', message: why }));
  }

  const evil: readonly (readonly [pattern: string, text: string])[] = [
    ['^(a+)+$', `${'a'.repeat(50)}b`],
    ['^(a|aa)+$', `${'a'.repeat(5_000)}b`],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'.repeat(5_000)],
    ['(x+x+)+y', 'x'.repeat(5_000)],
    ['((((((((((a+)+)+)+)+)+)+)+)+)+)+$', `${'a'.repeat(500)}b`],
  ];
  for (const [pattern, text] of evil) {
    it(`takes time by length alone: ${pattern}`, () => {
      let states = 0;
      const found = compilePattern(pattern).test(text, (more) => {
        states += more;
      });
      assert.equal(found, false);
      assert.ok(states <= (text.length + 1) * 2 * (pattern.length + 1), `${states} states`);
    });
  }

  it('is given up when text and pattern are too large together', () => {
    const large = compilePattern('(a?){900}b');
    assert.throws(() => large.test('a'.repeat(200_000)), { code: 'PatternTooCostly' });
  });
});

describe('a pattern that JavaScript reads alike', () => {
  const char = fc.constantFrom('a', 'b', '0', '_', ' ', '\n', '-');
  const single = fc.constantFrom('a', 'b', '0', '_', '-', '.', '\\d', '\\D', '\\w', '\\W', '[ab]', '[^a0]', '[a-b_-]');
  const sign = fc.constantFrom('', '*', '+', '?', '{2}', '{1,2}', '{0,}', '*?');
  // What repeats a repetition keeps JavaScript busy, even over short texts.
  const mayRepeat = (inner: string): boolean => !/[*+?{]/.test(inner.replaceAll('(?:', ''));
  const { pattern } = fc.letrec<{ pattern: string; sequence: string; atom: string }>((tie) => ({
    atom: fc.oneof(
      { maxDepth: 3 },
      fc.tuple(single, sign).map(([one, times]) => one + times),
      fc.constantFrom('^', '$', '\\b', '\\B'),
      fc.tuple(tie('pattern'), sign).map(([inner, times]) => `(?:${inner})${mayRepeat(inner) ? times : ''}`),
    ),
    sequence: fc.array(tie('atom'), { maxLength: 3 }).map((atoms) => atoms.join('')),
    pattern: fc.array(tie('sequence'), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('|')),
  }));
  const text = fc.array(char, { maxLength: 8 }).map((chars) => chars.join(''));

  it('matches the same texts', () => {
    fc.assert(
      fc.property(pattern, text, (source, subject) => {
        assert.equal(matches(source, subject), new RegExp(source, 'u').test(subject));
      }),
      { numRuns: 2_000 },
    );
  });
});
