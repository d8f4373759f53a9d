/** Finding a few tokens in a row, such as `Date . now`, where they mean the thing of that name. */
import type { Token } from './tokens.ts';

/** The indexes at which the words and marks of `phrase` (split at blanks) begin. */
export const findPhrase = (tokens: readonly Token[], phrase: string): readonly number[] => {
  const wanted = phrase.split(' ');
  return tokens.flatMap((_, at) =>
    matches(tokens, at, wanted) && !isMember(tokens, at) && !isKey(tokens, at) ? [at] : [],
  );
};

const matches = (tokens: readonly Token[], at: number, wanted: readonly string[]): boolean =>
  wanted.every((text, offset) => {
    const token = tokens[at + offset];
    return token?.text === text && (token.kind === 'word' || token.kind === 'mark');
  });

/** `thing.now` is the thing's own; `globalThis.fetch` is not. */
const isMember = (tokens: readonly Token[], at: number): boolean => {
  const before = tokens[at - 1]?.text;
  return (before === '.' || before === '?.') && tokens[at - 2]?.text !== 'globalThis';
};

/** `fetch: …` and `fetch?: …` name a property or a parameter; in `a ? fetch : b` it is a value. */
const isKey = (tokens: readonly Token[], at: number): boolean => {
  const [before, after, next] = [tokens[at - 1]?.text, tokens[at + 1]?.text, tokens[at + 2]?.text];
  if (after === '?' && next === ':') return true;
  return after === ':' && before !== '?' && before !== ':';
};
