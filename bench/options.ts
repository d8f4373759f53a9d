/** The command line of `npm run bench`. Pure. */
import { parseArgs } from 'node:util';
import { FleetError, messageOf } from '../src/base/errors.ts';

export interface BenchOptions {
  readonly do: 'measure' | 'list' | 'help';
  /** In the order of the index, whatever the order asked for. */
  readonly ids: readonly string[];
  readonly format: 'table' | 'json';
  readonly rounds: number;
  /** Whether an unmet goal is a failure. */
  readonly unmet: 'shown' | 'fails';
}

const ROUNDS_DEFAULT = 5;
const ROUNDS_MAX = 1_000;

export const HELP = `npm run bench -- [options]

Measures ours and the official JavaScript client side by side, round by round, each in a fresh process, and prints the
medians. The ratio is ours divided by the peer's. Progress and facts about this machine go to stderr.

  --only id,...  measure only these (see --list)
  --rounds N     measure each side N times (${ROUNDS_DEFAULT})
  --json         print one JSON line per figure and nothing else
  --strict       exit with 1 when a goal is not met
  --list         list the benchmarks
  --help         print this
`;

export const parseOptions = (args: readonly string[], known: readonly string[]): BenchOptions => {
  const { help, list, only, json, rounds, strict } = parseFlags(args);
  return {
    do: help === true ? 'help' : list === true ? 'list' : 'measure',
    ids: only === undefined ? known : parseOnly(only, known),
    format: json === true ? 'json' : 'table',
    rounds: rounds === undefined ? ROUNDS_DEFAULT : parseRounds(rounds),
    unmet: strict === true ? 'fails' : 'shown',
  };
};

const parseFlags = (args: readonly string[]) => {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        help: { type: 'boolean', short: 'h' },
        list: { type: 'boolean' },
        only: { type: 'string' },
        json: { type: 'boolean' },
        rounds: { type: 'string' },
        strict: { type: 'boolean' },
      },
    });
    return values;
  } catch (error) {
    throw badUsage(messageOf(error), 'Run `npm run bench -- --help` for the options.');
  }
};

const parseOnly = (text: string, known: readonly string[]): readonly string[] => {
  const asked = text
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
  const unknown = asked.filter((id) => !known.includes(id));
  if (unknown.length > 0) throw badUsage(`there is no benchmark ${unknown.join(', ')}`, `Known: ${known.join(', ')}.`);
  if (asked.length === 0) throw badUsage('--only names no benchmark', `Known: ${known.join(', ')}.`);
  return known.filter((id) => asked.includes(id));
};

const parseRounds = (text: string): number => {
  const rounds = Number(text);
  if (/^\d+$/.test(text) && rounds >= 1 && rounds <= ROUNDS_MAX) return rounds;
  throw badUsage(`--rounds wants a number from 1 to ${ROUNDS_MAX}, not "${text}"`, `The default is ${ROUNDS_DEFAULT}.`);
};

const badUsage = (message: string, hint: string): FleetError =>
  new FleetError('invalid', { code: 'BadUsage', message, hint });
