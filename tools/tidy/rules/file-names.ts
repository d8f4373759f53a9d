/** Files are called in kebab-case after what they hold, and folders after what they are about. */
import type { Rule, SourceFile } from '../tree.ts';

/** The names that tools and readers look for as they are. */
const KNOWN =
  /^(README|ARCHITECTURE|CONTRIBUTING|SECURITY|CHANGELOG|SPEC)\.md$|^(LICENSE|NOTICE|Dockerfile|Chart\.yaml|NOTES\.txt)$|^_[a-z-]+\.tpl$/;
const KEBAB = /^\.?[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*$/;
const SAYS_NOTHING = new Set(['utils', 'util', 'helpers', 'helper', 'common', 'misc', 'lib', 'shared']);

const problemOf = ({ path }: SourceFile): string | undefined => {
  const names = path.split('/');
  const file = names.at(-1) ?? '';
  const vague = names.find((name) => SAYS_NOTHING.has(name.replace(/\.ts$/, '')));
  if (vague !== undefined) return `"${vague}" says nothing; name it after what it is about`;
  if (/\.(?!(?:test|d)\.)[a-z0-9-]+\.ts$/.test(file))
    return `"${file}" has an ending of its own; what only tests use belongs in a testing folder`;
  const odd =
    names.slice(0, -1).find((name) => !KEBAB.test(name)) ?? (KEBAB.test(file) || KNOWN.test(file) ? undefined : file);
  return odd === undefined ? undefined : `"${odd}" is not kebab-case; rename it, like work-queue.ts`;
};

export const fileNames: Rule = {
  name: 'file-names',
  check: ({ files }) =>
    files.flatMap((file) => {
      const message = problemOf(file);
      return message === undefined ? [] : [{ path: file.path, line: 1, message }];
    }),
};
