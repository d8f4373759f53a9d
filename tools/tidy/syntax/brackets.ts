/** Which bracket belongs to which, and which brackets stand open around a token. */
import type { Token } from './tokens.ts';

export interface Brackets {
  /** For every bracket the index of its partner, in both directions. */
  readonly partner: ReadonlyMap<number, number>;
  /** For every token the index of the innermost bracket open around it, or -1. */
  readonly around: readonly number[];
}

const OPENING = new Set(['(', '[', '{']);
const CLOSING = new Set([')', ']', '}']);

const isMark = (token: Token, marks: ReadonlySet<string>): boolean => token.kind === 'mark' && marks.has(token.text);

/** Templates open and close a bracket of their own: `${` and `}` are parts of template tokens. */
const isOpening = (token: Token): boolean =>
  isMark(token, OPENING) || (token.kind === 'template' && token.text.endsWith('${'));

const isClosing = (token: Token): boolean =>
  isMark(token, CLOSING) || (token.kind === 'template' && token.text.startsWith('}'));

export const matchBrackets = (tokens: readonly Token[]): Brackets => {
  const partner = new Map<number, number>();
  const open: number[] = [];
  const around = tokens.map((token, at) => {
    if (isClosing(token)) {
      const opener = open.pop();
      if (opener !== undefined) partner.set(opener, at).set(at, opener);
    }
    const innermost = open.at(-1) ?? -1;
    if (isOpening(token)) open.push(at);
    return innermost;
  });
  return { partner, around };
};
