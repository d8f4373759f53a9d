/** A cast is a claim that nobody checks. It is at home where unknown data becomes typed: in functions called `parse…`. */
import { findFunctions } from '../syntax/functions.ts';
import type { Token } from '../syntax/tokens.ts';
import { isProduct, type Rule, type Tree } from '../tree.ts';

/** `x as T`, but not `as const`, and not the `as` of `import { a as b }` or `export * as c`. */
const isCast = (tokens: readonly Token[], at: number): boolean => {
  const [before, token, after] = [tokens[at - 1], tokens[at], tokens[at + 1]];
  if (token?.kind !== 'word' || token.text !== 'as' || before === undefined || after === undefined) return false;
  if (after.text === 'const' || before.text === '*') return false;
  const startsExpression = before.kind === 'mark' && !')]}'.includes(before.text);
  return !startsExpression && !isRenaming(tokens, at);
};

/** The nearest statement word before the place is `import` or `export`, with nothing but names between. */
const isRenaming = (tokens: readonly Token[], at: number): boolean => {
  for (let back = at - 1; back >= 0; back -= 1) {
    const token = tokens[back];
    if (token?.kind === 'word' && (token.text === 'import' || token.text === 'export')) return true;
    if (token === undefined || (token.kind !== 'word' && token.text !== ',' && token.text !== '{')) return false;
  }
  return false;
};

const isAny = (tokens: readonly Token[], at: number): boolean => tokens[at + 1]?.text === 'any';

export const casts: Rule = {
  name: 'casts',
  check: (tree: Tree) =>
    tree.sources.flatMap((file) => {
      const tokens = tree.tokensOf(file);
      const parsers = findFunctions(tokens).filter(({ name }) => /^parse([A-Z]|$)/.test(name));
      const isInParser = (at: number): boolean => parsers.some(({ first, last }) => first <= at && at <= last);
      return tokens.flatMap((token, at) => {
        if (!isCast(tokens, at)) return [];
        if (!isAny(tokens, at) && (!isProduct(file.path) || isInParser(at))) return [];
        const message = 'a cast outside parse…; narrow with a check, or move it into a function called parse…';
        return [{ path: file.path, line: token.line, message }];
      });
    }),
};
