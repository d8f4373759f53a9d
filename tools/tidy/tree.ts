/** The files of the repository as the rules see them: read once, cut into tokens at most once. */
import { type Comment, scan, type Token } from './syntax/tokens.ts';

export interface SourceFile {
  /** From the root of the repository, with slashes. */
  readonly path: string;
  readonly text: string;
}

export interface Tree {
  readonly files: readonly SourceFile[];
  /** The TypeScript among them, generated files excepted. */
  readonly sources: readonly SourceFile[];
  find(path: string): SourceFile | undefined;
  tokensOf(file: SourceFile): readonly Token[];
  commentsOf(file: SourceFile): readonly Comment[];
}

export interface Finding {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  /** What is wrong, and what to do instead. */
  readonly message: string;
}

/** One house rule. `check` is a pure function of the tree. */
export interface Rule {
  readonly name: string;
  readonly check: (tree: Tree) => readonly Finding[];
}

export const createTree = (files: readonly SourceFile[]): Tree => {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const scanned = new Map<SourceFile, ReturnType<typeof scan>>();
  const scanOnce = (file: SourceFile): ReturnType<typeof scan> => {
    const known = scanned.get(file);
    if (known !== undefined) return known;
    const fresh = scan(file.text);
    scanned.set(file, fresh);
    return fresh;
  };
  return {
    files,
    sources: files.filter(({ path }) => path.endsWith('.ts')),
    find: (path) => byPath.get(path),
    tokensOf: (file) => scanOnce(file).tokens,
    commentsOf: (file) => scanOnce(file).comments,
  };
};

export const isTest = (path: string): boolean => path.endsWith('.test.ts');

/** Tests, and what only tests use: the `testing` folders and everything under test/. */
export const isTestCode = (path: string): boolean =>
  isTest(path) || path.includes('/testing/') || path.startsWith('test/');

/** What runs on users' machines. */
export const isProduct = (path: string): boolean => /^(src|bin)\//.test(path) && !isTestCode(path);

/** The line, from 1, on which the character at `offset` stands. */
export const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;
