/** What a file imports, read from its tokens. */
import { posix } from 'node:path';
import type { SourceFile, Tree } from '../tree.ts';
import type { Token } from './tokens.ts';

export interface Import {
  /** As written. */
  readonly from: string;
  readonly line: number;
  /** `type` imports leave nothing behind at run time. */
  readonly what: 'value' | 'type';
}

export const findImports = (tokens: readonly Token[]): readonly Import[] =>
  tokens.flatMap((token, at) => {
    const before = tokens[at - 1];
    if (token.kind !== 'word' || before?.text === '.') return [];
    if (token.text === 'import') return importAt(tokens, at);
    if (token.text === 'export') return exportFromAt(tokens, at);
    return [];
  });

const importAt = (tokens: readonly Token[], at: number): readonly Import[] => {
  const [next, after] = [tokens[at + 1], tokens[at + 2]];
  if (next?.text === '.') return [];
  if (next?.kind === 'string') return [{ from: next.text, line: next.line, what: 'value' }];
  if (next?.text === '(')
    return after?.kind === 'string' ? [{ from: after.text, line: after.line, what: 'value' }] : [];
  return fromClause(tokens, at);
};

const exportFromAt = (tokens: readonly Token[], at: number): readonly Import[] => {
  const next = tokens[at + 1]?.text === 'type' ? tokens[at + 2] : tokens[at + 1];
  return next?.text === '*' || next?.text === '{' ? fromClause(tokens, at) : [];
};

/** From `import` or `export` to its `from '…'`; `export { … }` without one has none. */
const fromClause = (tokens: readonly Token[], at: number): readonly Import[] => {
  for (let next = at + 1; next < tokens.length && tokens[next]?.text !== ';'; next += 1) {
    const source = tokens[next + 1];
    if (tokens[next]?.text !== 'from' || source?.kind !== 'string') continue;
    const what = tokens[at + 1]?.text === 'type' && tokens[at + 2]?.text !== 'from' ? 'type' : 'value';
    return [{ from: source.text, line: source.line, what }];
  }
  return [];
};

export interface LocalImport extends Import {
  /** The path of the imported file, from the root of the repository. */
  readonly path: string;
}

/** Only the imports of files of ours. */
export const findLocalImports = (tree: Tree, file: SourceFile): readonly LocalImport[] =>
  findImports(tree.tokensOf(file))
    .filter(({ from }) => from.startsWith('.'))
    .map((found) => ({ ...found, path: posix.join(posix.dirname(file.path), found.from) }));
