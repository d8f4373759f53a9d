/** Sets of characters as RE2 names them: ranges, the classes of Perl and POSIX, and the properties of Unicode. */
import type { CharTest } from './pattern-node.ts';

export const isCode =
  (wanted: number): CharTest =>
  (code) =>
    code === wanted;

export const inRange =
  (from: number, to: number): CharTest =>
  (code) =>
    code >= from && code <= to;

export const anyOf = (tests: readonly CharTest[]): CharTest => {
  const [only] = tests;
  if (only !== undefined && tests.length === 1) return only;
  return (code) => tests.some((test) => test(code));
};

export const noneOf =
  (test: CharTest): CharTest =>
  (code) =>
    !test(code);

/** The same whatever the case. */
export const ignoringCase =
  (test: CharTest): CharTest =>
  (code) => {
    if (test(code)) return true;
    const text = String.fromCodePoint(code);
    return isOneOf(text.toLowerCase(), test) || isOneOf(text.toUpperCase(), test);
  };

/** Only letters whose other case is one letter too. */
const isOneOf = (text: string, test: CharTest): boolean => {
  const code = text.codePointAt(0);
  return code !== undefined && String.fromCodePoint(code) === text && test(code);
};

/** `az09` is a to z and 0 to 9. */
const rangesOf = (pairs: string): CharTest => {
  const codes = [...pairs].map((char) => char.codePointAt(0) ?? 0);
  const ranges = codes.flatMap((from, at) => (at % 2 === 0 ? [inRange(from, codes[at + 1] ?? from)] : []));
  return anyOf(ranges);
};

const DIGIT = rangesOf('09');
const SPACE = rangesOf('\t\n\f\r  ');
export const WORD = rangesOf('azAZ09__');

/** `\d` and its like. */
export const PERL_CLASSES: ReadonlyMap<string, CharTest> = new Map([
  ['d', DIGIT],
  ['D', noneOf(DIGIT)],
  ['s', SPACE],
  ['S', noneOf(SPACE)],
  ['w', WORD],
  ['W', noneOf(WORD)],
]);

/** `[:alpha:]` and its like. */
export const POSIX_CLASSES: ReadonlyMap<string, CharTest> = new Map([
  ['alnum', rangesOf('azAZ09')],
  ['alpha', rangesOf('azAZ')],
  ['ascii', inRange(0, 0x7f)],
  ['blank', rangesOf('\t\t  ')],
  ['cntrl', anyOf([inRange(0, 0x1f), isCode(0x7f)])],
  ['digit', DIGIT],
  ['graph', rangesOf('!~')],
  ['lower', rangesOf('az')],
  ['print', rangesOf(' ~')],
  ['punct', rangesOf('!/:@[`{~')],
  ['space', rangesOf('\t\r  ')],
  ['upper', rangesOf('AZ')],
  ['word', WORD],
  ['xdigit', rangesOf('09AFaf')],
]);

/** A general category or a script; undefined when Unicode has none of that name. */
export const unicodeClass = (name: string): CharTest | undefined => {
  if (name === 'Any') return () => true;
  if (!/^\w+$/.test(name)) return undefined;
  const found = tryProperty(`\\p{${name}}`) ?? tryProperty(`\\p{Script=${name}}`);
  return found === undefined ? undefined : (code) => found.test(String.fromCodePoint(code));
};

const tryProperty = (source: string): RegExp | undefined => {
  try {
    return new RegExp(`^${source}$`, 'u');
  } catch {
    return undefined;
  }
};
