/** A link in a document leads to a file that exists. */
import { posix } from 'node:path';
import { type Finding, lineAt, type Rule, type SourceFile, type Tree } from '../tree.ts';

const LINK = /\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g;

/** Code shows how links are written; it does not link. */
const withoutCode = (text: string): string =>
  text.replace(/```[\s\S]*?```|`[^`\n]*`/g, (code) => code.replace(/[^\n]/g, ' '));

const isElsewhere = (target: string): boolean => /^([a-z][a-z+.-]*:|#|\/\/)/i.test(target);

const exists = (tree: Tree, path: string): boolean =>
  tree.find(path) !== undefined || tree.files.some((file) => file.path.startsWith(`${path.replace(/\/$/, '')}/`));

const check = (tree: Tree, { path, text }: SourceFile): readonly Finding[] =>
  [...withoutCode(text).matchAll(LINK)].flatMap((match) => {
    const target = match[1] ?? '';
    if (isElsewhere(target)) return [];
    const file = posix.normalize(posix.join(posix.dirname(path), decodeURI(target.split('#')[0] ?? '')));
    if (file === '.' || exists(tree, file)) return [];
    return [
      { path, line: lineAt(text, match.index), message: `links to ${target}, which does not exist; correct the link` },
    ];
  });

export const links: Rule = {
  name: 'links',
  check: (tree) => tree.files.filter(({ path }) => path.endsWith('.md')).flatMap((file) => check(tree, file)),
};
