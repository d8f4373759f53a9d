import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { RUNNER_STATES, type RunnerState } from '../../dispatch/port/wire.ts';
import type { ServiceAccount } from '../../kube/types/core.ts';
import type { Pod } from '../../kube/types/pod.ts';
import { endOf, isAbnormalEnd, mayHavePolled } from '../runner-pod.ts';
import { BUSY, LEAVING, ROLLING, runner } from '../testing/runner-pods.ts';
import { judgeStanding } from './judge-standing.ts';
import { planRunner, type RunnerPlan, type RunnerView } from './plan-runner.ts';

const NOW = Date.parse('2026-08-01T11:01:00Z');
const account = (bornAt: string): ServiceAccount => ({ metadata: { name: 'a', creationTimestamp: bornAt } });
const view = (more: Partial<RunnerView>): RunnerView => ({
  ...{ pod: undefined, account: undefined, isOnRecord: false, isEndKnown: false, pool: 'up', nowMs: NOW },
  ...more,
});

describe('what is done for a runner', () => {
  const deleting = runner('a', { is: 'deleting' });
  const unheld: Pod = { ...deleting, metadata: { ...deleting.metadata, finalizers: [] } };
  const later = NOW + 600_000;
  const rows: readonly {
    readonly story: string;
    readonly view: Partial<RunnerView>;
    readonly plan: RunnerPlan['do'];
  }[] = [
    { story: 'nothing is left of it', view: {}, plan: 'forget' },
    { story: 'it waits for jobs', view: { pod: runner('a') }, plan: 'leave' },
    { story: 'it has one (§7-46)', view: { pod: runner('a', { labels: BUSY }) }, plan: 'watch-job' },
    { story: 'it has one, in a pause', view: { pod: runner('a', { labels: BUSY }), pool: 'paused' }, plan: 'leave' },
    {
      story: 'somebody says that it has one before it runs',
      view: { pod: runner('a', { is: 'starting', labels: BUSY }) },
      plan: 'leave',
    },
    { story: 'it was asked to leave', view: { pod: runner('a', { labels: LEAVING }) }, plan: 'drain' },
    { story: 'it was asked to leave for a roll', view: { pod: runner('a', { labels: ROLLING }) }, plan: 'drain' },
    {
      story: 'it was asked and is known to be busy: the dispatcher judges',
      view: { pod: runner('a', { labels: { ...LEAVING, ...BUSY } }) },
      plan: 'drain',
    },
    { story: 'its pool is paused', view: { pod: runner('a', { labels: LEAVING }), pool: 'paused' }, plan: 'leave' },
    { story: 'it ended', view: { pod: runner('a', { is: 'succeeded' }) }, plan: 'reap' },
    { story: 'it failed', view: { pod: runner('a', { is: 'failed' }) }, plan: 'reap' },
    { story: 'it is of another system', view: { pod: runner('a', { is: 'failed' }), pool: 'foreign' }, plan: 'leave' },
    { story: 'somebody deletes it (S35)', view: { pod: deleting }, plan: 'see-off' },
    {
      story: 'it should be gone for long, but somebody holds it (§7-45)',
      view: { pod: deleting, nowMs: later },
      plan: 'see-off',
    },
    {
      story: 'it should be gone for long, and nobody holds it (§7-45, §7-32)',
      view: { pod: unheld, nowMs: later },
      plan: 'look-for-node',
    },
    { story: 'its Pod may be on its way', view: { account: account('2026-08-01T11:00:30Z') }, plan: 'await-pod' },
    {
      story: 'its Pod is on record',
      view: { account: account('2026-08-01T09:00:00Z'), isOnRecord: true },
      plan: 'await-pod',
    },
    {
      story: 'its Pod is gone, and nobody saw it (S35, F98)',
      view: { account: account('2026-08-01T09:00:00Z') },
      plan: 'close',
    },
    {
      story: 'its Pod was seen to end',
      view: { account: account('2026-08-01T11:00:30Z'), isEndKnown: true },
      plan: 'close',
    },
  ];
  for (const row of rows) it(row.story, () => assert.equal(planRunner(view(row.view)).do, row.plan));

  it('a report is waited for a day, and ten minutes where a person waits for the pool', () => {
    const pod = runner('a', { is: 'succeeded' });
    assert.deepEqual(planRunner(view({ pod })), { do: 'reap', patienceMs: 86_400_000 });
    assert.deepEqual(planRunner(view({ pod, pool: 'deleting' })), { do: 'reap', patienceMs: 600_000 });
  });
});

describe('what the dispatcher says of a runner that was asked to leave (N8, S30)', () => {
  const rows: readonly (readonly [RunnerState, boolean, string])[] = [
    ['idle', true, 'delete'],
    ['idle', false, 'ask-again'],
    ['claimed', true, 'leave'],
    ['running', true, 'leave'],
    ['finishing', true, 'leave'],
    ['finished', true, 'over'],
    ['finished', false, 'over'],
    ['unknown', true, 'ask-again'],
  ];
  for (const [state, refused, verdict] of rows)
    it(`${state}${refused ? '' : ', not refused'}: ${verdict}`, () =>
      assert.equal(judgeStanding({ protocol: 2, state, refused }), verdict));

  it('the original protocol: only what never had a VM', () =>
    assert.equal(judgeStanding({ protocol: 1 }), 'only-unstarted'));

  it('nothing but idle and refused leads to a delete', () => {
    fc.assert(
      fc.property(fc.constantFrom(...RUNNER_STATES), fc.boolean(), (state, refused) => {
        const isDelete = judgeStanding({ protocol: 2, state, refused }) === 'delete';
        assert.equal(isDelete, state === 'idle' && refused);
      }),
    );
  });
});

describe('whether there may be a VM that asks for jobs', () => {
  const rows = [
    ['unbound', false],
    ['bound', false],
    ['starting', true],
    ['running', true],
    ['succeeded', true],
  ] as const;
  for (const [is, may] of rows) it(`${is}: ${may}`, () => assert.equal(mayHavePolled(runner('a', { is })), may));

  it('one that says of a container that it runs, whatever the phase', () => {
    const containerStatuses = [
      { name: 'runner', image: '', imageID: '', ready: false, restartCount: 0, state: { running: {} } },
    ];
    assert.equal(mayHavePolled(runner('a', { is: 'bound', status: { containerStatuses } })), true);
  });
});

const ended = (exitCode: number, reason = 'Completed', finishedAt = '2026-08-01T10:59:00Z'): Pod['status'] => ({
  containerStatuses: [
    {
      ...{ name: 'runner', image: '', imageID: '', ready: false, restartCount: 0 },
      state: { terminated: { exitCode, reason, finishedAt } },
    },
  ],
});

describe('an end that is worth its log (§9.8-14, §7-43)', () => {
  const rows: readonly (readonly [string, Pod, boolean])[] = [
    ['a good one', runner('a', { is: 'succeeded', status: ended(0) }), false],
    ['a VM that told nothing', runner('a', { is: 'succeeded', status: ended(0, 'TartRunExited') }), true],
    ['a tart that failed', runner('a', { is: 'failed', status: ended(0, 'TartRunFailed') }), true],
    ['a code', runner('a', { is: 'failed', status: ended(2, 'Error') }), true],
    ['a kill', runner('a', { is: 'failed', status: ended(137, 'Error') }), true],
    ['failed without a word', runner('a', { is: 'failed' }), true],
    ['deleted', runner('a', { is: 'deleting' }), true],
    ['deleted, asked to leave before', runner('a', { is: 'deleting', labels: LEAVING }), false],
    ['its VM stopped then', runner('a', { is: 'deleting', labels: ROLLING, status: ended(137, 'Error') }), false],
    ['deleted with a job, asked or not', runner('a', { is: 'deleting', labels: { ...LEAVING, ...BUSY } }), true],
    ['dead by itself after it was asked', runner('a', { is: 'failed', labels: LEAVING, status: ended(2) }), true],
    ['succeeded without a word', runner('a', { is: 'succeeded' }), false],
  ];
  for (const [story, pod, is] of rows) it(story, () => assert.equal(isAbnormalEnd(pod), is));
});

describe('when a runner ended (§3.12)', () => {
  const rows: readonly (readonly [string, Pod, string])[] = [
    ['when its container did', runner('a', { is: 'succeeded', status: ended(0) }), '2026-08-01T10:59:00Z'],
    ['since it is deleted', runner('a', { is: 'deleting' }), '2026-08-01T11:00:00Z'],
    ['now', runner('a', { is: 'failed' }), '2026-08-01T11:01:00Z'],
  ];
  for (const [story, pod, at] of rows) it(story, () => assert.equal(endOf(pod, NOW), at));
});
