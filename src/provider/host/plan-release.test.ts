import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { HostPlan } from './host-view.ts';
import { planHost } from './plan-host.ts';
import { planWiping } from './plan-release.ts';
import type { Sighting } from './sighting.ts';
import {
  at,
  CLAIM,
  fresh,
  type Given,
  NOW,
  PENDING,
  POOL,
  QUARANTINE,
  quietly,
  RELEASE,
  RELEASING,
  renaming,
  serverOf,
  specOf,
  store,
  UUID,
  viewOf,
  wrote,
} from './testing/views.ts';

interface Row extends Given {
  readonly story: string;
  readonly plan: HostPlan;
}

const LEAVING = { claimRef: CLAIM, assignedName: { current: RELEASING } };
const TERMINATE = { ...RELEASE, policy: 'terminate' };
const WIPED = { intentID: 'i-1', requestedAt: at(600_000), acceptedAt: at(599_000) };
const failed = (returns: number, reason = 'BootstrapExhausted') => ({
  ...LEAVING,
  release: { ...RELEASE, reason },
  reinstall: WIPED,
  budgets: { returns },
});
const toQuarantine = renaming(RELEASING, `tuist-quarantine-0a1b2c3d-${UUID}`);
const toPool = renaming(RELEASING, `tuist-pool-${UUID}`);

const ROWS: readonly Row[] = [
  {
    story:
      'R12 released under a pending name that is not noted yet, it is known by that name until it has the releasing one',
    spec: { claimRef: CLAIM, release: RELEASE, assignedName: { current: POOL, next: PENDING } },
    server: serverOf(PENDING),
    plan: renaming(PENDING, `tuist-releasing-0a1b2c3d-${UUID}`),
  },
  {
    story: 'R20 past the limit of wipes within an hour nothing is wiped, and it says so',
    spec: { ...LEAVING, release: RELEASE },
    server: serverOf(RELEASING),
    census: { wipedLastHour: 30 },
    plan: {
      do: 'wait',
      afterMs: 60_000,
      reason: 'ReinstallLimitReached',
      message: '30 wipes of this pool were asked for within the hour, and no more than 30 may be',
    },
  },
  {
    story: 'R20 the wipes of a Mac within the hour before stay on its record',
    spec: {
      ...{ ...LEAVING, release: RELEASE },
      reinstall: { intentID: 'i-0', requestedAt: at(900_000), earlier: [at(3_600_000), at(1_800_000)] },
    },
    server: serverOf(RELEASING),
    plan: {
      do: 'reinstall',
      osFamily: 'Tahoe',
      record: {
        reinstall: { intentID: 'i-1', requestedAt: at(0), earlier: [at(1_800_000), at(900_000)] },
        lastWrite: fresh('reinstall'),
      },
    },
  },
  {
    story: 'R20 they do when it is asked for again, which counts once',
    spec: {
      ...{ ...LEAVING, release: RELEASE },
      reinstall: { intentID: 'i-1', requestedAt: at(900_000), earlier: [at(1_800_000)] },
    },
    server: serverOf(RELEASING),
    plan: {
      do: 'reinstall',
      osFamily: 'Tahoe',
      record: {
        reinstall: { intentID: 'i-1', requestedAt: at(0), earlier: [at(1_800_000)] },
        lastWrite: fresh('reinstall'),
      },
    },
  },
  {
    story: 'R20 a wipe that was asked for already is asked for again, whatever the limit',
    spec: { ...LEAVING, release: RELEASE, reinstall: { intentID: 'i-1', requestedAt: at(900_000) } },
    server: serverOf(RELEASING),
    census: { wipedLastHour: 30 },
    plan: {
      do: 'reinstall',
      osFamily: 'Tahoe',
      record: { reinstall: { intentID: 'i-1', requestedAt: at(0) }, lastWrite: fresh('reinstall') },
    },
  },
  {
    story: 'R21 a Mac that failed twice goes back to its pool',
    spec: failed(1),
    server: serverOf(RELEASING),
    plan: toPool,
  },
  {
    story: 'R21 after the third time it goes to quarantine',
    spec: failed(2),
    server: serverOf(RELEASING),
    plan: toQuarantine,
  },
  {
    story: 'R21 unless a third of the pool would be there',
    spec: failed(2),
    server: serverOf(RELEASING),
    census: { size: 8, quarantined: 2 },
    plan: toPool,
  },
  {
    story: 'F38 a Mac whose host key changed without us goes there at once',
    spec: failed(0, 'HostKeyChanged'),
    server: serverOf(RELEASING),
    plan: toQuarantine,
  },
  {
    story: 'R9 one that somebody had not wiped is not to blame',
    spec: failed(2, 'NotWiped'),
    server: serverOf(RELEASING),
    plan: toPool,
  },
  {
    story: 'R21 seen under its quarantine name it is on record with what it failed with',
    spec: { ...failed(2), assignedName: { current: RELEASING, next: QUARANTINE } },
    server: serverOf(QUARANTINE),
    plan: store({
      claimRef: undefined,
      assignedName: { current: QUARANTINE },
      release: undefined,
      hold: undefined,
      quarantine: {
        reason: 'BootstrapExhausted',
        message: 'went back 3 times in a row because it failed; the last time for BootstrapExhausted',
        since: at(0),
        configHash: 'config-1',
      },
      hostKey: undefined,
      identity: undefined,
      configuration: undefined,
      takenOver: undefined,
      rebootRequest: undefined,
      reinstall: { intentID: 'i-1', requestedAt: at(600_000) },
      wipes: 1,
      budgets: {
        bootstrap: { failures: 0 },
        reboots: { sinceClaim: 0, times: [] },
        returns: 3,
        sudo: { tries: [] },
        roll: { failures: 0 },
      },
    }),
  },
  {
    story: 'the end of a rent begins with the releasing name too',
    spec: { claimRef: CLAIM, assignedName: { current: 'mac-1' }, release: TERMINATE },
    server: serverOf('mac-1'),
    plan: renaming('mac-1', `tuist-releasing-0a1b2c3d-${UUID}`),
  },
  {
    story: 'R20 past the limit of wipes no rent is ended either, and it says so',
    spec: { claimRef: CLAIM, assignedName: { current: 'mac-1' }, release: TERMINATE },
    server: serverOf('mac-1'),
    census: { wipedLastHour: 30 },
    plan: {
      ...{ do: 'wait', afterMs: 60_000, reason: 'ReinstallLimitReached' },
      message:
        'within the hour as many wipes of this pool were asked for as may be (30): none is rebooted, wiped or changed',
    },
  },
  {
    story: 'R20 one that is on its way out goes on',
    spec: { ...LEAVING, release: TERMINATE, lastWrite: wrote('delete', 1_000) },
    server: serverOf(RELEASING),
    census: { wipedLastHour: 30 },
    plan: { do: 'terminate' },
  },
  {
    story: 'R13 the request to delete is stored before it is sent',
    spec: { ...LEAVING, release: TERMINATE },
    server: serverOf(RELEASING),
    plan: { do: 'terminate', record: { lastWrite: fresh('delete') } },
  },
  {
    story: 'a stored request to delete is sent',
    spec: { ...LEAVING, release: TERMINATE, lastWrite: wrote('delete', 1_000) },
    server: serverOf(RELEASING),
    plan: { do: 'terminate' },
  },
  {
    story: 'a server that may not be deleted yet is scheduled instead of asked for',
    spec: { ...LEAVING, release: TERMINATE, lastWrite: wrote('delete', 1_000) },
    server: serverOf(RELEASING, 'ready', { deletableAtMs: NOW + 1 }),
    plan: { do: 'schedule-deletion', record: { lastWrite: fresh('schedule-deletion') } },
  },
  {
    story: 'F06 F07 what was refused for its lease is scheduled',
    spec: { ...LEAVING, release: TERMINATE, lastWrite: wrote('schedule-deletion', 1_000) },
    server: serverOf(RELEASING),
    plan: { do: 'schedule-deletion' },
  },
  {
    story: 'a scheduled deletion is waited for',
    spec: { ...LEAVING, release: TERMINATE, lastWrite: wrote('schedule-deletion', 1_000) },
    server: serverOf(RELEASING, 'ready', { isDeletionScheduled: true }),
    plan: { do: 'wait', afterMs: 60_000 },
  },
  {
    story: 'R25 the rent of a server that we ordered ends with its work',
    spec: { pool: undefined, ordered: true, ...LEAVING, release: RELEASE, lastWrite: wrote('delete', 1_000) },
    server: serverOf(RELEASING),
    plan: { do: 'terminate' },
  },
  {
    story: 'R15 a server that is neither of a pool nor ordered is not deleted',
    spec: { pool: undefined, ...LEAVING, release: TERMINATE, lastWrite: wrote('delete', 1_000) },
    server: serverOf(RELEASING),
    plan: {
      do: 'report',
      reason: 'NoRightToWipe',
      message: 'it has no pool and was not ordered by us: it is neither wiped nor deleted, whoever asks',
    },
  },
  {
    story: 'R8 a server with a foreign name is not deleted',
    spec: { ...LEAVING, release: TERMINATE, lastWrite: wrote('delete', 1_000) },
    server: serverOf(POOL),
    plan: {
      do: 'report',
      message: `the server is named "${POOL}", expected "${RELEASING}": nothing is done to it before it has that name again`,
    },
  },
];

describe('a Mac that is being wiped', () => {
  const wiping = (acceptedMs: number, sighting: Sighting | undefined) =>
    planWiping({
      ...{ spec: specOf({ reinstall: { ...WIPED, acceptedAt: at(acceptedMs) } }), nowMs: NOW },
      sighting,
    });

  it('is left to the list of all servers while it was last seen at it', () => {
    assert.deepEqual(wiping(600_000, { status: 'reinstalling' }), { do: 'wait', afterMs: 3_000_001 });
  });

  it('is looked at when that takes too long', () => {
    assert.equal(wiping(3_600_001, { status: 'reinstalling' }), undefined);
  });

  const looks: readonly { readonly story: string; readonly sighting: Sighting | undefined }[] = [
    { story: 'nobody has seen it yet', sighting: undefined },
    { story: 'it was not at it yet', sighting: { status: 'ready' } },
    { story: 'no list has it any more', sighting: { status: 'reinstalling', missingSince: at(1_000) } },
  ];
  for (const { story, sighting } of looks)
    it(`is looked at when ${story}`, () => assert.equal(wiping(600_000, sighting), undefined));

  it('R13 is left alone for a while from when its pool name was seen, not from when that was put on record', () => {
    const spec = { ...failed(0), assignedName: { current: RELEASING, next: POOL }, lastWrite: wrote('rename', 25_000) };
    const plan = planHost(viewOf({ spec, server: serverOf(POOL) }));
    assert.deepEqual(plan.do === 'store' && plan.spec.lastWrite, wrote('rename', 0));
  });
});

describe('the way out', () => {
  for (const { story, plan, ...view } of ROWS) it(story, () => assert.deepEqual(quietly(planHost(viewOf(view))), plan));
});
