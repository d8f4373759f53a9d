/** Words of a command as Swift's ArgumentParser takes them: options anywhere, `--name value` or `--name=value`. Pure. */
import { usageError } from './tart-failure.ts';

export interface Grammar {
  readonly command: string;
  readonly positionals: readonly string[];
  /** The last positional takes all the rest, also what looks like options. */
  readonly takesRest?: boolean;
  readonly flags?: readonly string[];
  readonly options?: readonly string[];
}

export interface Words {
  readonly positionals: readonly string[];
  has(flag: string): boolean;
  /** The last one given. */
  option(name: string): string | undefined;
  options(name: string): readonly string[];
  /** A usage error of this command. */
  refuse(text: string): Error;
}

const SHORT: Readonly<Record<string, string>> = { '-t': '--timeout', '-q': '--quiet', '-i': '--interactive' };

const usageOf = ({ command, positionals, flags = [], options = [] }: Grammar): string =>
  [
    `tart ${command}`,
    ...positionals.map((name) => `<${name}>`),
    ...flags.map((flag) => `[${flag}]`),
    ...options.map((option) => `[${option} <${option.slice(2)}>]`),
  ].join(' ');

export const parseWords = (grammar: Grammar, argv: readonly string[]): Words => {
  const { flags = [], options = [] } = grammar;
  const refuse = (text: string): Error => usageError(text, { command: grammar.command, line: usageOf(grammar) });
  const positionals: string[] = [];
  const given: (readonly [name: string, value: string])[] = [];
  const left = [...argv];
  const isRest = (): boolean => grammar.takesRest === true && positionals.length >= 1;
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    if (isRest() || !word.startsWith('-')) {
      positionals.push(word);
      continue;
    }
    const [long = '', inline] = splitOption(flags.includes(word) ? word : (SHORT[word] ?? word));
    if (flags.includes(long)) given.push([long, '']);
    else if (options.includes(long)) given.push([long, inline ?? left.shift() ?? missingValue(refuse, long)]);
    else throw refuse(`Unknown option '${word}'`);
  }
  checkPositionals(grammar, positionals, refuse);
  const values = (name: string): readonly string[] => given.filter(([key]) => key === name).map(([, value]) => value);
  return {
    positionals,
    has: (flag) => given.some(([key]) => key === flag),
    option: (name) => values(name).at(-1),
    options: values,
    refuse,
  };
};

const splitOption = (word: string): readonly [name: string, value?: string] => {
  const at = word.indexOf('=');
  return at === -1 ? [word] : [word.slice(0, at), word.slice(at + 1)];
};

const missingValue = (refuse: (text: string) => Error, option: string): never => {
  throw refuse(`Missing value for '${option} <${option.slice(2)}>'`);
};

const checkPositionals = (grammar: Grammar, found: readonly string[], refuse: (text: string) => Error): void => {
  const missing = grammar.positionals[found.length];
  if (missing !== undefined) throw refuse(`Missing expected argument '<${missing}>'`);
  const [unexpected] = found.slice(grammar.positionals.length);
  if (unexpected === undefined || grammar.takesRest === true) return;
  throw refuse(`Unexpected argument '${unexpected}'`);
};
