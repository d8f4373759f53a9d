import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { ScalingSignals } from '../../dispatch/port/dispatcher.ts';
import { node, poolWith } from '../testing/runner-pods.ts';
import { allocate, type Claimant } from './allocate.ts';
import { chooseTarget, isSibling, type PoolSignals } from './choose-target.ts';
import { desiredReplicas, loadOf } from './desired.ts';
import { roomOf } from './fleet-room.ts';
import { planScale } from './plan-scale.ts';

const NONE: ScalingSignals = { claimed: 0, occupied: 0, queued: 0, withheld: 0, p95: 0 };

describe('how many runners a pool wants: for what can be dispatched, and one for what waits (§9.8-11, §7-37, §7-38)', () => {
  const rows: readonly (readonly [string, Partial<ScalingSignals>, number, number, number])[] = [
    ['a maximum of 0 means none', { queued: 9 }, 1, 0, 0],
    ['what was usual, and the floor', { p95: 5 }, 1, 20, 6],
    ['nothing to do: the floor', {}, 3, 20, 3],
    ['the floor comes on top, once', { p95: 1 }, 3, 20, 4],
    ['what is to be done, and the floor', { claimed: 8, queued: 3, p95: 5 }, 1, 20, 12],
    ['hosts that are held count, also after the job', { occupied: 3, claimed: 1, queued: 2 }, 1, 20, 6],
    ['the queue counts', { queued: 10, p95: 5 }, 1, 20, 11],
    ['no more than the maximum', { queued: 50 }, 1, 20, 20],
    ['work at a limit counts as one', { withheld: 1 }, 0, 20, 1],
    ['however much of it there is (§7-38)', { withheld: 40 }, 0, 20, 1],
    ['beside other work too', { claimed: 4, queued: 2, withheld: 9 }, 1, 20, 8],
    ['the maximum once more', { claimed: 20, queued: 30 }, 1, 30, 30],
    ['one more for 1 → 9 (§9.8-10)', { claimed: 5, queued: 3, p95: 5 }, 1, 20, 9],
    ['a floor of 0 stays 0 (§7-33, §9.8-16)', {}, 0, 20, 0],
  ];
  for (const [story, signals, floor, max, wanted] of rows)
    it(story, () => assert.equal(desiredReplicas({ ...NONE, ...signals }, { floor, max }), wanted));
});

const pool = (name: string, more: Partial<Claimant> = {}): Claimant => ({
  ...{ name, target: 0, load: 0, floor: 0, cost: 1 },
  ...more,
});

describe('how pools share a fleet (§9.8-12)', () => {
  const rows: readonly {
    readonly story: string;
    readonly room: number;
    readonly pools: readonly Claimant[];
    readonly granted: Readonly<Record<string, number>>;
  }[] = [
    {
      story: 'room for all',
      room: 20,
      pools: [pool('a', { target: 6 }), pool('b', { target: 4 })],
      granted: { a: 6, b: 4 },
    },
    {
      story: 'work gets its runners, room or not',
      room: 2,
      pools: [pool('a', { target: 9, load: 9 }), pool('b', { target: 3, load: 1 })],
      granted: { a: 9, b: 1 },
    },
    {
      story: 'no room at all: work only',
      room: 0,
      pools: [pool('a', { target: 9, load: 2, floor: 3 })],
      granted: { a: 2 },
    },
    {
      story: 'headroom is cut before floors',
      room: 4,
      pools: [pool('a', { target: 6, floor: 2 }), pool('b', { target: 6, floor: 2 })],
      granted: { a: 2, b: 2 },
    },
    {
      story: 'floors are cut when they do not fit',
      room: 2,
      pools: [pool('a', { target: 6, floor: 2 }), pool('b', { target: 6, floor: 2 })],
      granted: { a: 1, b: 1 },
    },
    {
      story: 'in proportion',
      room: 5,
      pools: [pool('a', { target: 6 }), pool('b', { target: 4 })],
      granted: { a: 3, b: 2 },
    },
    {
      story: 'by size: 200 GiB',
      room: 200,
      pools: [pool('big', { target: 20, cost: 16 }), pool('small', { target: 10, cost: 8 })],
      granted: { big: 10, small: 5 },
    },
    { story: 'by thirds, without loss', room: 3, pools: [pool('a', { target: 9, cost: 1 / 3 })], granted: { a: 9 } },
    {
      story: 'work at a limit is work: 9 Macs',
      room: 9,
      pools: [
        pool('a', { target: 20, load: 9 }),
        pool('b', { target: 2, load: 1, floor: 1 }),
        pool('c', { target: 2, load: 1, floor: 1 }),
      ],
      granted: { a: 9, b: 1, c: 1 },
    },
    {
      story: 'and 20 Macs',
      room: 11,
      pools: [pool('a', { target: 10, load: 10 }), pool('b', { target: 2, load: 1, floor: 1 })],
      granted: { a: 10, b: 1 },
    },
    { story: 'nobody', room: 5, pools: [], granted: {} },
  ];
  for (const { story, room, pools, granted } of rows)
    it(story, () => assert.deepEqual(Object.fromEntries(allocate(pools, room)), granted));

  const claimants = fc
    .array(
      fc.record({
        target: fc.nat({ max: 40 }),
        load: fc.nat({ max: 40 }),
        floor: fc.nat({ max: 10 }),
        cost: fc.constantFrom(1, 0.5, 1 / 3, 2),
      }),
      { maxLength: 6 },
    )
    .map((facts) => facts.map((fact, at) => ({ name: `p${at}`, ...fact })));
  const room = fc.nat({ max: 60 });

  it('gives each no less than its work and no more than its target', () => {
    fc.assert(
      fc.property(claimants, room, (pools, macs) => {
        const granted = allocate(pools, macs);
        for (const { name, load, target } of pools) {
          const got = granted.get(name) ?? -1;
          assert.ok(Number.isInteger(got) && got >= Math.min(load, target) && got <= target, `${name}: ${got}`);
        }
      }),
    );
  });

  it('gives no more than there is beyond what work takes', () => {
    fc.assert(
      fc.property(claimants, room, (pools, macs) => {
        const granted = allocate(pools, macs);
        const sum = (of: (claimant: Claimant) => number) => pools.reduce((all, p) => all + of(p) * p.cost, 0);
        const work = sum(({ load, target }) => Math.min(load, target));
        assert.ok(sum(({ name }) => granted.get(name) ?? 0) <= Math.max(macs, work) + 1e-6);
      }),
    );
  });

  it('gives nobody less when there is more room', () => {
    fc.assert(
      fc.property(claimants, room, (pools, macs) => {
        const [before, after] = [allocate(pools, macs), allocate(pools, macs + 1)];
        for (const { name } of pools) assert.ok((after.get(name) ?? 0) >= (before.get(name) ?? 0));
      }),
    );
  });

  it('gives a pool no less when it has more to do', () => {
    fc.assert(
      fc.property(claimants, room, fc.nat({ max: 5 }), (pools, macs, at) => {
        const busier = pools.map((p, index) => (index === at ? { ...p, load: p.load + 1, target: p.target + 1 } : p));
        const name = `p${at}`;
        assert.ok((allocate(busier, macs).get(name) ?? 0) >= (allocate(pools, macs).get(name) ?? 0));
      }),
    );
  });
});

describe('what a pool wants, whatever it hears', () => {
  const signals = fc.record({
    claimed: fc.nat({ max: 50 }),
    occupied: fc.nat({ max: 50 }),
    queued: fc.nat({ max: 50 }),
    withheld: fc.nat({ max: 50 }),
    p95: fc.nat({ max: 50 }),
  });
  const bounds = fc.record({ floor: fc.nat({ max: 10 }), max: fc.nat({ max: 60 }) });

  it('covers what is to be done, within its maximum', () => {
    fc.assert(
      fc.property(signals, bounds, (heard, within) => {
        const wanted = desiredReplicas(heard, within);
        assert.ok(wanted <= within.max && wanted >= Math.min(loadOf(heard), within.max));
      }),
    );
  });

  it('is never less for more work', () => {
    fc.assert(
      fc.property(
        signals,
        bounds,
        fc.constantFrom('claimed', 'occupied', 'queued', 'withheld', 'p95'),
        (heard, within, which) => {
          const more = { ...heard, [which]: heard[which] + 1 };
          assert.ok(desiredReplicas(more, within) >= desiredReplicas(heard, within));
        },
      ),
    );
  });

  it('is stable: what was set is left alone while nothing changes', () => {
    fc.assert(
      fc.property(signals, bounds, (heard, within) => {
        const replicas = desiredReplicas(heard, within);
        assert.deepEqual(planScale(poolWith({ replicas }), replicas, 0), { do: 'nothing' });
      }),
    );
  });
});

describe('when replicas change (§3.10-5, §9.8-10)', () => {
  const at = Date.parse('2026-08-01T10:00:00Z');
  const scaled = (lastScaleDownAt?: string, seconds = 300) => ({
    ...poolWith({ replicas: 5, autoscaling: { enabled: true, maxReplicas: 20, scaleDownCooldownSeconds: seconds } }),
    ...(lastScaleDownAt === undefined ? {} : { status: { lastScaleDownAt } }),
  });
  const rows = [
    { story: 'up at once', pool: scaled('2026-08-01T09:59:59Z'), target: 9, plan: { do: 'up', replicas: 9 } },
    { story: 'down the first time', pool: scaled(), target: 2, plan: { do: 'down', replicas: 2 } },
    { story: 'not down again too soon', pool: scaled('2026-08-01T09:59:00Z'), target: 2, plan: { do: 'nothing' } },
    { story: 'down again later', pool: scaled('2026-08-01T09:55:00Z'), target: 2, plan: { do: 'down', replicas: 2 } },
    {
      story: 'no wait where none is asked for',
      pool: scaled('2026-08-01T10:00:00Z', 0),
      target: 2,
      plan: { do: 'down', replicas: 2 },
    },
    { story: 'as it is', pool: scaled(), target: 5, plan: { do: 'nothing' } },
    {
      story: 'a time that is none does not stop it',
      pool: scaled('soon'),
      target: 2,
      plan: { do: 'down', replicas: 2 },
    },
  ];
  for (const { story, pool: of, target, plan } of rows)
    it(story, () => assert.deepEqual(planScale(of, target, at), plan));
});

describe('what a pool gets among its siblings (§9.8-10)', () => {
  const scaling = (name: string, floor: number, more: object = {}) =>
    poolWith({ autoscaling: { enabled: true, maxReplicas: 20, minWarmPoolFloor: floor }, ...more }, { name });
  const of = (name: string, floor: number, signals: Partial<ScalingSignals>): PoolSignals => ({
    pool: scaling(name, floor),
    signals: { ...NONE, ...signals },
  });
  const macs = (count: number, not?: string) =>
    Array.from({ length: count }, (_, at) => node(`m${at}`, { ...(not ? { not } : {}) }));

  it('3 Macs: work first, headroom with what is left', () => {
    const [busy, idle] = [of('busy', 0, { claimed: 2 }), of('idle', 0, { p95: 4 })];
    const room = roomOf(macs(3), 'm2');
    assert.equal(chooseTarget(busy, [busy, idle], room).allocated, 2);
    assert.equal(chooseTarget(idle, [idle, busy], room).allocated, 1);
  });

  it('9 Macs, one pool: all that it wants', () => {
    const own = of('ci', 1, { p95: 4 });
    assert.deepEqual(chooseTarget(own, [own], roomOf(macs(9), 'm2')), { wanted: 5, allocated: 5 });
  });

  it('no healthy Mac: its own wish, not zero', () => {
    const own = of('ci', 1, { p95: 4 });
    for (const not of ['ready', 'known', 'schedulable', 'roomy'])
      assert.equal(chooseTarget(own, [own], roomOf(macs(3, not), 'm2')).allocated, 5, not);
    assert.equal(chooseTarget(own, [own], roomOf([], 'm2')).allocated, 5);
  });

  it('Macs in trouble do not count', () => {
    const own = of('ci', 0, { p95: 9 });
    const nodes = [...macs(2), ...macs(3, 'ready'), ...macs(1, 'roomy'), node('other', { fleet: 'm4' })];
    assert.equal(chooseTarget(own, [own], roomOf(nodes, 'm2')).allocated, 2);
  });

  it('siblings that could not be asked: its own wish', () => {
    const own = of('ci', 0, { p95: 9 });
    assert.equal(chooseTarget(own, undefined, roomOf(macs(2), 'm2')).allocated, 9);
  });

  it('a runner that fits no Mac: its own wish', () => {
    const own = { pool: scaling('ci', 1, { podMemoryMB: 99_999 }), signals: NONE };
    assert.equal(chooseTarget(own, [own], roomOf(macs(2), 'm2')).allocated, 1);
  });

  it('small runners: two on a Mac (R9)', () => {
    const own = { pool: scaling('ci', 0, { podCPUMilli: 4_000, podMemoryMB: 8_000 }), signals: { ...NONE, p95: 9 } };
    assert.equal(chooseTarget(own, [own], roomOf(macs(3), 'm2')).allocated, 6);
  });

  it('siblings are those that scale on the same Macs', () => {
    const own = scaling('ci', 0);
    const rows = [
      [scaling('b', 0), true],
      [scaling('b', 0, { fleetSelector: 'm4' }), false],
      [poolWith({}, { name: 'b' }), false],
      [poolWith({ autoscaling: { enabled: true, maxReplicas: 0 } }, { name: 'b' }), false],
      [poolWith(own.spec, { name: 'b', deletionTimestamp: '2026-08-01T10:00:00Z' }), false],
    ] as const;
    for (const [other, is] of rows) assert.equal(isSibling(own, other), is);
  });
});
