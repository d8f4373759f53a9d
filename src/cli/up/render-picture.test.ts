import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { diagnose } from './diagnose.ts';
import { createDisplay } from './display.ts';
import type { FleetPicture, MacRow } from './fleet-picture.ts';
import { findChanges, renderChange } from './picture-changes.ts';
import { renderPicture } from './render-picture.ts';
import { shareMachines } from './share-machines.ts';

const MAC: MacRow = {
  ...{ mac: '68083f97', fleet: 'macos', state: 'preparing', step: '3/9 firewall', sinceMs: 1_000 },
  ...{ waitsFor: 'attempt 1 failed: pfctl: Resource busy', node: '-', pods: 0 },
};
const PICTURE: FleetPicture = {
  atMs: 13_400,
  macs: [MAC],
  work: [{ work: 'job/hello-macos', ready: '1/3 done' }],
  pods: [
    { pod: 'hello-1', state: 'Pending', node: '-', sinceMs: 3_400, waitsFor: 'a Node' },
    { pod: 'hello-0', state: 'Succeeded', node: 'n', sinceMs: 0, waitsFor: '' },
  ],
  jobs: [{ job: '1001', state: 'queued', runner: '-', waitedMs: 1_234, ranMs: undefined }],
};

describe('the picture of a fleet', () => {
  it('shows each Mac with its state, step, how long and what it waits for, each Pod that lives, and each job', () => {
    assert.deepEqual(renderPicture(PICTURE).split('\n'), [
      'MAC       STATE        NODE      STEP                 FOR  PODS  FLEET  WAITS FOR',
      '68083f97  preparing    -         3/9 firewall         12s  0     macos  attempt 1 failed: pfctl: Resource busy',
      '',
      'job/hello-macos 1/3 done',
      '',
      'POD      STATE    NODE  FOR  WAITS FOR',
      'hello-1  Pending  -     10s  a Node',
      '',
      'CI JOB  STATE   RUNNER  WAITED  RAN',
      '1001    queued  -       1.2s    -',
      '0 of 1 CI jobs done',
    ]);
  });

  it('is never wider than the terminal, and keeps the state of a Mac in 40 columns', () => {
    const lines = renderPicture(PICTURE, 40).split('\n');
    assert.ok(lines.every(({ length }) => length <= 40));
    assert.match(lines[1] ?? '', /^68083f97 {2}preparing .*…$/);
  });

  it('stays of one height however large the fleet is, and says what is not shown', () => {
    const macs = Array.from({ length: 1_000 }, (_, at) => ({
      ...MAC,
      mac: String(at),
      state: at < 10 ? 'free' : 'joined',
    }));
    const lines = renderPicture({ ...PICTURE, macs }).split('\n');
    assert.ok(lines.length < 30, `${lines.length} lines`);
    assert.ok(lines.includes('… 1000 Macs in all: 10 free, 990 joined'));
  });

  it('is redrawn in place within the height of the terminal', () => {
    let text = '';
    const io = {
      stdout: (more: string) => {
        text += more;
      },
      stderr: () => undefined,
      env: {},
      signal: AbortSignal.abort(),
    };
    const display = createDisplay({ ...io, isTerminal: true, columns: 60, rows: 15 }, 'text', 0);
    display.show(PICTURE, 'one\ntwo');
    assert.ok(text.split('\n').length <= 15);
    assert.match(text, /two\n$/);
    const once = text;
    display.show(PICTURE, 'one\ntwo');
    assert.equal(text, once, 'what did not change is not drawn again');
  });
});

describe('what changed in a fleet', () => {
  it('is everything at first, then what differs, then what is gone; time alone is nothing', () => {
    assert.equal(findChanges(undefined, PICTURE).length, 5);
    assert.deepEqual(findChanges(PICTURE, { ...PICTURE, atMs: 99_000 }), []);
    const joined = { ...MAC, state: 'joined', step: '', waitsFor: '', node: 'Ready' } as const;
    const later = findChanges(PICTURE, { ...PICTURE, macs: [joined], pods: PICTURE.pods.slice(0, 1) });
    assert.deepEqual(later.map(renderChange), ['mac 68083f97 joined fleet=macos node=Ready', 'pod hello-0 gone']);
  });

  it('is a line of JSON each where that was asked for, also what is said', () => {
    const lines: string[] = [];
    const io = {
      stdout: (line: string) => void lines.push(line),
      stderr: () => undefined,
      env: {},
      signal: AbortSignal.abort(),
    };
    const display = createDisplay(io, 'json', 400);
    display.say('Hello.');
    display.show({ ...PICTURE, pods: [], jobs: [], work: [] }, '');
    display.show({ ...PICTURE, macs: [], pods: [], jobs: [], work: [] }, '');
    const parsed = lines.map((line): unknown => JSON.parse(line));
    const { state, step, waitsFor } = MAC;
    assert.deepEqual(parsed, [
      { kind: 'note', text: 'Hello.' },
      { kind: 'mac', name: '68083f97', afterMs: 13_000, state, step, fleet: 'macos', node: '-', waitsFor },
      { kind: 'mac', name: '68083f97', afterMs: 13_000, gone: true },
    ]);
  });
});

describe('a diagnosis', () => {
  it('names each that waits, and for what', () => {
    const standing = { wantedMachines: 2, readyNodes: 0, boundMachines: 1, withoutMac: ['macos-x'] };
    assert.deepEqual(diagnose(PICTURE, { ...standing, others: ['2 sessions of runners are open.'] }), [
      '0 of 2 Macs are ready Nodes.',
      '1 of 2 Machines have their Node.',
      'Mac 68083f97 is preparing (3/9 firewall): attempt 1 failed: pfctl: Resource busy',
      'Machine macos-x has no Mac yet.',
      'job/hello-macos is at 1/3 done.',
      'Pod hello-1 is pending: a Node',
      'CI job 1001 waits for a runner.',
      '2 sessions of runners are open.',
    ]);
  });

  const nothing = { ...PICTURE, macs: [], work: [], pods: [], jobs: [] };
  const whole = { wantedMachines: 1, readyNodes: 1, boundMachines: 1, withoutMac: [] };
  const joined = { ...MAC, state: 'joined', step: '', waitsFor: '' };
  const rows = [
    { story: 'no Mac', picture: nothing, standing: whole, is: 'No Mac has been found at the cloud yet.' },
    {
      ...{
        story: 'Macs that are free, of which more are wanted',
        picture: { ...nothing, macs: [{ ...MAC, state: 'free' }] },
      },
      ...{ standing: { ...whole, wantedMachines: 2, boundMachines: 2 }, is: '1 of 2 Macs are ready Nodes.' },
    },
    {
      ...{ story: 'a fleet of which nobody has heard', picture: { ...nothing, macs: [{ ...MAC, state: 'free' }] } },
      ...{
        standing: { ...whole, wantedMachines: undefined },
        is: 'The API has not told yet how many Macs are wanted.',
      },
    },
    {
      ...{
        story: 'a joined Mac that fell silent',
        picture: { ...nothing, macs: [{ ...joined, node: 'NotReady' as const }] },
      },
      ...{ standing: whole, is: 'Mac 68083f97 is joined, and its Node is not ready: its agent is silent.' },
    },
    {
      ...{ story: 'a joined Mac without a Node', picture: { ...nothing, macs: [joined] } },
      ...{ standing: whole, is: 'Mac 68083f97 is joined, and its Node is gone.' },
    },
    {
      story: 'a job that runs, and one that is over',
      picture: {
        ...nothing,
        macs: [{ ...MAC, state: 'free' }],
        jobs: ['running', 'done', 'done, lost'].map((state) => ({
          ...{ job: '1001', state, runner: 'r', waitedMs: 0, ranMs: 1 },
        })),
      },
      ...{ standing: whole, is: 'CI job 1001 is running.' },
    },
    {
      ...{ story: 'nothing that is to be seen', picture: { ...nothing, macs: [{ ...MAC, state: 'free' }] } },
      ...{ standing: whole, is: 'Nothing is seen to wait: `macfleet status` says more of the fleet while it runs.' },
    },
  ];
  for (const { story, picture, standing, is } of rows)
    it(`is never empty: ${story}`, () => assert.deepEqual(diagnose(picture, standing), [is]));
});

describe('Macs are shared among fleets', () => {
  const rows = [
    [3, ['macos', 'runners'], { macos: 2, runners: 1 }],
    [3, ['macos', 'runners', 'builders'], { macos: 1, runners: 1, builders: 1 }],
    [5, ['macos'], { macos: 5 }],
  ] as const;
  for (const [machines, fleets, expected] of rows)
    it(`${machines} among ${fleets.join(', ')}`, () => assert.deepEqual(shareMachines(machines, fleets), expected));
});
