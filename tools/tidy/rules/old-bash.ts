/**
 * The scripts that run on Macs keep to bash 3.2, which is what macOS has and what no machine of ours can run them under;
 * and they put no secret where bash keeps it in a file, or where another program could see it.
 */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are bash
import type { Finding, Rule, SourceFile } from '../tree.ts';

const ABOUT = /^src\/hosts\/steps\/[^/]+\.sh$/;

interface Construct {
  readonly pattern: RegExp;
  readonly what: string;
  readonly instead: string;
}

const BRANCH_ON_CASE = 'use tr, or a case';
const PLAIN = 'use plain variables, or one list of words';

const CONSTRUCTS: readonly Construct[] = [
  { pattern: /\b(mapfile|readarray)\b/, what: 'mapfile', instead: 'use while read' },
  { pattern: /\b(declare|local|typeset|readonly)\s+-[a-zA-Z]*A/, what: 'associative arrays', instead: PLAIN },
  { pattern: /\b(declare|local|typeset)\s+-[a-zA-Z]*[ngul]/, what: 'declare -n, -g, -u or -l', instead: PLAIN },
  { pattern: /\$\{!?\w+(\[[^\]]*\])?(\^|,)/, what: 'a change of case in an expansion', instead: BRANCH_ON_CASE },
  { pattern: /\$\{\w+(\[[^\]]*\])?@[A-Za-z]\}/, what: 'an operator @ in an expansion', instead: 'use printf %q' },
  { pattern: /\$\{\w+:[^}]*:\s*-\s*\d/, what: 'a negative length', instead: 'use ${x%…}' },
  { pattern: /\b\w+\[-\d+\]/, what: 'a negative index', instead: 'count from the length' },
  { pattern: /&>>/, what: '&>>', instead: 'write >>file 2>&1' },
  { pattern: /\|&/, what: '|&', instead: 'write 2>&1 |' },
  { pattern: /;;?&(?!&)/, what: ';& in a case', instead: 'repeat the command' },
  { pattern: /(^|[;&|({]\s*)coproc\b/, what: 'coproc', instead: 'use a pipe' },
  {
    pattern: /\$\{?(EPOCHSECONDS|EPOCHREALTIME|BASHPID|SRANDOM|BASH_ARGV0)\b/,
    what: 'a variable of later versions',
    instead: 'use date +%s, or $$',
  },
  { pattern: /\bwait\s+-[npf]/, what: 'wait -n', instead: 'wait for each process by its id' },
  { pattern: /printf\s.*%\([^)]*\)T/, what: 'printf %(…)T', instead: 'use date' },
  {
    pattern: /(\[\[?|\btest)\s+(!\s+)?-[vR]\s/,
    what: 'a test for a variable (-v)',
    instead: 'write [ -n "${x+set}" ]',
  },
  { pattern: /\bread\s+(-\w+\s+)*-\w*[Ni]\b/, what: 'read -N or -i', instead: 'use read -n, or dd' },
  { pattern: /\bread\s+.*-t\s*\d*\.\d/, what: 'a fraction of a second', instead: 'use whole seconds' },
  { pattern: /\{[a-z_]\w*\}[<>]/i, what: 'a file descriptor by name', instead: 'choose a number from 3 to 9' },
  { pattern: /\{-?\d+\.\.-?\d+\.\.-?\d+\}/, what: 'a step in a range', instead: 'use for ((…))' },
  {
    pattern: /\bshopt\s.*\b(globstar|lastpipe|inherit_errexit)\b/,
    what: 'an option of later versions',
    instead: PLAIN,
  },
  { pattern: /\$'[^']*\\[uU][0-9a-fA-F]/, what: '\\u in a text', instead: 'write the bytes' },
];

/** `"${x[@]}"` of an empty list is an error under set -u, unless it stands in `${x[@]+…}`. */
const BARE_LIST = /(?<!\[[@*]\]\+)"\$\{(\w+)\[[@*]\]\}"/;

const SECRET = /\$\{?secret_/;
const HERE_WORD = /<<-?\s*(["']?)(\w+)\1/;

const SECRET_PLACES: readonly { readonly pattern: RegExp; readonly message: string }[] = [
  {
    pattern: /<<<.*\$\{?secret_/,
    message: 'a secret in a here-string, which bash writes to a file; pipe it from printf',
  },
  { pattern: /\bexport\s.*\bsecret_/, message: 'a secret in the environment; keep it in a plain variable' },
  {
    pattern: /\b(root|sudo|env|curl|echo|defaults|dscl|xargs)\s[^|;]*\$\{?secret_/,
    message: 'a secret as an argument, which every program on the Mac can read; pipe it from printf',
  },
];

const secretBreaches = (line: string): readonly string[] =>
  SECRET_PLACES.filter(({ pattern }) => pattern.test(line)).map(({ message }) => message);

interface ShellLine {
  readonly line: string;
  /** From 1. */
  readonly at: number;
  readonly isIn: 'code' | 'here-document';
}

/** Without remarks. */
const shellLines = (text: string): readonly ShellLine[] => {
  const lines: ShellLine[] = [];
  let hereEnd: string | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const at = index + 1;
    if (hereEnd !== undefined) {
      lines.push({ line, at, isIn: 'here-document' });
      if (line.trim() === hereEnd) hereEnd = undefined;
    } else if (!/^\s*#/.test(line)) {
      lines.push({ line, at, isIn: 'code' });
      hereEnd = line.includes('<<<') ? undefined : HERE_WORD.exec(line)?.[2];
    }
  }
  return lines;
};

const breachesIn = ({ line, isIn }: ShellLine): readonly string[] => {
  if (isIn === 'here-document')
    return SECRET.test(line) ? ['a secret in a here-document, which bash writes to a file; pipe it from printf'] : [];
  const list = BARE_LIST.exec(line)?.[1];
  return [
    ...CONSTRUCTS.filter(({ pattern }) => pattern.test(line)).map(
      ({ what, instead }) => `${what}: bash 3.2 has no such thing; ${instead}`,
    ),
    ...(list === undefined ? [] : [`an empty ${list} is an error in bash 3.2; write \${${list}[@]+"\${${list}[@]}"}`]),
    ...secretBreaches(line),
  ];
};

const check = ({ path, text }: SourceFile): readonly Finding[] =>
  shellLines(text).flatMap((line) => breachesIn(line).map((message) => ({ path, line: line.at, message })));

export const oldBash: Rule = {
  name: 'old-bash',
  check: ({ files }) => files.filter(({ path }) => ABOUT.test(path)).flatMap(check),
};
