/**
 * Reads a pattern in the syntax of Go's RE2. What RE2 does not have, because it cannot be matched in linear time, is refused as
 * there: references back to a group, and looking ahead or behind.
 */
import { FleetError } from '../../../base/errors.ts';
import { ignoringCase, isCode, noneOf, PERL_CLASSES } from './char-tests.ts';
import { type Cursor, createCursor } from './cursor.ts';
import { type Assertion, type CharTest, EMPTY, type PatternNode } from './pattern-node.ts';
import { readClass } from './read-class.ts';
import { readEscapedCode, readProperty } from './read-escape.ts';

/** Words as Go's parser has them. */
const badPattern = (what: string, text: string): FleetError =>
  new FleetError('invalid', {
    code: 'BadPattern',
    message: `error parsing regexp: ${what}: \`${text}\``,
    hint: 'Write the pattern in the syntax of RE2.',
  });

const NEWLINE = 10;
const DEPTH_MAX = 250;
const REPEAT_MAX = 1_000;

/** `(?i)` and its like; `U` swaps greediness, which changes nothing about whether a text matches. */
interface Flags {
  readonly i: boolean;
  readonly m: boolean;
  readonly s: boolean;
  readonly U: boolean;
}

interface Reading {
  readonly cursor: Cursor;
  /** Those in force; a group gives back what it found. */
  flags: Flags;
  depth: number;
}

export const parsePattern = (text: string): PatternNode => {
  const cursor = createCursor(text);
  const reading: Reading = { cursor, flags: { i: false, m: false, s: false, U: false }, depth: 0 };
  const node = readChoice(reading);
  if (!cursor.isAtEnd()) throw badPattern('unexpected )', text);
  return node;
};

const readChoice = (reading: Reading): PatternNode => {
  const parts = [readSequence(reading)];
  while (reading.cursor.take('|')) parts.push(readSequence(reading));
  const [only = EMPTY] = parts;
  return parts.length === 1 ? only : { is: 'choice', parts };
};

const readSequence = (reading: Reading): PatternNode => {
  const parts: PatternNode[] = [];
  const { cursor } = reading;
  while (!cursor.isAtEnd() && cursor.peek() !== '|' && cursor.peek() !== ')') {
    const start = cursor.at;
    if (readTimes(cursor) !== undefined) {
      throw badPattern('missing argument to repetition operator', cursor.slice(start));
    }
    const atoms = cursor.take('\\Q') ? readQuoted(reading) : [readAtom(reading)];
    const last = atoms.at(-1);
    // Flags are nothing that can be repeated.
    if (last !== undefined && last !== EMPTY) parts.push(...atoms.slice(0, -1), readRepeats(cursor, last, start));
  }
  return { is: 'sequence', parts };
};

interface Times {
  readonly min: number;
  readonly max: number;
}

const SIGNS: Readonly<Record<string, Times>> = {
  '*': { min: 0, max: Number.POSITIVE_INFINITY },
  '+': { min: 1, max: Number.POSITIVE_INFINITY },
  '?': { min: 0, max: 1 },
};

const readRepeats = (cursor: Cursor, atom: PatternNode, start: number): PatternNode => {
  const times = readTimes(cursor);
  if (times === undefined) return atom;
  const from = cursor.at;
  cursor.take('?');
  if (readTimes(cursor) !== undefined) {
    throw badPattern('invalid nested repetition operator', cursor.slice(from - 1));
  }
  if (times.min > REPEAT_MAX || (times.max > REPEAT_MAX && times.max !== Number.POSITIVE_INFINITY)) {
    throw badPattern('invalid repeat count', cursor.slice(start));
  }
  if (times.max < times.min) throw badPattern('invalid repeat count', cursor.slice(start));
  return { is: 'repeat', part: atom, ...times };
};

/** A brace that begins no count stands for itself. */
const readTimes = (cursor: Cursor): Times | undefined => {
  const sign = Object.hasOwn(SIGNS, cursor.peek()) ? SIGNS[cursor.peek()] : undefined;
  if (sign !== undefined) {
    cursor.next();
    return sign;
  }
  const [, min, comma, max] = cursor.takePattern(/\{(\d{1,9})(,(\d{0,9}))?\}/y) ?? [];
  if (min === undefined) return undefined;
  if (comma === undefined) return { min: Number(min), max: Number(min) };
  return { min: Number(min), max: max === undefined || max === '' ? Number.POSITIVE_INFINITY : Number(max) };
};

const readAtom = (reading: Reading): PatternNode => {
  const { cursor, flags } = reading;
  const start = cursor.at;
  const char = cursor.next();
  switch (char) {
    case '(':
      return readGroup(reading, start);
    case '[':
      return { is: 'char', test: readClass(cursor, { start, ignoresCase: flags.i, fail: badPattern }) };
    case '.':
      return { is: 'char', test: flags.s ? () => true : noneOf(isCode(NEWLINE)) };
    case '^':
      return assert(flags.m ? 'line-start' : 'text-start');
    case '$':
      return assert(flags.m ? 'line-end' : 'text-end');
    case '\\':
      return readEscape(reading, start);
    default:
      return charOf(isCode(char.codePointAt(0) ?? 0), flags);
  }
};

const assert = (assertion: Assertion): PatternNode => ({ is: 'assert', assertion });

const charOf = (test: CharTest, { i }: Flags): PatternNode => ({ is: 'char', test: i ? ignoringCase(test) : test });

const readGroup = (reading: Reading, start: number): PatternNode => {
  const { cursor, flags } = reading;
  reading.depth += 1;
  if (reading.depth > DEPTH_MAX) throw badPattern('expression nests too deeply', cursor.slice(0));
  if (cursor.peek() === '?') {
    const how = readGroupStart(reading, start);
    if (how === 'flags') {
      reading.depth -= 1;
      return EMPTY;
    }
  }
  const node = readChoice(reading);
  if (!cursor.take(')')) throw badPattern('missing closing )', cursor.slice(0, cursor.length));
  reading.flags = flags;
  reading.depth -= 1;
  return node;
};

/** `?:`, `?P<name>`, `?i:`; or flags alone, which hold to the end of the group around. */
const readGroupStart = (reading: Reading, start: number): 'group' | 'flags' => {
  const { cursor } = reading;
  if (cursor.takePattern(/\?P?<[A-Za-z_]\w*>/y) !== undefined) return 'group';
  const [, on = '', , off = '', end] = cursor.takePattern(/\?([imsU]*)(-([imsU]+))?([:)])/y) ?? [];
  if (end === undefined) {
    cursor.skip(2);
    throw badPattern('invalid or unsupported Perl syntax', cursor.slice(start));
  }
  if (end === ')' && on === '' && off === '') throw badPattern('missing argument to repetition operator', '?');
  reading.flags = withFlags(reading.flags, on, off);
  return end === ':' ? 'group' : 'flags';
};

const withFlags = (flags: Flags, on: string, off: string): Flags => {
  const decide = (name: keyof Flags): boolean => (on.includes(name) || flags[name]) && !off.includes(name);
  return { i: decide('i'), m: decide('m'), s: decide('s'), U: decide('U') };
};

const ASSERTIONS: Readonly<Record<string, Assertion>> = {
  A: 'text-start',
  z: 'text-end',
  b: 'word-edge',
  B: 'no-word-edge',
};

const readEscape = ({ cursor, flags }: Reading, start: number): PatternNode => {
  const char = cursor.peek();
  const assertion = Object.hasOwn(ASSERTIONS, char) ? ASSERTIONS[char] : undefined;
  if (assertion !== undefined) {
    cursor.next();
    return assert(assertion);
  }
  const perl = PERL_CLASSES.get(char);
  if (perl !== undefined) {
    cursor.next();
    return { is: 'char', test: perl };
  }
  const property = readProperty(cursor, { start, fail: badPattern });
  return charOf(property ?? isCode(readEscapedCode(cursor, { start, fail: badPattern })), flags);
};

/** Up to `\E`, or to the end, everything stands for itself. */
const readQuoted = ({ cursor, flags }: Reading): readonly PatternNode[] => {
  const [, text = ''] = cursor.takePattern(/((?:[^\\]|\\(?!E))*)(?:\\E)?/suy) ?? [];
  return [...text].map((char) => charOf(isCode(char.codePointAt(0) ?? 0), flags));
};
