/** What may follow a backslash, inside and outside of brackets. */
import type { FleetError } from '../../../base/errors.ts';
import { noneOf, unicodeClass } from './char-tests.ts';
import type { Cursor } from './cursor.ts';
import type { CharTest } from './pattern-node.ts';

export interface EscapeScene {
  /** Where the escape, or what it stands in, begins. */
  readonly start: number;
  fail(what: string, text: string): FleetError;
}

const CONTROLS: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };
const CODE_MAX = 0x10ffff;

/** `\pL`, `\p{Greek}`, `\P{L}`, `\p{^L}`; undefined when the escape is another one. The backslash has been read. */
export const readProperty = (cursor: Cursor, { start, fail }: EscapeScene): CharTest | undefined => {
  const [, kind, braced, single] = cursor.takePattern(/([pP])(?:\{(\^?\w+)\}|([A-Z]))/y) ?? [];
  const name = braced ?? single;
  if (kind === undefined || name === undefined) return undefined;
  const found = unicodeClass(name.replace(/^\^/, ''));
  if (found === undefined) throw fail('invalid character class range', cursor.slice(start));
  return (kind === 'P') === name.startsWith('^') ? found : noneOf(found);
};

/** The one character that the escape stands for. */
export const readEscapedCode = (cursor: Cursor, { start, fail }: EscapeScene): number => {
  const [, wide, narrow] = cursor.takePattern(/x(?:\{([0-9A-Fa-f]{1,8})\}|([0-9A-Fa-f]{2}))/y) ?? [];
  const hex = wide ?? narrow;
  if (hex !== undefined && Number.parseInt(hex, 16) <= CODE_MAX) return Number.parseInt(hex, 16);
  const [octal] = cursor.takePattern(/0[0-7]{0,2}|[1-7][0-7]{1,2}/y) ?? [];
  if (octal !== undefined) return Number.parseInt(octal, 8);
  if (cursor.isAtEnd()) throw fail('trailing backslash at end of expression', '');
  const char = cursor.next();
  const control = Object.hasOwn(CONTROLS, char) ? CONTROLS[char] : undefined;
  if (control !== undefined) return control;
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x80 && !/[A-Za-z0-9]/.test(char)) return code;
  throw fail('invalid escape sequence', cursor.slice(start));
};
