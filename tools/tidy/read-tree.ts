/** Adapter: the repository's files as git knows them, those not yet added included, those ignored left out. */
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createTree, type SourceFile, type Tree } from './tree.ts';

export const readTree = (root: string): Tree => {
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    ...{ cwd: root, encoding: 'utf8', maxBuffer: 64 * 2 ** 20 },
  });
  return createTree(list.split('\0').flatMap((path) => readText(root, path)));
};

/** A file that was removed but not yet from git's index, and one that holds no text, are no business of the rules. */
const readText = (root: string, path: string): readonly SourceFile[] => {
  const stats = path === '' ? undefined : statSync(join(root, path), { throwIfNoEntry: false });
  if (stats?.isFile() !== true) return [];
  const text = readFileSync(join(root, path), 'utf8');
  return text.includes('\0') ? [] : [{ path, text }];
};
