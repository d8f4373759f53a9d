import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toTimestamp } from '../../base/clock.ts';
import { planHost } from './plan-host.ts';
import { DEFAULT_LIMITS } from './ports.ts';
import { type Given, NOW, quietly, UUID, viewOf } from './testing/views.ts';

const CLAIM = { namespace: 'ci', name: 'tuist-macos-1', uid: 'u' };
const hold = (more = {}) => ({
  ...{ reason: 'OwnerVanished', message: 'its machine is gone', since: toTimestamp(NOW - 900_000), by: 'macfleet' },
  ...more,
});
const limits = { ...DEFAULT_LIMITS, reclaim: { claimPrefix: 'tuist-', afterMs: 900_000 } };

const asked: Given = {
  spec: { claimRef: CLAIM, hold: hold(), pool: { prefix: 'tuist-pool-' }, assignedName: { current: 'tuist-macos-1' } },
  ...{ owner: 'gone', isClusterActive: true, limits, census: { vanishedTogether: 1 } },
};

describe('a Mac whose machine vanished, where an operator opted in (004-8)', () => {
  it('T-62 is given back, by a stored intent, once it has been held for long enough', () => {
    const release = { intentID: UUID, policy: 'pool', reason: 'Reclaimed', requestedAt: toTimestamp(NOW) };
    const plan = planHost(viewOf(asked));
    assert.deepEqual(quietly(plan), { do: 'store', spec: { release } });
    assert.match((plan.do === 'store' && plan.event?.message) || '', /ci\/tuist-macos-1 has been gone since/);
  });

  it('says when it will be', () => {
    const since = toTimestamp(NOW - 60_000);
    const plan = planHost(viewOf({ ...asked, spec: { ...asked.spec, hold: hold({ since }) } }));
    assert.partialDeepStrictEqual(plan, { do: 'wait', afterMs: 840_000, reason: 'OwnerVanished' });
    assert.match((plan.do === 'wait' && plan.message) || '', new RegExp(`by itself at ${toTimestamp(NOW + 840_000)}$`));
  });

  const kept: readonly { story: string; given: Partial<Given>; spec?: object }[] = [
    { story: 'T-63 nobody opted in', given: { limits: DEFAULT_LIMITS } },
    { story: 'T-62 the machine had another name', given: {}, spec: { claimRef: { ...CLAIM, name: 'mac-1' } } },
    { story: 'T-64 its machine is there after all', given: { owner: 'does-not' } },
    { story: 'R17 its Cluster is gone, made anew or paused', given: { isClusterActive: false } },
    { story: 'another one vanished within the hour', given: { census: { vanishedTogether: 2 } } },
    { story: 'a person holds it', given: {}, spec: { hold: hold({ by: 'ana' }) } },
    { story: 'R16 it was detached', given: { owner: 'detached' }, spec: { hold: hold({ reason: 'Detached' }) } },
    { story: 'R18 it went with its namespace', given: {}, spec: { hold: hold({ reason: 'NamespaceTerminating' }) } },
    { story: 'R15 it is of no pool', given: {}, spec: { pool: undefined } },
  ];
  for (const { story, given, spec = {} } of kept) {
    it(`is held for as long as ${story}`, () => {
      const plan = planHost(viewOf({ ...asked, ...given, spec: { ...asked.spec, ...spec } }));
      assert.ok(plan.do === 'rest' || plan.do === 'report', plan.do);
    });
  }
});
