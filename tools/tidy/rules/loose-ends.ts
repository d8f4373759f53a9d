/** What was left for later says why, and nothing silences the compiler without a reason. */
import type { Finding, Rule, SourceFile, Tree } from '../tree.ts';

const LEFT_OPEN = /\b(TODO|FIXME|XXX|HACK)\b(?!\([^)\s][^)]*\))/;
const SILENCED = /@ts-(ignore|nocheck)\b/;
const EXPECTED_WITHOUT_REASON = /@ts-expect-error\s*(\*\/)?\s*$/m;

const messageFor = (comment: string): string | undefined => {
  const open = LEFT_OPEN.exec(comment)?.[1];
  if (open !== undefined) return `${open} without a reason; write TODO(why it can wait), or do it`;
  if (SILENCED.test(comment))
    return 'the compiler is silenced for good; use @ts-expect-error with a reason, or fix the type';
  if (EXPECTED_WITHOUT_REASON.test(comment))
    return '@ts-expect-error without a reason; say after it why the error is right';
  return undefined;
};

interface Remark {
  readonly text: string;
  readonly line: number;
}

/** Comments of TypeScript; in shell and YAML what follows a hash. */
const remarksOf = (tree: Tree, file: SourceFile): readonly Remark[] => {
  if (file.path.endsWith('.ts')) return tree.commentsOf(file);
  if (!/\.(sh|ya?ml)$/.test(file.path) && !file.text.startsWith('#!')) return [];
  return file.text
    .split('\n')
    .flatMap((text, at) => (text.includes('#') ? [{ text: text.slice(text.indexOf('#')), line: at + 1 }] : []));
};

export const looseEnds: Rule = {
  name: 'loose-ends',
  check: (tree) =>
    tree.files.flatMap((file) =>
      remarksOf(tree, file).flatMap(({ text, line }): readonly Finding[] => {
        const message = messageFor(text);
        return message === undefined ? [] : [{ path: file.path, line, message }];
      }),
    ),
};
