import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FleetPicture, MacRow } from '../../src/cli/up/fleet-picture.ts';
import { renderPicture } from '../../src/cli/up/render-picture.ts';
import { compareShapes, shapeOf } from './shape.ts';

const mac = (id: string, fleet: string, more: Partial<MacRow> = {}): MacRow => ({
  ...{ mac: id, fleet, state: 'joined', step: '', sinceMs: 0, waitsFor: '', node: 'Ready', pods: 1 },
  ...more,
});
const PICTURE = {
  atMs: 20_000,
  macs: [mac('05654364', 'macos'), mac('2dc3c38d', 'runners')],
  work: [
    { work: 'job/hello-macos', ready: '3/3 done' },
    { work: 'runnerpool/ci', ready: '2/2 alive' },
  ],
  pods: [
    { pod: 'ci-runner-18633645', state: 'Pending', node: 'runners-eaa5de7b60-d8lfw', sinceMs: 0, waitsFor: 'its VM' },
    { pod: 'simulator-farm-6cc2d76686-27szd', state: 'Running', node: 'macos-62-5rxmm', sinceMs: 0, waitsFor: '' },
  ],
  jobs: [
    { job: '1001', state: 'done', runner: 'ci-runner-1', waitedMs: 3_000, ranMs: 600 },
    { job: '1002', state: 'running', runner: 'ci-runner-2', waitedMs: 3_000, ranMs: 600 },
  ],
} as const satisfies FleetPicture;

const shape = (picture: FleetPicture, command = '$ up') => shapeOf(`${command}\n\n${renderPicture(picture)}`);
const differences = (other: FleetPicture) =>
  compareShapes(shape(PICTURE), shape(other)).map(({ is, line }) => `${is}: ${line}`);

describe('two recordings', () => {
  it('are the same but for chance and time', () => {
    const [, runners] = PICTURE.macs;
    const later: FleetPicture = {
      atMs: 99_000,
      // In another order, by other ids.
      macs: [{ ...runners, mac: '00000000', pods: 0 }, mac('ffffffff', 'macos', { sinceMs: 50_000 })],
      work: [PICTURE.work[0], { work: 'runnerpool/ci', ready: '1/2 alive' }],
      pods: [{ ...PICTURE.pods[1], pod: 'simulator-farm-6cc2d76686-aaaaa', node: 'macos-62-bbbbb' }],
      jobs: PICTURE.jobs.map((job) => ({ ...job, state: 'done', runner: 'ci-runner-9', ranMs: 4_000 })),
    };
    assert.deepEqual(differences(later), []);
  });

  const rows: readonly { story: string; other: Partial<FleetPicture>; tells: readonly string[] }[] = [
    {
      story: 'a Mac that waits',
      other: { macs: [PICTURE.macs[0], mac('a', 'runners', { waitsFor: 'a wipe' })] },
      tells: [
        'only in the picture: joined | Ready | - | runners',
        'only recorded now: joined | Ready | - | runners | a wipe',
      ],
    },
    {
      story: 'a Mac more',
      other: { macs: [...PICTURE.macs, mac('a', 'macos')] },
      tells: ['only recorded now: joined | Ready | - | macos'],
    },
    {
      story: 'a Job that is not done',
      other: { work: [{ work: 'job/hello-macos', ready: '2/3 done' }, PICTURE.work[1]] },
      tells: [
        'only in the picture: job/hello-macos 3/3 done · runnerpool/ci …/2 alive',
        'only recorded now: job/hello-macos 2/3 done · runnerpool/ci …/2 alive',
      ],
    },
    {
      story: 'a CI job less',
      other: { jobs: PICTURE.jobs.slice(0, 1) },
      tells: [
        'only in the picture: 1002',
        'only in the picture: … of 2 CI jobs done',
        'only recorded now: … of 1 CI jobs done',
      ],
    },
    {
      story: 'a Pod that lasts and does not run',
      other: {
        pods: [PICTURE.pods[0], { ...PICTURE.pods[1], state: 'Failed' }, { ...PICTURE.pods[1], state: 'Pending' }],
      },
      tells: [
        'only in the picture: simulator-farm-6cc2d76686-… | Running | macos-62-…',
        'only recorded now: simulator-farm-6cc2d76686-… | Pending | macos-62-…',
      ],
    },
  ];
  for (const { story, other, tells } of rows) {
    it(`differ by ${story}`, () => assert.deepEqual(differences({ ...PICTURE, ...other }), tells));
  }

  it('differ by a heading, and by the command', () => {
    const renamed = renderPicture(PICTURE).replace('WAITS FOR', 'WHY');
    assert.equal(compareShapes(shape(PICTURE), shapeOf(`$ up --all\n\n${renamed}`)).length, 4);
  });
});
