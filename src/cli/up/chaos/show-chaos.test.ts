import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ERROR_BEHAVIOUR, toFleetError } from '../../../base/errors.ts';
import type { Ordeal } from '../../../world/chaos/render-verdict.ts';
import { completeFlags } from '../complete-flags.ts';
import { assertGood, compareWithOriginal } from './show-chaos.ts';

const GOOD: Ordeal = {
  ...{ kills: 22, otherBlows: 72, isWhole: true },
  judgement: { wrongWipes: 0, doubleClaims: 0, dirtyHandovers: 0, otherBreaches: 0, wipes: 6, findings: [] },
};

describe('the verdict on chaos', () => {
  it('is an exit code: of a fleet that kept its promises and came back it is 0', () => assertGood(GOOD, 10));

  const finding = { rule: 'S1', atMs: 0, message: 'a Mac was wiped under its machine' };
  const rows: readonly { story: string; ordeal: Ordeal }[] = [
    { story: 'broke a promise', ordeal: { ...GOOD, judgement: { ...GOOD.judgement, findings: [finding] } } },
    { story: 'did not come back', ordeal: { ...GOOD, isWhole: false } },
  ];
  for (const { story, ordeal } of rows) {
    it(`of a fleet that ${story} is another one, and says by which seed it can be seen again`, () => {
      try {
        assertGood(ordeal, 10);
        assert.fail('it was called good');
      } catch (thrown) {
        const { code, kind, hint } = toFleetError(thrown);
        assert.deepEqual([code, ERROR_BEHAVIOUR[kind].exitCode], ['PromiseBroken', 76]);
        assert.match(hint ?? '', /seed 10/);
      }
    });
  }

  it('in the README has the right column that anybody gets for its seed', async () => {
    const readme = readFileSync(join(import.meta.dirname, '..', '..', '..', '..', 'README.md'), 'utf8');
    const [, seed] = /^\$ \.\/macfleet up --chaos --compare --seed (\d+) --until verdict$/m.exec(readme) ?? [];
    const given = { clean: false, json: false, port: 0, provider: 'here', log: false } as const;
    const flags = completeFlags({ ...given, chaos: true, compare: true, until: 'verdict' }, 'linux');
    const compared = await compareWithOriginal(GOOD, flags, Number(seed));
    const start = readme.indexOf('Macs                ');
    const shown = readme.slice(start, readme.indexOf('\n```', start));
    assert.equal(shown, compared, 'of which the left column is what the README says, too');
  });
});
