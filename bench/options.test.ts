import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FleetError } from '../src/base/errors.ts';
import { type BenchOptions, parseOptions } from './options.ts';

const KNOWN = ['list-hold', 'requests', 'queue'];
const DEFAULTS: BenchOptions = { do: 'measure', ids: KNOWN, format: 'table', rounds: 5, unmet: 'shown' };

describe('the command line of the benchmarks', () => {
  const rows: readonly {
    readonly story: string;
    readonly args: readonly string[];
    readonly want: Partial<BenchOptions>;
  }[] = [
    { story: 'measures everything by default', args: [], want: {} },
    { story: 'measures one', args: ['--only', 'queue'], want: { ids: ['queue'] } },
    {
      story: 'keeps the order of the index, and forgives spaces and repetition',
      args: ['--only=queue, list-hold,queue,'],
      want: { ids: ['list-hold', 'queue'] },
    },
    { story: 'prints JSON', args: ['--json'], want: { format: 'json' } },
    { story: 'takes a number of rounds', args: ['--rounds', '12'], want: { rounds: 12 } },
    { story: 'fails on an unmet goal when told to', args: ['--strict'], want: { unmet: 'fails' } },
    { story: 'lists', args: ['--list'], want: { do: 'list' } },
    { story: 'helps rather than lists', args: ['--list', '--help'], want: { do: 'help' } },
    { story: 'knows the short form of help', args: ['-h'], want: { do: 'help' } },
  ];
  for (const { story, args, want } of rows) {
    test(story, () => assert.deepEqual(parseOptions(args, KNOWN), { ...DEFAULTS, ...want }));
  }

  const refused: readonly { readonly story: string; readonly args: readonly string[]; readonly says: RegExp }[] = [
    { story: 'an unknown benchmark', args: ['--only', 'queue,quue'], says: /no benchmark quue/ },
    { story: 'an empty choice', args: ['--only', ' ,'], says: /names no benchmark/ },
    { story: 'an unknown option', args: ['--onyl'], says: /--onyl/ },
    { story: 'a stray word', args: ['queue'], says: /queue/ },
    { story: 'no rounds', args: ['--rounds', '0'], says: /from 1 to/ },
    { story: 'rounds that are no number', args: ['--rounds', '1e1'], says: /"1e1"/ },
    { story: 'a missing number of rounds', args: ['--rounds'], says: /rounds/ },
  ];
  for (const { story, args, says } of refused) {
    test(`refuses ${story} as bad usage, with a way out`, () => {
      assert.throws(
        () => parseOptions(args, KNOWN),
        (error) => error instanceof FleetError && error.kind === 'invalid' && says.test(error.message) && !!error.hint,
      );
    });
  }
});
