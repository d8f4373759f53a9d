/** Who may become root by what the sudoers files say: as much of their language as hosts have. */
import type { MacFiles } from './files.ts';

export type SudoVerdict = 'free' | 'with-password' | 'refused';

interface Rule {
  readonly who: string;
  readonly isFree: boolean;
}

export interface SudoersProblem {
  readonly path: string;
  readonly line: number;
  readonly why: string;
}

export interface Sudoers {
  readonly verdict: SudoVerdict;
  readonly problems: readonly SudoersProblem[];
}

const MAIN = '/etc/sudoers';
const FOLDER = '/etc/sudoers.d';
/** m1 and its groups. */
const NAMES_OF_M1 = ['m1', '%admin', '%staff', 'ALL'];
const RULE = /^(\S+)\s+\S+\s*=\s*(?:\([^)]*\)\s*)?(NOPASSWD:\s*)?(\S.*)$/;
const GROUP_OR_WORLD_WRITES = 0o022;

/** The last rule that names the user counts. A line that sudo cannot read is skipped, a file it does not trust too. */
export const readSudoers = (files: MacFiles): Sudoers => {
  const problems: SudoersProblem[] = [];
  const rules = sudoersPaths(files).flatMap((path) => {
    const distrust = distrustOf(files, path);
    if (distrust !== undefined) {
      problems.push({ path, line: 0, why: distrust });
      return [];
    }
    const parsed = parseSudoers(path, files.readText(path) ?? '');
    problems.push(...parsed.problems);
    return parsed.rules;
  });
  const last = rules.findLast(({ who }) => NAMES_OF_M1.includes(who));
  if (last === undefined) return { verdict: 'refused', problems };
  return { verdict: last.isFree ? 'free' : 'with-password', problems };
};

const sudoersPaths = (files: MacFiles): readonly string[] => [
  MAIN,
  ...files
    .list(FOLDER)
    // sudo skips what looks like the copy of an editor or a package manager.
    .filter((name) => !name.includes('.') && !name.endsWith('~'))
    .map((name) => `${FOLDER}/${name}`),
];

const distrustOf = (files: MacFiles, path: string): string | undefined => {
  const facts = files.facts(path);
  if (facts === undefined) return undefined;
  if (facts.uid !== 0) return `owned by uid ${facts.uid}, should be 0`;
  return (facts.mode & GROUP_OR_WORLD_WRITES) === 0 ? undefined : 'writable by others than root';
};

export const parseSudoers = (
  path: string,
  text: string,
): { readonly rules: readonly Rule[]; readonly problems: readonly SudoersProblem[] } => {
  const rules: Rule[] = [];
  const problems: SudoersProblem[] = [];
  for (const [at, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#') || line.startsWith('@include') || line.startsWith('Defaults')) continue;
    const [, who, free] = RULE.exec(line) ?? [];
    if (who === undefined) problems.push({ path, line: at + 1, why: 'syntax error' });
    else rules.push({ who, isFree: free !== undefined });
  }
  return { rules, problems };
};
