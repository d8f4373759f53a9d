import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JournalEntry } from './journal-entry.ts';
import {
  deadlineOf,
  MOVE_FOR,
  MOVES,
  type Move,
  STAGES,
  type Stage,
  stageOf,
  WISHES,
  type Wish,
  wishOf,
} from './plan-pod.ts';
import { samplePod, UID } from './testing/pod-samples.ts';

const DELETED = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const NOW = Date.UTC(2026, 0, 1);
const RUNNING = {
  containerStatuses: [{ name: 'main', image: 'i', imageID: '', ready: true, restartCount: 0, state: { running: {} } }],
};

const entry = (stage: JournalEntry['stage']): JournalEntry => ({
  ...{ uid: UID, namespace: 'ns', name: 'job', vm: 'vm', image: 'i', stage, restarts: 0 },
});

describe('what a Pod wishes', () => {
  const rows: readonly { story: string; pod: Parameters<typeof wishOf>[0]; facts?: object; wish: Wish }[] = [
    { story: 'a Pod that is not there is gone', pod: undefined, wish: 'gone' },
    { story: 'a fresh Pod runs', pod: samplePod(), wish: 'run' },
    {
      story: '§7-1 deletion comes before the end: a Succeeded Pod that is deleted ends',
      pod: samplePod({ metadata: DELETED, status: { phase: 'Succeeded' } }),
      wish: 'end',
    },
    {
      story: 'a Failed Pod that is deleted ends too',
      pod: samplePod({ metadata: DELETED, status: { phase: 'Failed' } }),
      wish: 'end',
    },
    { story: 'a Succeeded Pod is over', pod: samplePod({ status: { phase: 'Succeeded' } }), wish: 'over' },
    {
      story: 'one that asks for the impossible is refused',
      pod: samplePod(),
      facts: { refusal: 'no' },
      wish: 'refused',
    },
    {
      story: 'one that is refused and deleted ends',
      pod: samplePod({ metadata: DELETED }),
      facts: { refusal: 'no' },
      wish: 'end',
    },
    { story: 'one whose liveness probe failed is unwell', pod: samplePod(), facts: { isUnwell: true }, wish: 'unwell' },
    {
      story: 'one whose command ended is done, however well',
      pod: samplePod(),
      facts: { isUnwell: true, isDone: true },
      wish: 'done',
    },
    {
      story: 'one that runs and would be refused now is done all the same when its command has ended',
      pod: samplePod(),
      facts: { refusal: 'no', isDone: true },
      wish: 'done',
    },
    { story: 'and unwell by its probe', pod: samplePod(), facts: { refusal: 'no', isUnwell: true }, wish: 'unwell' },
    {
      story: 'S23 one that is told to run where nothing of it is known is lost',
      pod: samplePod({ status: RUNNING }),
      facts: { isUntraced: true, isLeaving: true },
      wish: 'lost',
    },
    { story: 'one that was only claimed is not', pod: samplePod(), facts: { isUntraced: true }, wish: 'run' },
    {
      story: 'one that is deleted meanwhile ends',
      pod: samplePod({ metadata: DELETED, status: RUNNING }),
      facts: { isUntraced: true },
      wish: 'end',
    },
    { story: 'one whose Mac shuts down leaves', pod: samplePod(), facts: { isLeaving: true }, wish: 'leaving' },
    {
      story: 'one whose command ended as its Mac shuts down is done',
      pod: samplePod(),
      facts: { isLeaving: true, isDone: true },
      wish: 'done',
    },
    {
      story: 'one that is deleted as its Mac shuts down ends',
      pod: samplePod({ metadata: DELETED }),
      facts: { isLeaving: true },
      wish: 'end',
    },
    {
      story: 'one past its deadline has expired, and that comes before everything but deletion and the end',
      pod: samplePod({ spec: { activeDeadlineSeconds: 60 }, status: { startTime: '2025-12-31T23:59:00Z' } }),
      facts: { isUnwell: true, isDone: true, isLeaving: true, refusal: 'no' },
      wish: 'expired',
    },
    {
      story: 'one a moment before its deadline runs',
      pod: samplePod({ spec: { activeDeadlineSeconds: 60 }, status: { startTime: '2025-12-31T23:59:01Z' } }),
      wish: 'run',
    },
  ];
  for (const { story, pod, facts, wish } of rows)
    it(story, () => assert.equal(wishOf(pod, { nowMs: NOW, ...facts }), wish));

  it('has no deadline before it was accepted', () =>
    assert.equal(deadlineOf(samplePod({ spec: { activeDeadlineSeconds: 1 } })), undefined));
});

describe('where a VM is', () => {
  const rows: readonly { story: string; entry?: JournalEntry; seen?: Parameters<typeof stageOf>[1]; stage: Stage }[] = [
    { story: 'nothing on record is nothing', stage: 'nothing' },
    { story: 'work under way says it all', entry: entry('ended'), seen: { work: 'removing' }, stage: 'removing' },
    { story: 'a making that was cut short is half made', entry: entry('making'), stage: 'half-made' },
    {
      story: '§7-26 what was started by an earlier life is looked for, not started',
      entry: entry('started'),
      stage: 'unseen',
    },
    { story: 'a live process runs', entry: entry('started'), seen: { process: 'alive' }, stage: 'running' },
    { story: 'a process that is over has exited', entry: entry('started'), seen: { process: 'over' }, stage: 'exited' },
    {
      story: 'an outcome that is written down has ended, whatever was seen',
      entry: entry('ended'),
      seen: { process: 'alive' },
      stage: 'ended',
    },
    { story: 'nothing left is cleared', entry: entry('cleared'), stage: 'cleared' },
    { story: 'a claim without a record is looked for (K3)', seen: { mayHaveVm: true }, stage: 'unseen' },
  ];
  for (const { story, entry: known, seen = {}, stage } of rows)
    it(story, () => assert.equal(stageOf(known, seen), stage));
});

describe('the next move', () => {
  it('is there for every wish and every stage, and every move is somebody’s', () => {
    const made = WISHES.flatMap((wish) => STAGES.map((stage) => MOVE_FOR[wish][stage]));
    assert.equal(made.length, WISHES.length * STAGES.length);
    assert.deepEqual([...new Set(made)].sort(), [...MOVES].sort());
  });

  const ENDING: readonly Wish[] = ['over', 'end', 'gone'];

  it('never makes or starts a VM for a Pod that is over, deleted or gone (S25)', () => {
    for (const wish of ENDING)
      for (const stage of STAGES) assert.notEqual(MOVE_FOR[wish][stage], 'create', `${wish} ${stage}`);
  });

  it('lets a finalizer go only where nothing is left (S24)', () => {
    for (const wish of WISHES) {
      const releasing = STAGES.filter((stage) => MOVE_FOR[wish][stage] === 'release');
      assert.deepEqual(
        releasing.filter((stage) => stage !== 'nothing' && stage !== 'cleared'),
        [],
        wish,
      );
    }
  });

  it('removes no disk under a process (S27)', () => {
    for (const wish of WISHES)
      for (const stage of ['making', 'running', 'unseen', 'stopping'] as const)
        assert.notEqual(MOVE_FOR[wish][stage], 'remove');
  });

  it('§7-43 writes an outcome down before anything is torn down, except for a Pod that nobody can read any more', () => {
    for (const wish of WISHES) assert.equal(MOVE_FOR[wish].exited, wish === 'gone' ? 'remove' : 'settle', wish);
  });

  const rows: readonly [story: string, wish: Wish, stage: Stage, move: Move][] = [
    ['a fresh Pod gets a VM', 'run', 'nothing', 'create'],
    ['a VM that was only half made is made again', 'run', 'half-made', 'create'],
    ['a run that ended is never started again before its policy was asked (K2)', 'run', 'ended', 'conclude'],
    ['F90: a Pod that is deleted while its image is pulled is cancelled', 'end', 'making', 'cancel'],
    ['F90: and what was made until then is removed', 'end', 'half-made', 'remove'],
    ['§7-14 a deleted Pod whose VM is gone is let go', 'end', 'cleared', 'release'],
    ['a Pod of an older version that runs what is refused now may go on', 'refused', 'running', 'report'],
    ['an impossible Pod is refused before anything is made', 'refused', 'nothing', 'reject'],
    ['F89: a VM without a Pod is stopped', 'gone', 'running', 'stop'],
    ['an overdue Pod is stopped', 'expired', 'running', 'stop'],
    ['an overdue Pod without a VM is over', 'expired', 'nothing', 'reject'],
    ['S23 a Pod that ran on another Mac is over, whatever its policy', 'lost', 'nothing', 'reject'],
    ['S23 it is looked for first', 'lost', 'unseen', 'look'],
    ['a VM whose command ended is switched off', 'done', 'running', 'stop'],
    ['an unwell VM is stopped', 'unwell', 'running', 'stop'],
    ['a stop takes no longer than a deletion that comes meanwhile says', 'end', 'stopping', 'hasten'],
    ['a stop takes no longer than a Mac that shuts down has', 'leaving', 'stopping', 'hasten'],
    ['an unwell Pod that is not running yet is not harmed', 'unwell', 'nothing', 'create'],
  ];
  for (const [story, wish, stage, move] of rows) it(story, () => assert.equal(MOVE_FOR[wish][stage], move));
});
