/** A link in a document leads to a file that exists, and to a heading that it has. */
import { posix } from 'node:path';
import { type Finding, lineAt, type Rule, type SourceFile, type Tree } from '../tree.ts';

const LINK = /\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g;

/** Code shows how links are written; it does not link. */
const withoutCode = (text: string): string =>
  text.replace(/```[\s\S]*?```|`[^`\n]*`/g, (code) => code.replace(/[^\n]/g, ' '));

const isElsewhere = (target: string): boolean => /^([a-z][a-z+.-]*:|\/\/)/i.test(target);

const exists = (tree: Tree, path: string): boolean =>
  tree.find(path) !== undefined || tree.files.some((file) => file.path.startsWith(`${path.replace(/\/$/, '')}/`));

/** As GitHub makes them of headings. */
const anchorsOf = (text: string): ReadonlySet<string> =>
  new Set(
    [...text.replace(/```[\s\S]*?```/g, '').matchAll(/^#+ +(.*)$/gm)].map(([, heading = '']) =>
      heading
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}_\- ]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );

/** What is wrong with it, if anything. */
const judge = (tree: Tree, path: string, target: string): string | undefined => {
  const [place = '', anchor] = decodeURI(target).split('#');
  const file = place === '' ? path : posix.normalize(posix.join(posix.dirname(path), place));
  if (file !== '.' && !exists(tree, file)) return `links to ${target}, which does not exist; correct the link`;
  const page = file.endsWith('.md') ? tree.find(file) : undefined;
  if (anchor === undefined || page === undefined || anchorsOf(page.text).has(anchor)) return undefined;
  return `links to ${target}, and ${file} has no such heading; correct the link`;
};

const check = (tree: Tree, { path, text }: SourceFile): readonly Finding[] =>
  [...withoutCode(text).matchAll(LINK)].flatMap((match) => {
    const [, target = ''] = match;
    const message = isElsewhere(target) ? undefined : judge(tree, path, target);
    return message === undefined ? [] : [{ path, line: lineAt(text, match.index), message }];
  });

export const links: Rule = {
  name: 'links',
  check: (tree) => tree.files.filter(({ path }) => path.endsWith('.md')).flatMap((file) => check(tree, file)),
};
