/** A test that does not run says why in what it reports; a test that keeps others from running is never committed. */
import { findPhrase } from '../syntax/phrases.ts';
import type { Token } from '../syntax/tokens.ts';
import { type Finding, isTestCode, type Rule, type SourceFile, type Tree } from '../tree.ts';

const RUNNERS = ['test', 'it', 'describe', 'suite'];

const check = (tree: Tree, file: SourceFile): readonly Finding[] => {
  const tokens = tree.tokensOf(file);
  const at = (phrase: string, message: string): readonly Finding[] =>
    findPhrase(tokens, phrase).map((index) => ({ path: file.path, line: tokens[index]?.line ?? 1, message }));
  return [
    ...RUNNERS.flatMap((runner) => [
      ...at(`${runner} . only`, 'keeps all other tests from running; remove .only'),
      ...at(`${runner} . skip`, "skips without a reason; write test('…', { skip: 'the reason' }, …)"),
      ...at(`${runner} . todo`, 'is no test yet; write it, or leave it out'),
    ]),
    ...options(tokens, file.path),
  ];
};

/** `{ only: true }`, `{ skip: true }`, `{ todo: true }`: an option that is a bare `true` gives no reason. */
const options = (tokens: readonly Token[], path: string): readonly Finding[] =>
  tokens.flatMap((token, at) => {
    const isOption = token.kind === 'word' && ['only', 'skip', 'todo'].includes(token.text);
    if (!isOption || tokens[at + 1]?.text !== ':' || tokens[at + 2]?.text !== 'true') return [];
    return [{ path, line: token.line, message: `${token.text}: true gives no reason; say it in a text, or remove it` }];
  });

export const honestTests: Rule = {
  name: 'honest-tests',
  check: (tree) => tree.sources.filter(({ path }) => isTestCode(path)).flatMap((file) => check(tree, file)),
};
