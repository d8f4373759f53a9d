/** A pattern taken apart. Captures and greediness are not kept: all that is asked is whether a text matches. */

export type Assertion = 'text-start' | 'text-end' | 'line-start' | 'line-end' | 'word-edge' | 'no-word-edge';

/** Whether a code point is meant. */
export type CharTest = (code: number) => boolean;

export type PatternNode =
  | { readonly is: 'empty' }
  | { readonly is: 'char'; readonly test: CharTest }
  | { readonly is: 'assert'; readonly assertion: Assertion }
  | { readonly is: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly is: 'choice'; readonly parts: readonly PatternNode[] }
  | { readonly is: 'repeat'; readonly part: PatternNode; readonly min: number; readonly max: number };

export const EMPTY: PatternNode = { is: 'empty' };
