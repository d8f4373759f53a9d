/**
 * What a container's command comes to, without running it: how long it lasts and with which code it ends. Understood is what
 * small test Pods do: `sleep`, `exit`, a coin toss, and "fail until this file is there". Everything else runs on, as a server
 * does. Pure.
 */
import type { Random } from '../../base/random.ts';
import type { PodSpec } from '../../kube/types/pod.ts';

type Container = PodSpec['containers'][number];

/** Without an end it runs until it is stopped. */
export interface CommandPlan {
  readonly endsAfterMs?: number;
  readonly exitCode: number;
  /** A file that it leaves behind. */
  readonly leavesFile?: string;
}

export interface CommandFacts {
  readonly random: Random;
  /** Values of the variables that the command may name. */
  readonly variables: Readonly<Record<string, string>>;
  /** Whether a file is there that an earlier command left behind. */
  readonly hasFile: (path: string) => boolean;
}

const RUNS_ON: CommandPlan = { exitCode: 0 };

const endsWith = (exitCode: number, afterMs = 0): CommandPlan => ({ exitCode, endsAfterMs: afterMs });

type Understand = (match: RegExpExecArray, facts: CommandFacts) => CommandPlan;

/** `exit 3` or `sleep 5`, as the branch of a condition. */
const planBranch = (verb: string | undefined, amount: string | undefined): CommandPlan =>
  verb === 'sleep' ? endsWith(0, Number(amount) * 1_000) : endsWith(Number(amount));

/** The first that matches the text between the shell's quotes, or the words of the command, counts. */
const UNDERSTOOD: readonly (readonly [RegExp, Understand])[] = [
  [
    /\[\[? -r (\S+) \]\]?.*?exit 0.*?touch (\S+)\s+(exit|sleep) (\d+)/s,
    ([, read = '', left = '', verb, amount], { hasFile }) =>
      hasFile(read) ? endsWith(0) : { ...planBranch(verb, amount), leavesFile: left },
  ],
  [
    /expr \$\{?(\w+)\}? % 2\) -ne 0 .*?exit (\d+).*?exit (\d+)/s,
    ([, name = '', odd, even], { variables }) => endsWith(Number(Number(variables[name]) % 2 === 0 ? even : odd)),
  ],
  [/^exit \$\(\( \$RANDOM \/ 16384 \)\)$/, (_, { random }) => endsWith(random.integer(2))],
  [/^exit (\d+)$/, ([, code]) => endsWith(Number(code))],
  [/^sleep (\d+)$/, ([, seconds]) => endsWith(0, Number(seconds) * 1_000)],
];

export const planCommand = (container: Container, facts: CommandFacts): CommandPlan => {
  const text = substitute(textOf(container), facts.variables);
  for (const [pattern, understand] of UNDERSTOOD) {
    const match = pattern.exec(text);
    if (match !== null) return understand(match, facts);
  }
  return RUNS_ON;
};

const textOf = ({ command = [], args = [] }: Container): string => {
  const [program = '', flag = '', ...rest] = [...command, ...args];
  const isShell = /(^|\/)(ba)?sh$/.test(program) && flag === '-c';
  return (isShell ? rest : [program, flag, ...rest]).join(' ').trim();
};

/** In paths; a bare name in a calculation stays for whoever understands it. */
const substitute = (text: string, variables: Readonly<Record<string, string>>): string =>
  text.replace(/(?<=[\w-])\$(\w+)/g, (whole, name: string) => variables[name] ?? whole);
