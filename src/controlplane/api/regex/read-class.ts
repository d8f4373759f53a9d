/** `[a-z]` and everything that may stand between brackets. */
import { anyOf, ignoringCase, inRange, noneOf, PERL_CLASSES, POSIX_CLASSES } from './char-tests.ts';
import type { Cursor } from './cursor.ts';
import type { CharTest } from './pattern-node.ts';
import { type EscapeScene, readEscapedCode, readProperty } from './read-escape.ts';

export interface ClassScene extends EscapeScene {
  readonly ignoresCase: boolean;
}

/** The opening bracket has been read. */
export const readClass = (cursor: Cursor, scene: ClassScene): CharTest => {
  const isNegated = cursor.take('^');
  const tests: CharTest[] = [];
  // A closing bracket that comes first stands for itself.
  for (let isFirst = true; isFirst || cursor.peek() !== ']'; isFirst = false) {
    if (cursor.isAtEnd()) throw scene.fail('missing closing ]', cursor.slice(scene.start));
    tests.push(readSet(cursor, scene) ?? readRange(cursor, scene));
  }
  cursor.next();
  const test = scene.ignoresCase ? ignoringCase(anyOf(tests)) : anyOf(tests);
  return isNegated ? noneOf(test) : test;
};

/** A class inside the class; undefined when a single character follows. */
const readSet = (cursor: Cursor, { fail }: ClassScene): CharTest | undefined => {
  const [whole, not, name] = cursor.takePattern(/\[:(\^?)(\w+):\]/y) ?? [];
  if (name !== undefined) {
    const found = POSIX_CLASSES.get(name);
    if (found === undefined) throw fail('invalid character class range', whole ?? '');
    return not === '^' ? noneOf(found) : found;
  }
  const [, letter] = cursor.takePattern(/\\([dDsSwW])/y) ?? [];
  if (letter !== undefined) return PERL_CLASSES.get(letter);
  if (cursor.peek() !== '\\') return undefined;
  const from = cursor.at;
  cursor.next();
  const property = readProperty(cursor, { start: from, fail });
  if (property === undefined) cursor.skip(from - cursor.at);
  return property;
};

const readRange = (cursor: Cursor, { start, fail }: ClassScene): CharTest => {
  const from = cursor.at;
  const low = readCode(cursor, { start: from, fail });
  if (cursor.takePattern(/-(?!\])/y) === undefined) return inRange(low, low);
  if (cursor.isAtEnd()) throw fail('missing closing ]', cursor.slice(start));
  const high = readCode(cursor, { start: cursor.at, fail });
  if (high < low) throw fail('invalid character class range', cursor.slice(from));
  return inRange(low, high);
};

const readCode = (cursor: Cursor, scene: EscapeScene): number =>
  cursor.take('\\') ? readEscapedCode(cursor, scene) : (cursor.next().codePointAt(0) ?? 0);
