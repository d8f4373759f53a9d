/**
 * The lockfile names packages by version and integrity alone, runs nothing at install, and npm is told to keep it so:
 * a clone installs the same bytes from any registry.
 */
import { isRecord } from '../../../src/base/json.ts';
import type { Finding, Rule, Tree } from '../tree.ts';
import { lineOf, parseJsonFile } from './package-manifest.ts';

const LOCKFILE = 'package-lock.json';
const NPMRC = '.npmrc';
const SETTINGS = ['ignore-scripts=true', 'save-exact=true', 'omit-lockfile-registry-resolved=true'];

type Entry = Readonly<Record<string, unknown>>;

/**
 * Registries that carry only some platforms' variants of a development tool leave the others without a hash. Nothing that
 * users install is excused.
 */
const isForeignTool = (entry: Entry): boolean => entry['dev'] === true && entry['optional'] === true;

/** Their scripts would build something that they do without; with ignore-scripts they never run. */
const UNUSED_SCRIPTS: Readonly<Record<string, string>> = {
  'node_modules/ssh2': 'a faster cipher in C++; its JavaScript is what we use and measure',
  'node_modules/cpu-features': 'an optional part of the same',
  'node_modules/esbuild': 'saves the start of one process; the program of the platform is its own package',
};

const problemOf = (name: string, entry: Entry): string | undefined => {
  if (entry['link'] === true) return 'links to a folder outside the lockfile; depend on a published version';
  if ('resolved' in entry) return 'names where it was downloaded; install with omit-lockfile-registry-resolved=true';
  if (entry['hasInstallScript'] === true && !Object.hasOwn(UNUSED_SCRIPTS, name))
    return 'runs a script when it is installed; choose a package that does not';
  if (typeof entry['integrity'] !== 'string' && !isForeignTool(entry))
    return 'has no integrity; remove it from the lockfile and install again';
  return undefined;
};

const checkPackages = (tree: Tree): readonly Finding[] => {
  const file = tree.find(LOCKFILE);
  const packages = parseJsonFile(file)?.['packages'];
  return Object.entries(isRecord(packages) ? packages : {}).flatMap(([name, entry]) => {
    if (name === '' || !isRecord(entry)) return [];
    const problem = problemOf(name, entry);
    if (problem === undefined) return [];
    return [{ path: LOCKFILE, line: lineOf(file?.text ?? '', `"${name}":`), message: `${name} ${problem}` }];
  });
};

const checkSettings = (tree: Tree): readonly Finding[] => {
  const lines = (tree.find(NPMRC)?.text ?? '').split('\n').map((line) => line.trim());
  return SETTINGS.filter((setting) => !lines.includes(setting)).map((setting) => ({
    ...{ path: NPMRC, line: 1 },
    message: `${setting} is missing; put it back`,
  }));
};

export const lockfile: Rule = { name: 'lockfile', check: (tree) => [...checkPackages(tree), ...checkSettings(tree)] };
