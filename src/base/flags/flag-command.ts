/** Flags as data, made into a command line (commander): read from arguments and variables, refused by name, shown as help. */
import { Command, type CommanderError, Option } from 'commander';
import { FleetError, toFleetError } from '../errors.ts';
import { isEqualJson } from '../json.ts';
import type { Flag, FlagGroup } from './flag.ts';

export interface FlagProgram {
  readonly name: string;
  readonly is: string;
  /** In the order of the help. */
  readonly groups: readonly FlagGroup[];
}

/** Prints help and ends the process where the arguments ask for that; throws `invalid` for what it does not know. */
export const createFlagCommand = ({ name, is, groups }: FlagProgram): Command => {
  const command = new Command(name)
    .description(is)
    .configureOutput({ outputError: () => undefined })
    // Help goes on to end the process.
    .exitOverride((error) => {
      if (error.exitCode !== 0) throw toUsageError(error);
    });
  for (const { title, flags } of groups) {
    for (const flag of flags) command.addOption(toOption(flag).helpGroup(title));
  }
  return command;
};

const toUsageError = ({ message }: CommanderError): FleetError =>
  new FleetError('invalid', {
    code: 'BadUsage',
    message: message.replace(/^error: /, '').replaceAll('\n', ' '),
    hint: 'Run it with --help for all flags.',
  });

const toOption = ({ flag, is, standard, env, parse = (text) => text, repeats, conflicts = [] }: Flag): Option => {
  const option = new Option(flag, env === undefined ? is : `${is} (variable ${env})`).conflicts([...conflicts]);
  if (option.isBoolean()) return option;
  const read = (text: string): unknown => namingFlag(option, () => parse(text));
  if (repeats === 'yes') {
    return option.default([], 'none').argParser((text, before: readonly unknown[]) => [...before, read(text)]);
  }
  option.argParser(read);
  return standard === undefined ? option : option.default(parse(standard), standard || 'none');
};

const namingFlag = <T>(option: Option, parse: () => T): T => {
  try {
    return parse();
  } catch (thrown) {
    const { kind, code, message, hint = '' } = toFleetError(thrown);
    throw new FleetError(kind, { code, message: `${option.long}: ${message}`, hint, cause: thrown });
  }
};

export type Env = Readonly<Record<string, string | undefined>>;

/** Variables count as flags that were given first, so that flags win. An empty one says nothing. */
export const argsFromEnv = (groups: readonly FlagGroup[], env: Env): readonly string[] =>
  groups
    .flatMap(({ flags }) => flags)
    .flatMap(({ flag, env: name }) => {
      const value = name === undefined ? '' : (env[name] ?? '');
      return value === '' ? [] : [`${flag.split(' ')[0]}=${value}`];
    });

/** Refuses what asks for something that is not here; returns sentences about what has no effect. */
export const judgeOthers = (command: Command, groups: readonly FlagGroup[]): readonly string[] =>
  groups
    .flatMap(({ flags }) => flags)
    .flatMap((flag) => {
      const { otherwise, standard = '', parse = (text: string) => text } = flag;
      const { long, value } = readFlag(command, flag);
      if (otherwise === undefined || isEqualJson(value, parse(standard))) return [];
      if (otherwise.do === 'note') return [`${long} has no effect: ${otherwise.why}`];
      throw new FleetError('invalid', {
        code: 'FlagNotSupported',
        message: `${long} is set, but ${otherwise.why}`,
        hint: `Leave it out${flag.env === undefined ? '' : `, and the variable ${flag.env}`}; docs/compatibility.md says what else is not here.`,
      });
    });

const readFlag = (command: Command, { flag }: Flag): { readonly long: string; readonly value: unknown } => {
  const option = new Option(flag);
  const value: unknown = command.getOptionValue(option.attributeName());
  return { long: option.long ?? flag, value };
};
