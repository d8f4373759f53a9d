import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Pod } from '../../kube/types/pod.ts';
import { isAlive, isKnownBusy, isLeaving } from '../runner-pod.ts';
import {
  BUSY,
  IMAGE,
  LEAVING,
  OLD_IMAGE,
  poolWith,
  ROLLING,
  type RunnerFacts,
  runner,
} from '../testing/runner-pods.ts';
import { CREATE_MAX, type PoolView, planPool, rollCapOf } from './plan-pool.ts';
import { WARM_MAX_MS } from './warm-age.ts';

/** An hour after those that nobody gave another birthday came up. */
const NOW = Date.parse('2026-08-01T11:00:00Z');

interface Row {
  readonly story: string;
  readonly replicas: number;
  readonly pods?: readonly Pod[];
  readonly creating?: readonly string[];
  readonly percent?: number;
  readonly draining?: readonly string[];
  readonly life?: PoolView['life'];
  readonly nowMs?: number;
  readonly announce?: number;
  readonly create?: readonly string[];
  /** `name: why`. */
  readonly retire?: readonly string[];
}

const viewOf = ({ replicas, pods = [], creating = [], percent, draining = [], ...row }: Row): PoolView => ({
  spec: poolWith({ replicas, ...(percent === undefined ? {} : { rollout: { maxConcurrentPercent: percent } }) }).spec,
  ...{ life: row.life ?? 'up', nowMs: row.nowMs ?? NOW, pods, creating },
  isNodeDraining: (name) => draining.includes(name),
});

const check = (row: Row): void => {
  const plan = planPool(viewOf(row));
  const retire = plan.retire.map(({ pod, why }) => `${pod.metadata.name}: ${why}`);
  assert.deepEqual(
    { announce: plan.announce, create: plan.create, retire },
    { announce: row.announce ?? 0, create: row.create ?? [], retire: row.retire ?? [] },
  );
};

const old = (name: string, facts: RunnerFacts = {}): Pod => runner(name, { image: OLD_IMAGE, ...facts });

describe('how many runners there should be', () => {
  const rows: readonly Row[] = [
    { story: 'an empty pool gets all of its own', replicas: 3, announce: 3 },
    { story: 'no more at once than a pass makes', replicas: 500, announce: CREATE_MAX },
    { story: 'a full one gets none', replicas: 2, pods: [runner('a'), runner('b')] },
    {
      story: 'one that ended is replaced in the same pass',
      replicas: 1,
      pods: [runner('a', { is: 'succeeded' })],
      announce: 1,
    },
    { story: 'one that is being deleted too', replicas: 1, pods: [runner('a', { is: 'deleting' })], announce: 1 },
    {
      story: 'what is on record counts as there, and is made (N14, S33)',
      replicas: 2,
      creating: ['a', 'b'],
      create: ['a', 'b'],
    },
    {
      story: 'what is on record and there is not made again',
      replicas: 2,
      creating: ['a', 'b'],
      pods: [runner('a')],
      create: ['b'],
    },
    {
      story: 'what is on record and ended is not made again',
      replicas: 1,
      creating: ['a'],
      pods: [runner('a', { is: 'failed' })],
      announce: 1,
    },
    { story: 'zero stays zero', replicas: 0 },
  ];
  for (const row of rows) it(row.story, () => check(row));
});

describe('who leaves a pool that is too large (§3.5-9)', () => {
  const rows: readonly Row[] = [
    {
      story: 'as many as are too many',
      replicas: 1,
      pods: [runner('a'), runner('b'), runner('c')],
      retire: ['a: scale-down', 'b: scale-down'],
    },
    {
      story: 'nobody who is known to be busy, whatever else speaks for it (§9.8-2, §7-19)',
      replicas: 0,
      pods: [runner('a', { labels: BUSY })],
    },
    {
      story: 'one that leaves anyway is counted, not asked again',
      replicas: 1,
      pods: [runner('a', { labels: LEAVING }), runner('b')],
    },
    {
      story: 'who has no Node before who has, the youngest of those that run last (R12)',
      replicas: 1,
      pods: [
        runner('old', { bornAt: '2026-08-01T09:00:00Z' }),
        runner('new', { bornAt: '2026-08-01T12:00:00Z' }),
        runner('w', { is: 'bound' }),
        runner('u', { is: 'unbound' }),
      ],
      retire: ['u: scale-down', 'w: scale-down', 'new: scale-down'],
    },
    { story: "stale ones are the throttle's", replicas: 1, pods: [old('a'), old('b')], retire: ['a: roll'] },
    {
      story: 'runners on record count',
      replicas: 1,
      creating: ['x'],
      pods: [runner('a')],
      create: ['x'],
      retire: ['a: scale-down'],
    },
  ];
  for (const row of rows) it(row.story, () => check(row));
});

describe('a roll (§3.7, §9.8-3, §7-22)', () => {
  const five = ['a', 'b', 'c', 'd', 'e'];
  const rows: readonly Row[] = [
    {
      story: 'takes so many percent at once',
      replicas: 5,
      percent: 40,
      pods: five.map((name) => old(name, { is: 'bound' })),
      retire: ['a: roll', 'b: roll'],
    },
    { story: 'takes one of a small pool', replicas: 2, pods: [old('a'), old('b')], retire: ['a: roll'] },
    { story: 'waits for those it took', replicas: 2, pods: [old('a', { labels: ROLLING }), old('b')] },
    { story: 'waits for the new ones to be up', replicas: 2, pods: [runner('n', { is: 'starting' }), old('b')] },
    { story: 'waits for those that are only on record', replicas: 2, creating: ['n'], pods: [old('b')], create: ['n'] },
    { story: 'waits for those that are not even on record', replicas: 2, pods: [old('b')], announce: 1 },
    { story: 'goes on when they are', replicas: 2, pods: [runner('n'), old('b')], retire: ['b: roll'] },
    { story: 'leaves busy ones to end by themselves', replicas: 1, pods: [old('a', { labels: BUSY })] },
    { story: 'does not touch the current image', replicas: 1, pods: [runner('a', { is: 'starting' })] },
    {
      story: 'takes those without a VM first',
      replicas: 3,
      pods: [old('a'), old('b', { is: 'bound' }), old('c', { is: 'unbound' })],
      retire: ['c: roll'],
    },
    {
      story: 'counts what leaves for another reason',
      replicas: 2,
      draining: ['mac-9'],
      pods: [old('a', { node: 'mac-9' }), old('b')],
      retire: ['a: node-drain'],
    },
  ];
  for (const row of rows) it(row.story, () => check(row));

  it('may take so many (§9.8-6)', () => {
    const rows = [
      [10, 40, 4],
      [9, 40, 3],
      [3, 5, 1],
      [0, 40, 1],
      [10, 0, 1],
      [-1, 50, 1],
      [200, 5, 10],
      [7, 100, 7],
    ] as const;
    for (const [replicas, percent, cap] of rows)
      assert.equal(rollCapOf(replicas, percent), cap, `${replicas} ${percent}`);
  });

  it('is of images that differ to the letter (§9.8-1)', () => {
    const rows = [
      [IMAGE, 0],
      [OLD_IMAGE, 1],
      ['ghcr.test/runner:latest', 1],
    ] as const;
    for (const [image, stale] of rows) {
      assert.equal(planPool(viewOf({ story: '', replicas: 1, pods: [runner('a', { image })] })).stale, stale, image);
    }
    const bare: Pod = { ...runner('a'), spec: { containers: [] } };
    assert.equal(planPool(viewOf({ story: '', replicas: 1, pods: [bare] })).stale, 0);
  });
});

describe('Nodes that are drained (§3.8, §9.8-8, §7-41)', () => {
  const rows: readonly Row[] = [
    {
      story: 'idle ones there leave',
      replicas: 1,
      draining: ['mac-1'],
      pods: [runner('a')],
      retire: ['a: node-drain'],
    },
    { story: 'busy ones stay', replicas: 1, draining: ['mac-1'], pods: [runner('a', { labels: BUSY })] },
    { story: 'ones elsewhere stay', replicas: 1, draining: ['mac-2'], pods: [runner('a')] },
    { story: 'ones without a Node stay', replicas: 1, draining: ['mac-1'], pods: [runner('a', { is: 'unbound' })] },
    {
      story: 'they make room for a scale-down',
      replicas: 1,
      draining: ['mac-1'],
      pods: [runner('a'), runner('b', { node: 'mac-2' })],
      retire: ['a: node-drain'],
    },
  ];
  for (const row of rows) it(row.story, () => check(row));
});

describe('runners that nobody ever needed (R8 of the runners, §7-28)', () => {
  const nowMs = Date.parse('2026-08-01T10:00:00Z') + WARM_MAX_MS;
  const upAt = (startedAt: string): Pod['status'] => ({
    containerStatuses: [
      {
        ...{ name: 'runner', image: '', imageID: '', ready: true, restartCount: 0 },
        state: { running: { startedAt } },
      },
    ],
  });
  const five = ['a', 'b', 'c', 'd', 'e'];
  const rows: readonly Row[] = [
    { story: 'leave when they have waited for long', nowMs, replicas: 1, pods: [runner('a')], retire: ['a: old'] },
    { story: 'not a moment earlier', nowMs: nowMs - 1, replicas: 1, pods: [runner('a')] },
    {
      story: 'so many percent at once, like a roll',
      ...{ nowMs, replicas: 5, percent: 40, pods: five.map((name) => runner(name)), retire: ['a: old', 'b: old'] },
    },
    {
      story: 'the oldest first',
      ...{
        nowMs,
        replicas: 2,
        pods: [runner('a'), runner('b', { bornAt: '2026-08-01T09:00:00Z' })],
        retire: ['b: old'],
      },
    },
    {
      story: 'after those that leave already',
      ...{ nowMs, replicas: 2, pods: [runner('a', { labels: LEAVING }), runner('b')] },
    },
    {
      story: 'after their successors are up',
      ...{ nowMs, replicas: 2, pods: [runner('a', { is: 'starting' }), runner('b')] },
    },
    {
      story: 'after those that are only on record',
      ...{ nowMs, replicas: 2, creating: ['x'], pods: [runner('b')], create: ['x'] },
    },
    { story: 'after those that are not even on record', nowMs, replicas: 2, pods: [runner('b')], announce: 1 },
    {
      story: 'after those that were just made',
      ...{ nowMs, replicas: 2, pods: [runner('a', { is: 'unbound', bornAt: '2026-08-01T16:59:00Z' }), runner('b')] },
    },
    {
      story: 'although others find no Mac: there may never be one',
      ...{ nowMs, replicas: 2, pods: [runner('a', { is: 'unbound' }), runner('b')], retire: ['b: old'] },
    },
    { story: 'after a roll', nowMs, replicas: 2, pods: [runner('a'), old('b')], retire: ['b: roll'] },
    {
      story: 'counted where a pool is too large',
      ...{ nowMs, replicas: 1, pods: [runner('a'), runner('b')], retire: ['a: old'] },
    },
    { story: 'never one that is known to be busy', nowMs, replicas: 1, pods: [runner('a', { labels: BUSY })] },
    { story: 'never one that is not up', nowMs, replicas: 1, pods: [runner('a', { is: 'starting' })] },
    {
      story: 'by the time they came up, not by how long they waited for a Mac',
      ...{ nowMs, replicas: 1, pods: [runner('a', { status: upAt('2026-08-01T16:00:00Z') })] },
    },
  ];
  for (const row of rows) it(row.story, () => check(row));

  it('are looked at again when the next one has waited for long', () => {
    const pods = [runner('a', { status: upAt('2026-08-01T10:30:00Z') }), runner('b', { labels: BUSY }), runner('c')];
    const { lookAgainMs } = planPool(viewOf({ story: '', replicas: 3, pods: pods.slice(0, 2), nowMs }));
    assert.equal(lookAgainMs, 1_800_000);
    assert.equal(planPool(viewOf({ story: '', replicas: 1, pods: [], nowMs })).lookAgainMs, undefined);
    assert.equal(planPool(viewOf({ story: '', replicas: 3, pods, nowMs: nowMs - 5 })).lookAgainMs, 5);
    const held = [runner('a'), runner('b')];
    assert.equal(planPool(viewOf({ story: '', replicas: 2, pods: held, nowMs })).lookAgainMs, 300_000);
  });
});

describe('a pool that is deleted (§3.9, §9.8-5, §7-17)', () => {
  const rows: readonly Row[] = [
    {
      story: 'asks all to leave that are not known to be busy',
      life: 'deleting',
      replicas: 3,
      pods: [
        runner('a'),
        runner('b', { labels: BUSY }),
        old('c'),
        runner('d', { is: 'succeeded' }),
        runner('e', { labels: LEAVING }),
      ],
      retire: ['a: pool-deleted', 'c: pool-deleted'],
    },
    { story: 'makes none, not even those on record', life: 'deleting', replicas: 3, creating: ['x'] },
  ];
  for (const row of rows) it(row.story, () => check(row));
});

describe('whatever a pool looks like', () => {
  const facts = fc.record({
    is: fc.constantFrom('unbound', 'bound', 'starting', 'running', 'succeeded', 'failed', 'deleting'),
    image: fc.constantFrom(IMAGE, OLD_IMAGE),
    node: fc.constantFrom('mac-1', 'mac-2'),
    labels: fc.constantFrom({}, BUSY, LEAVING, ROLLING),
  });
  const views = fc
    .record({
      replicas: fc.nat({ max: 8 }),
      percent: fc.integer({ min: 1, max: 100 }),
      pods: fc.array(facts, { maxLength: 10 }),
      creating: fc.nat({ max: 4 }),
      draining: fc.subarray(['mac-1', 'mac-2']),
      life: fc.constantFrom('up' as const, 'deleting' as const),
      nowMs: fc.constantFrom(NOW, NOW + WARM_MAX_MS),
    })
    .map(({ replicas, percent, pods, creating, draining, life, nowMs }) =>
      viewOf({
        ...{ story: '', replicas, percent, draining, life, nowMs },
        pods: pods.map((fact, at) => runner(`p${at}`, fact)),
        creating: Array.from({ length: creating }, (_, at) => `p${at + 8}`),
      }),
    );

  it('nobody is asked who ended, is known to be busy, or was asked; and nobody twice (N8)', () => {
    fc.assert(
      fc.property(views, (view) => {
        const asked = planPool(view).retire.map(({ pod }) => pod);
        assert.equal(new Set(asked).size, asked.length);
        for (const pod of asked) assert.ok(isAlive(pod) && !isKnownBusy(pod) && !isLeaving(pod));
      }),
    );
  });

  it('alive, on record and to come are never more than wanted, unless they were before (S33)', () => {
    fc.assert(
      fc.property(views, (view) => {
        const { announce, alive, create } = planPool(view);
        assert.ok(announce === 0 || alive + create.length + announce <= view.spec.replicas);
      }),
    );
  });

  it('a roll and a scale-down leave what is wanted, and a roll keeps to its cap (§7-22)', () => {
    fc.assert(
      fc.property(views, (view) => {
        const plan = planPool(view);
        const because = (why: string) => plan.retire.filter((retirement) => retirement.why === why).length;
        const leavingAlready = view.pods.filter((pod) => isAlive(pod) && isLeaving(pod)).length;
        const left = plan.alive + plan.create.length - leavingAlready - plan.retire.length;
        if (because('scale-down') > 0) assert.ok(left >= view.spec.replicas);
        if (because('roll') > 0) assert.ok(plan.rolling <= plan.rollCap);
        if (because('old') > 0)
          assert.ok(leavingAlready + plan.create.length + plan.retire.length - because('scale-down') <= plan.rollCap);
      }),
    );
  });
});
