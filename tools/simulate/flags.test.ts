import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseSimulateFlags } from './flags.ts';

describe('the flags of npm run simulate', () => {
  const wrong = [
    { story: 'an unknown flag', args: ['--sed', '7'], says: /unknown option '--sed'/ },
    { story: 'two modes at once', args: ['--seed', '7', '--mutants'], says: /cannot be used with/ },
    { story: 'a word that belongs to nothing', args: ['7'], says: /too many arguments/ },
  ];
  for (const { story, args, says } of wrong) {
    it(`answer ${story} with where the help is`, () => {
      assert.throws(() => parseSimulateFlags(args), {
        code: 'BadUsage',
        message: says,
        hint: 'Run `npm run simulate -- --help` for all flags.',
      });
    });
  }

  it('want whole numbers', () => {
    assert.throws(() => parseSimulateFlags(['--seeds', 'many']), { code: 'BadNumber', message: /"many"/ });
  });

  it('leave it to the mode how many schedules there are, from seed 1 on', () => {
    const { seeds, from, workers } = parseSimulateFlags([]);
    assert.deepEqual({ seeds, from, workers }, { seeds: undefined, from: 1, workers: undefined });
  });
});
