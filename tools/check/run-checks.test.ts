/** What a person sees of the static checks. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createManualClock } from '../../src/base/testing/manual-clock.ts';
import { type CheckOutcome, runChecks } from './run-checks.ts';

const CHECKS = ['format', 'types', 'lint'].map((name) => ({ name, command: ['npm', 'run', name] }));

const check = async (outcomes: Readonly<Record<string, CheckOutcome | Error>>) => {
  const clock = createManualClock();
  let text = '';
  let running = 0;
  let runningMax = 0;
  const passed = await runChecks(CHECKS, {
    clock,
    places: 2,
    run: async ({ name }) => {
      running += 1;
      runningMax = Math.max(runningMax, running);
      await Promise.resolve();
      clock.advance(1_500);
      running -= 1;
      const outcome = outcomes[name] ?? { exitCode: 0, output: 'quiet' };
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
    print: (part) => {
      text += part;
    },
  });
  return { passed, text, runningMax };
};

describe('the static checks', () => {
  test('print a line each with the time it took, and nothing more, when all is well', async () => {
    const { passed, text, runningMax } = await check({});
    assert.equal(passed, true);
    assert.equal(text, '✔ format (3s)\n✔ types (3s)\n✔ lint (1s500ms)\n');
    assert.equal(runningMax, 2);
  });

  test('all run although one fails, and the output of that one comes last', async () => {
    const { passed, text } = await check({ format: { exitCode: 1, output: 'a.ts is not formatted\n' } });
    assert.equal(passed, false);
    assert.match(text, /✔ lint [\s\S]+\n✖ format: npm run format\na\.ts is not formatted\n$/);
    assert.doesNotMatch(text, /quiet/);
  });

  test('fail when one of them cannot even start', async () => {
    const { passed, text } = await check({ types: new Error('spawn npm ENOENT') });
    assert.equal(passed, false);
    assert.match(text, /✖ types: npm run types\nspawn npm ENOENT\n/);
  });
});
