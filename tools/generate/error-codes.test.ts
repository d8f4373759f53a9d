import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { collectErrorCodes } from './error-codes.ts';

/** `§{` stands for the beginning of a substitution. */
const collect = (text: string, path = 'src/a/b.ts') => collectErrorCodes(new Map([[path, text.replaceAll('§', '$')]]));

describe('the codes of errors are read from', () => {
  const rows: readonly { story: string; text: string; is: object }[] = [
    {
      story: 'where an error is made, with a mark for what is put in',
      text: "throw new FleetError('invalid', { code: 'BadX', message: `no §{`x`} at §{y}, sorry`, hint: 'Do y.' });",
      is: { kind: 'invalid', message: 'no … at …, sorry', hint: 'Do y.' },
    },
    {
      story: 'choices, all of them',
      text: "new FleetError('denied', { ...{ code: 'BadX', message: a === 'b' ? 'one' : `two §{c}` }, cause });",
      is: { kind: 'denied', message: 'one / two …' },
    },
    {
      story: 'a row of a table, which has its kind beside it',
      text: "const A = [{ kind: 'contract', code: 'BadX', why: 'it is no HTTP', hint: 'Look.' }];",
      is: { kind: 'contract', message: 'it is no HTTP', hint: 'Look.' },
    },
    {
      story: 'the call of a helper',
      text: "const bad = (code: string, message: string, hint: string) => new FleetError('invalid', { code, message, hint }); bad('BadX', `no §{x}`, 'Do y.');",
      is: { kind: 'invalid', message: 'no …', hint: 'Do y.' },
    },
    {
      story: 'a name that stands for a code',
      text: "const GONE = 'BadX';\nnew FleetError('unavailable', { code: GONE, message: 'gone' });",
      is: { kind: 'unavailable', message: 'gone' },
    },
  ];
  for (const { story, text, is } of rows) {
    it(story, () => assert.deepEqual(collect(text), [{ code: 'BadX', cases: [is] }]));
  }
  it('nothing else: no code without a kind, no test, no simulator', () => {
    assert.deepEqual(collect("const rule = { code: 'BadX', message: 'no error' };"), []);
    const text = "new FleetError('bug', { code: 'BadX', message: 'x' });";
    for (const path of ['src/a.test.ts', 'src/a/testing/b.ts', 'src/sim/a.ts', 'tools/a.ts']) {
      assert.deepEqual(collect(text, path), []);
    }
  });
});
