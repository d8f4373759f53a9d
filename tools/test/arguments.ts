/** What may stand after `npm test --`: which files, which names, and the seed of an earlier run. */
import { parseArgs } from 'node:util';
import { FleetError } from '../../src/base/errors.ts';

export interface TestPlan {
  /** Decides the order of files and tests. */
  readonly seed: number;
  /** Parts of paths; a file is taken if it holds one of them. None means all files. */
  readonly filters: readonly string[];
  /** A regular expression that the names of tests must match. */
  readonly name: string | undefined;
}

export interface TestArguments {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Taken when neither arguments nor environment name a seed. */
  readonly freshSeed: number;
}

const SEED_MAX = 2 ** 32 - 1;
export const TEST_USAGE = 'Write npm test -- [--seed <number>] [--name <pattern>] [part of a path …].';

export const parseTestArguments = ({ args, env, freshSeed }: TestArguments): TestPlan => {
  const { values, positionals } = parseOptions(args);
  const stated = values.seed ?? env['MACFLEET_TEST_SEED'];
  return {
    seed: stated === undefined ? freshSeed : parseSeed(stated),
    filters: positionals,
    name: values.name,
  };
};

const parseOptions = (args: readonly string[]) => {
  try {
    const options = { seed: { type: 'string' }, name: { type: 'string' } } as const;
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (cause) {
    throw new FleetError('invalid', {
      code: 'BadTestArguments',
      message: 'cannot read the arguments',
      hint: TEST_USAGE,
      cause,
    });
  }
};

const parseSeed = (text: string): number => {
  const seed = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (seed <= SEED_MAX) return seed;
  throw new FleetError('invalid', {
    code: 'BadTestSeed',
    message: `"${text}" is not a seed`,
    hint: `A seed is a whole number from 0 to ${SEED_MAX}. ${TEST_USAGE}`,
  });
};

/** The command that runs the same tests in the same order again. */
export const renderRepeat = ({ seed, filters, name }: TestPlan, command = 'npm test'): string =>
  [
    `${command} --`,
    `--seed ${seed}`,
    ...(name === undefined ? [] : [`--name ${quote(name)}`]),
    ...filters.map(quote),
  ].join(' ');

const quote = (text: string): string => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
