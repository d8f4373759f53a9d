import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSeededRandom } from '../../base/random.ts';
import { createManualClock } from '../../base/testing/manual-clock.ts';
import { createSimCloud } from '../../sim/cloud/sim-cloud.ts';
import { createWipeWitness, judgeAudit } from './judge-audit.ts';
import { isGood, renderVerdict } from './render-verdict.ts';

const UUID = '11111111-2222-4333-8444-555555555555';
const RELEASING = `tuist-releasing-00000001-${UUID}`;
const POOL = 'tuist-pool-1';
const HOUR_MS = 3_600_000;

type Deed = readonly ['rename', string] | readonly ['reinstall'] | readonly ['wait'];

/** What the manager does to one server, one after the other. */
const play = (deeds: readonly Deed[]) => {
  const clock = createManualClock();
  const cloud = createSimCloud({ clock, random: createSeededRandom(1) });
  const { id } = cloud.addServer({ name: POOL });
  const manager = cloud.as('manager');
  for (const deed of deeds) {
    if (deed[0] === 'rename') manager.rename({ zone: cloud.zone, id }, deed[1]);
    else if (deed[0] === 'reinstall') manager.reinstall({ zone: cloud.zone, id });
    else clock.advance(HOUR_MS);
  }
  return judgeAudit(cloud.audit(), { isFleet: (caller) => caller === 'manager' });
};

const CLAIM: readonly Deed[] = [
  ['rename', `tuist-claim-pending-${UUID}`],
  ['rename', 'macos-a'],
];

const ROWS: readonly {
  readonly story: string;
  readonly deeds: readonly Deed[];
  readonly is: Partial<ReturnType<typeof judgeAudit>>;
}[] = [
  {
    story: 'a Mac that is claimed, released, wiped and offered again is well',
    deeds: [...CLAIM, ['rename', RELEASING], ['reinstall'], ['wait'], ['rename', POOL], ...CLAIM],
    is: { wipes: 1, wrongWipes: 0, doubleClaims: 0, dirtyHandovers: 0, otherBreaches: 0 },
  },
  {
    story: 'a wipe of a Mac that a machine has is wrong',
    deeds: [...CLAIM, ['reinstall']],
    is: { wipes: 1, wrongWipes: 1, doubleClaims: 0 },
  },
  {
    story: 'a claim on what another machine has is a double one',
    deeds: [...CLAIM, ['rename', 'macos-b']],
    is: { wrongWipes: 0, doubleClaims: 1, otherBreaches: 0 },
  },
  {
    story: 'the same by way of a claim that is under way',
    deeds: [...CLAIM, ['rename', `tuist-claim-pending-${UUID}`]],
    is: { doubleClaims: 1 },
  },
  {
    story: 'a pool name before the wipe is a breach, and whoever takes the Mac then has the last one’s disk',
    deeds: [...CLAIM, ['rename', POOL], ...CLAIM],
    is: { otherBreaches: 1, dirtyHandovers: 1, wrongWipes: 0, doubleClaims: 0 },
  },
];

describe('the judge of chaos', () => {
  for (const { story, deeds, is } of ROWS)
    it(story, () => {
      const judgement = play(deeds);
      assert.deepEqual({ ...judgement, ...is }, judgement);
    });

  it('counts a wipe that a witness saw once, also where the name alone tells it', () => {
    const clock = createManualClock();
    const witness = createWipeWitness(() => 'macos-a');
    const cloud = createSimCloud({ clock, random: createSeededRandom(1), onWrite: witness.hear });
    const [pooled, named] = [POOL, 'tuist-pool-2'].map((name) => cloud.addServer({ name }).id);
    const manager = cloud.as('manager');
    manager.rename({ zone: cloud.zone, id: named ?? '' }, 'macos-a');
    for (const id of [pooled ?? '', named ?? '']) manager.reinstall({ zone: cloud.zone, id });
    const { wrongWipes } = judgeAudit(cloud.audit(), { isFleet: () => true, liveWipes: witness.found() });
    assert.equal(wrongWipes, 2);
  });

  it('says all of it in one sentence', () => {
    const good = { kills: 42, otherBlows: 1, isWhole: true, judgement: play([]) };
    assert.match(
      renderVerdict(good),
      /^Verdict: 42 kills, 0 wrong wipes, 0 double claims, all Macs Ready\.\nBeside the kills 1 other blow fell/,
    );
    assert.equal(isGood(good), true);
    assert.equal(isGood({ ...good, isWhole: false }), false);
    const bad = { ...good, judgement: play([...CLAIM, ['reinstall']]) };
    assert.match(renderVerdict(bad), /1 wrong wipe, .*\n.*\n {2}\S+ is wiped under the name "macos-a"/);
    assert.equal(isGood(bad), false);
  });
});
