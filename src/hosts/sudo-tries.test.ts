import assert from 'node:assert/strict';
import test from 'node:test';
import { FleetError } from '../base/errors.ts';
import { Secret } from '../base/secret.ts';
import { assertMayTry, fingerprintPassword, type SudoTry } from './sudo-tries.ts';

/** `<value> <outcome>` for each. */
const triesOf = (...tries: readonly string[]): readonly SudoTry[] =>
  tries.map((text) => {
    const [value = '', outcome] = text.split(' ');
    return { value, at: '2026-01-01T00:00:00Z', outcome: outcome === 'sent' ? 'sent' : 'refused' };
  });

const rows: readonly { readonly story: string; readonly tries: readonly SudoTry[]; readonly verdict: string }[] = [
  { story: 'a first password is tried', tries: [], verdict: 'tried' },
  { story: 'a refused one is not tried again', tries: triesOf('new refused'), verdict: 'SudoPasswordRefused' },
  { story: 'a new value after a refused one is tried', tries: triesOf('old refused'), verdict: 'tried' },
  { story: 'one whose answer was lost is tried once more', tries: triesOf('new sent'), verdict: 'tried' },
  { story: 'but not a third time', tries: triesOf('new sent', 'new sent'), verdict: 'SudoPasswordRefused' },
  {
    story: 'nothing is tried any more before PAM locks the account',
    tries: triesOf('a refused', 'b refused', 'c refused', 'd refused'),
    verdict: 'SudoTriesSpent',
  },
  {
    story: 'lost answers count, since they may have been refusals',
    tries: triesOf('a sent', 'a sent', 'b sent', 'b sent'),
    verdict: 'SudoTriesSpent',
  },
];

for (const { story, tries, verdict } of rows) {
  test(`000-2, 000-3: ${story}`, () => {
    const verdictOf = (): string => {
      try {
        assertMayTry(tries, 'new');
        return 'tried';
      } catch (error) {
        assert.ok(error instanceof FleetError && error.kind === 'denied');
        return error.code;
      }
    };
    assert.equal(verdictOf(), verdict);
  });
}

test('a fingerprint tells passwords apart, only for one key, and holds none', () => {
  const [one, other] = [new Secret('hunter2'), new Secret('hunter3')];
  const [key, foreign] = [new Secret('key'), new Secret('foreign')];
  assert.equal(fingerprintPassword(one, key), fingerprintPassword(new Secret('hunter2'), key));
  assert.notEqual(fingerprintPassword(one, key), fingerprintPassword(other, key));
  assert.notEqual(fingerprintPassword(one, key), fingerprintPassword(one, foreign));
  assert.match(fingerprintPassword(one, key), /^[0-9a-f]{16}$/);
});
