import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { confirm } from './confirm.ts';

const ask = async (typed: string | undefined, flags: { readonly yes?: boolean; readonly dryRun?: boolean } = {}) => {
  let stdout = '';
  async function* lines() {
    yield typed ?? '';
  }
  const io = {
    stdout: (text: string) => {
      stdout += text;
    },
    ...{ stderr: () => undefined, env: {}, signal: new AbortController().signal },
    stdin: Object.assign(lines(), typed === undefined ? {} : { isTTY: true }),
  };
  const answer = await confirm(['A Mac will be wiped.'], { yes: false, dryRun: false, ...flags }, io);
  return { answer, stdout };
};

describe('before something is changed', () => {
  const rows = [
    { story: 'y is yes', typed: 'y\n', answer: 'yes' },
    { story: 'YES is yes', typed: 'YES\n', answer: 'yes' },
    { story: 'nothing is no', typed: '\n', answer: 'no' },
    { story: 'anything else is no', typed: 'yup\n', answer: 'no' },
    { story: 'the end of the input is no', typed: '', answer: 'no' },
  ];
  for (const { story, typed, answer } of rows) {
    it(story, async () => {
      const asked = await ask(typed);
      assert.equal(asked.answer, answer);
      assert.match(asked.stdout, /^A Mac will be wiped\.\nGo on\? \[y\/N\] /);
    });
  }
  it('--yes is not asked', async () =>
    assert.deepEqual(await ask('n\n', { yes: true }), { answer: 'yes', stdout: 'A Mac will be wiped.\n' }));
  it('a dry run is always no, also with --yes', async () => {
    const { answer, stdout } = await ask('y\n', { yes: true, dryRun: true });
    assert.deepEqual([answer, /Nothing was changed/.test(stdout)], ['no', true]);
  });
  it('without anybody to ask it is refused', async () => {
    await assert.rejects(ask(undefined), { code: 'NotConfirmed' });
  });
});
