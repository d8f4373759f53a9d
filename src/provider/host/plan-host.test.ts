import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MacHostSpec } from '../../kinds/mac-host.ts';
import type { HostPlan } from './host-view.ts';
import { isClaimable, planHost } from './plan-host.ts';
import {
  at,
  CLAIM,
  CLAIMED,
  fresh,
  type Given,
  NOW,
  ORDERED,
  PENDING,
  POOL,
  quietly,
  RELEASE,
  RELEASING,
  renaming,
  serverOf,
  specOf,
  store,
  TIMES,
  UUID,
  viewOf,
  wrote,
} from './testing/views.ts';

interface Row extends Given {
  readonly story: string;
  readonly plan: HostPlan;
}

const RENTED = { ordered: true, pool: undefined, assignedName: { current: ORDERED } };

const STUCK = {
  ...wiping(),
  reinstall: { intentID: 'i-1', requestedAt: at(3_700_000), acceptedAt: at(3_660_000) },
};
const STUCK_MESSAGE = `its wipe began at ${at(3_660_000)} and has not ended; at Scaleway it is reinstalling: ask them, or release it with the policy terminate`;

const ROWS: readonly Row[] = [
  { story: 'R3 a free host rests', spec: {}, server: serverOf(POOL), plan: { do: 'rest' } },
  {
    story: 'R5 a claim that its machine does not name is dropped while the server has its pool name',
    spec: { claimRef: CLAIM },
    server: serverOf(POOL),
    owner: 'does-not',
    plan: store({ claimRef: undefined }),
  },
  {
    story: 'R7 a claimed host is first to get a pending name, stored before it is sent',
    spec: { claimRef: CLAIM },
    server: serverOf(POOL),
    plan: renaming(POOL, PENDING),
  },
  {
    story: 'S19 a Node on a Mac that is yet to be taken is of an earlier life, and is deleted first',
    spec: { claimRef: CLAIM, assignedName: { current: POOL, next: PENDING }, lastWrite: wrote('rename', 1_000) },
    node: 'there',
    server: serverOf(POOL),
    plan: { do: 'delete-node' },
  },
  {
    story: 'R13 a stored rename is sent on a fresh record',
    spec: { claimRef: CLAIM, assignedName: { current: POOL, next: PENDING }, lastWrite: wrote('rename', 1_000) },
    server: serverOf(POOL),
    plan: { do: 'rename', to: PENDING },
  },
  {
    story: 'R13 T-47 a record that grew old is written anew before anything is sent',
    spec: { claimRef: CLAIM, assignedName: { current: POOL, next: PENDING }, lastWrite: wrote('rename', 31_000) },
    server: serverOf(POOL),
    plan: { do: 'rename', to: PENDING, record: { lastWrite: fresh('rename') } },
  },
  {
    story: 'R7 T-43 a rename whose answer was lost is recognised by the name, which is held from now on',
    spec: { claimRef: CLAIM, assignedName: { current: POOL, next: PENDING }, lastWrite: wrote('rename', 31_000) },
    server: serverOf(PENDING),
    plan: { do: 'wait', afterMs: 40_000 },
  },
  {
    story: 'R7 a pending name is held for a while',
    spec: { claimRef: CLAIM, assignedName: { current: PENDING }, lastWrite: wrote('rename', 10_000) },
    server: serverOf(PENDING),
    plan: { do: 'wait', afterMs: 30_000 },
  },
  {
    story: 'R6 after that the machine gives the name',
    spec: { claimRef: CLAIM, assignedName: { current: PENDING }, lastWrite: wrote('rename', 40_000) },
    server: serverOf(PENDING),
    plan: renaming(PENDING, 'mac-1'),
  },
  {
    story: 'R25 a rented Mac is waited for until it is delivered',
    spec: { ...RENTED, claimRef: CLAIM },
    server: serverOf(ORDERED, 'starting', { isDelivered: false }),
    plan: {
      do: 'wait',
      afterMs: TIMES.pollMs,
      reason: 'Ordering',
      message: `ordered as ${ORDERED}, and not delivered yet: it is starting`,
    },
  },
  {
    story: 'R25 one that is ready before it is delivered is waited for too',
    spec: { ...RENTED, claimRef: CLAIM },
    server: serverOf(ORDERED, 'ready', { isDelivered: false }),
    plan: {
      do: 'wait',
      afterMs: TIMES.pollMs,
      reason: 'Ordering',
      message: `ordered as ${ORDERED}, and not delivered yet: it is ready`,
    },
  },
  {
    story: 'R25 then it gets its machine’s name at once: no other cluster knows it',
    spec: { ...RENTED, claimRef: CLAIM },
    server: serverOf(ORDERED),
    plan: renaming(ORDERED, 'mac-1'),
  },
  {
    story: 'R25 a rented Mac whose name somebody changed is not let go: it costs money',
    spec: { ...RENTED, claimRef: CLAIM },
    server: serverOf('mine now'),
    plan: { do: 'report', message: `the server is named "mine now", expected "${ORDERED}"` },
  },
  {
    story: 'R25 the rent of a rented Mac ends with its machine, whatever the release says',
    spec: { ...RENTED, claimRef: CLAIM, release: RELEASE, assignedName: { current: RELEASING } },
    server: serverOf(RELEASING),
    plan: { do: 'terminate', record: { lastWrite: fresh('delete') } },
  },
  {
    story: 'R7 T-44 a server that another cluster renamed meanwhile is let go',
    spec: { claimRef: CLAIM, assignedName: { current: PENDING }, lastWrite: wrote('rename', 40_000) },
    server: serverOf(`tuist-claim-pending-${UUID}`),
    plan: store({ claimRef: undefined, assignedName: undefined }),
  },
  {
    story: 'a host with its final name is prepared',
    spec: { claimRef: CLAIM, assignedName: { current: 'mac-1' } },
    server: serverOf('mac-1'),
    plan: { do: 'prepare' },
  },
  {
    story: 'R15 a host whose machine vanished is held',
    spec: CLAIMED,
    server: serverOf('mac-1'),
    owner: 'gone',
    plan: store({
      hold: {
        reason: 'OwnerVanished',
        message: 'the machine that had this Mac is gone and never asked for its release',
        since: at(0),
        by: 'macfleet',
      },
    }),
  },
  {
    story: 'R8 a host whose server has another name is not touched',
    spec: { claimRef: CLAIM, assignedName: { current: 'mac-1' } },
    server: serverOf('mac-2'),
    plan: { do: 'report', message: 'the server is named "mac-2", expected "mac-1"' },
  },
  {
    story: 'R15 one that works is held too, and nothing else happens to it',
    spec: CLAIMED,
    server: serverOf('mac-1'),
    owner: 'gone',
    node: 'there',
    plan: store({
      hold: {
        reason: 'OwnerVanished',
        message: 'the machine that had this Mac is gone and never asked for its release',
        since: at(0),
        by: 'macfleet',
      },
    }),
  },
  {
    story: 'R15 one that is half-way to its name is held, not dropped: a rename may be under way',
    spec: { claimRef: CLAIM, assignedName: { current: POOL, next: PENDING }, lastWrite: wrote('rename', 1_000) },
    server: serverOf(POOL),
    owner: 'detached',
    plan: store({
      hold: {
        reason: 'Detached',
        message: 'the machine was paused and taken off this Mac by hand',
        since: at(0),
        by: 'macfleet',
      },
    }),
  },
  {
    story: 'nothing is begun for a machine that is being deleted',
    spec: CLAIMED,
    server: serverOf('mac-1'),
    owner: 'leaving',
    plan: { do: 'wait', afterMs: 10_000, message: 'its machine is being deleted' },
  },
  {
    story: 'R18 a machine that is on its way out does not end the hold it has just asked for',
    spec: { ...CLAIMED, hold: { reason: 'NamespaceTerminating' } },
    server: serverOf('mac-1'),
    owner: 'leaving',
    plan: { do: 'rest' },
  },
  {
    story: 'R5 a host that several machines name is not touched',
    spec: CLAIMED,
    server: serverOf('mac-1'),
    owner: 'does-not',
    plan: { do: 'report', message: 'its machine names another Mac, or others name this one' },
  },
  {
    story: 'R3 a free host whose server got a name of somebody else is nobody’s business of ours',
    spec: {},
    server: serverOf('mac-9'),
    owner: 'gone',
    plan: { do: 'forget' },
  },
  {
    story: 'R19 a server that is gone takes its record along',
    spec: { ...CLAIMED, release: RELEASE },
    isGone: true,
    owner: 'gone',
    plan: { do: 'forget' },
  },
  {
    story: 'R19 as long as a machine has it, the record tells that it is gone',
    spec: CLAIMED,
    isGone: true,
    plan: { do: 'report', reason: 'ServerGone', message: 'the server is gone: deleted at Scaleway' },
  },
  {
    story: 'R19 T-49 T-50 a server that is not seen is not gone yet',
    spec: CLAIMED,
    plan: { do: 'report', message: 'Scaleway does not show the server' },
  },
  {
    story: 'a host that has joined rests',
    spec: { claimRef: CLAIM, assignedName: { current: 'mac-1' } },
    node: 'there',
    server: serverOf('mac-1'),
    plan: { do: 'rest' },
  },
  {
    story: '004-3 a host that has joined gets another configuration when it is its turn',
    spec: CLAIMED,
    node: 'there',
    server: serverOf('mac-1'),
    isTurnToRoll: true,
    plan: { do: 'roll' },
  },
  {
    story: '004-3 R15 not when its machine is gone',
    spec: { ...CLAIMED, hold: { reason: 'OwnerVanished' } },
    node: 'there',
    server: serverOf('mac-1'),
    owner: 'gone',
    isTurnToRoll: true,
    plan: { do: 'rest' },
  },
  {
    story: 'R12 a release begins with the releasing name',
    spec: { claimRef: CLAIM, assignedName: { current: 'mac-1' }, release: RELEASE },
    server: serverOf('mac-1'),
    plan: renaming('mac-1', `tuist-releasing-0a1b2c3d-${UUID}`),
  },
  {
    story: 'R12 a claimed host that still has its pool name is wiped too before it is free',
    spec: { claimRef: CLAIM, release: RELEASE },
    server: serverOf(POOL),
    plan: renaming(POOL, `tuist-releasing-0a1b2c3d-${UUID}`),
  },
  {
    story: 'R8 a host to be released whose server has a foreign name is not wiped',
    spec: { claimRef: CLAIM, assignedName: { current: 'mac-1' }, release: RELEASE },
    server: serverOf('mac-2'),
    plan: { do: 'report', message: 'the server is named "mac-2", expected "mac-1"' },
  },
  {
    story: 'R15 a host without a pool is never wiped',
    spec: { pool: undefined, claimRef: CLAIM, assignedName: { current: 'mac-1' }, release: RELEASE },
    server: serverOf('mac-1'),
    plan: {
      do: 'report',
      reason: 'NoRightToWipe',
      message: 'it has no pool and was not ordered by us: it is neither wiped nor deleted, whoever asks',
    },
  },
  {
    story: 'R13 the request to wipe is stored before it is sent',
    spec: { claimRef: CLAIM, assignedName: { current: RELEASING }, release: RELEASE },
    server: serverOf(RELEASING),
    plan: {
      do: 'reinstall',
      osFamily: 'Tahoe',
      record: { reinstall: { intentID: 'i-1', requestedAt: at(0) }, lastWrite: fresh('reinstall') },
    },
  },
  {
    story: 'a stored request to wipe is sent',
    spec: {
      claimRef: CLAIM,
      assignedName: { current: RELEASING },
      release: RELEASE,
      reinstall: { intentID: 'i-1', requestedAt: at(1_000) },
      lastWrite: wrote('reinstall', 1_000),
    },
    server: serverOf(RELEASING),
    plan: { do: 'reinstall', osFamily: 'Tahoe' },
  },
  {
    story: 'R12 a wipe whose answer was lost counts once the server is seen reinstalling',
    spec: {
      claimRef: CLAIM,
      assignedName: { current: RELEASING },
      release: RELEASE,
      reinstall: { intentID: 'i-1', requestedAt: at(9_000) },
      lastWrite: wrote('reinstall', 9_000),
    },
    server: serverOf(RELEASING, 'reinstalling'),
    plan: store({ reinstall: { intentID: 'i-1', requestedAt: at(9_000), acceptedAt: at(0) } }),
  },
  {
    story: 'R12 a reinstall that we did not ask for proves nothing',
    spec: { claimRef: CLAIM, assignedName: { current: RELEASING }, release: RELEASE },
    server: serverOf(RELEASING, 'reinstalling'),
    plan: { do: 'wait', afterMs: 10_000 },
  },
  {
    story: 'R12 a reboot under way proves nothing (N2)',
    spec: {
      claimRef: CLAIM,
      assignedName: { current: RELEASING },
      release: RELEASE,
      reinstall: { intentID: 'i-1', requestedAt: at(9_000) },
      lastWrite: wrote('reinstall', 9_000),
    },
    server: serverOf(RELEASING, 'rebooting'),
    plan: { do: 'wait', afterMs: 10_000 },
  },
  {
    story: 'R12 in doubt it is wiped again',
    spec: {
      claimRef: CLAIM,
      assignedName: { current: RELEASING },
      release: RELEASE,
      reinstall: { intentID: 'i-1', requestedAt: at(900_000) },
      lastWrite: wrote('reinstall', 900_000),
    },
    server: serverOf(RELEASING),
    plan: {
      do: 'reinstall',
      osFamily: 'Tahoe',
      record: { reinstall: { intentID: 'i-1', requestedAt: at(0) }, lastWrite: fresh('reinstall') },
    },
  },
  {
    story: 'D6 no pool name before the wipe is over',
    spec: wiping(),
    server: serverOf(RELEASING, 'reinstalling'),
    plan: { do: 'wait', afterMs: 10_000 },
  },
  {
    story: 'F20 a wipe is looked at again when its hour is over',
    spec: { ...wiping(), reinstall: { intentID: 'i-1', requestedAt: at(3_600_000), acceptedAt: at(3_599_000) } },
    server: serverOf(RELEASING, 'reinstalling'),
    plan: { do: 'wait', afterMs: 1_001 },
  },
  {
    story: 'F20 L4 a Mac whose wipe has not ended after an hour is kept apart',
    spec: STUCK,
    server: serverOf(RELEASING, 'reinstalling'),
    plan: {
      do: 'store',
      spec: {
        ...{ release: undefined, claimRef: undefined, hold: undefined, identity: undefined, rebootRequest: undefined },
        quarantine: { reason: 'WipeStuck', message: STUCK_MESSAGE, since: at(0) },
      },
    },
  },
  {
    story: 'R14 its Node, that came back, is deleted before',
    spec: STUCK,
    node: 'there',
    server: serverOf(RELEASING, 'reinstalling'),
    plan: { do: 'delete-node' },
  },
  {
    story: 'R21 where a third of the pool is kept apart it says so instead',
    spec: STUCK,
    server: serverOf(RELEASING, 'reinstalling'),
    census: { size: 5, quarantined: 1, wipedLastHour: 0 },
    plan: { do: 'wait', afterMs: 10_000, reason: 'WipeStuck', message: STUCK_MESSAGE },
  },
  {
    story: 'R14 a Node that came back is deleted first',
    spec: wiping(),
    node: 'there',
    server: serverOf(RELEASING),
    plan: { do: 'delete-node' },
  },
  {
    story: 'D6 a wiped host gets a pool name',
    spec: wiping(),
    server: serverOf(RELEASING),
    plan: renaming(RELEASING, `tuist-pool-${UUID}`),
  },
  {
    story: 'a host seen under its new pool name is free again, with one more wipe',
    spec: { ...wiping(), assignedName: { current: RELEASING, next: POOL }, wipes: 4 },
    server: serverOf(POOL),
    plan: store({
      claimRef: undefined,
      assignedName: undefined,
      release: undefined,
      hold: undefined,
      quarantine: undefined,
      hostKey: undefined,
      identity: undefined,
      configuration: undefined,
      takenOver: undefined,
      rebootRequest: undefined,
      reinstall: { intentID: 'i-1', requestedAt: at(600_000) },
      wipes: 5,
      budgets: {
        bootstrap: { failures: 0 },
        reboots: { sinceClaim: 0, times: [] },
        returns: 0,
        sudo: { tries: [] },
        roll: { failures: 0 },
      },
    }),
  },
  {
    story: 'R16 a held host rests',
    spec: { claimRef: CLAIM, hold: { reason: 'OwnerVanished' }, assignedName: { current: 'mac-1' } },
    server: serverOf('mac-1'),
    owner: 'gone',
    plan: { do: 'rest' },
  },
  {
    story: 'R15 a host whose owner is back goes on',
    spec: { ...CLAIMED, hold: { reason: 'OwnerVanished' } },
    server: serverOf('mac-1'),
    plan: store({ hold: undefined }),
  },
  {
    story: 'what a person holds stays held',
    spec: { ...CLAIMED, hold: { reason: 'Investigating' } },
    server: serverOf('mac-1'),
    plan: { do: 'rest' },
  },
  {
    story: 'R15 a person may release what is held',
    spec: { ...CLAIMED, hold: { reason: 'OwnerVanished' }, release: RELEASE },
    server: serverOf('mac-1'),
    owner: 'gone',
    plan: renaming('mac-1', `tuist-releasing-0a1b2c3d-${UUID}`),
  },
  {
    story: 'R17 a Mac that lives on in another cluster is forgotten here',
    spec: { ...CLAIMED, hold: { reason: 'Moved' } },
    server: serverOf('mac-1'),
    owner: 'moved',
    plan: { do: 'forget' },
  },
];

function wiping(): Partial<MacHostSpec> {
  const reinstall = { intentID: 'i-1', requestedAt: at(600_000), acceptedAt: at(599_000) };
  return { claimRef: CLAIM, assignedName: { current: RELEASING }, release: RELEASE, reinstall };
}

describe('planHost', () => {
  for (const { story, plan, ...view } of ROWS) it(story, () => assert.deepEqual(quietly(planHost(viewOf(view))), plan));

  it('L4 tells people of a Mac that it keeps apart', () => {
    const plan = planHost(viewOf({ spec: STUCK, server: serverOf(RELEASING, 'reinstalling') }));
    const event = { type: 'Warning', reason: 'WipeStuck', message: STUCK_MESSAGE };
    assert.deepEqual(plan.do === 'store' ? plan.event : plan.do, event);
  });
});

describe('a plan', () => {
  const freeze = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    Object.freeze(value);
    Object.values(value).forEach(freeze);
  };

  it('T-68 changes nothing of what it is given', () => {
    for (const { story: _, plan: wanted, ...given } of ROWS) {
      const view = viewOf(given);
      freeze([view.spec, view.server]);
      assert.deepEqual(quietly(planHost(view)).do, wanted.do);
    }
  });
});

describe('isClaimable', () => {
  const host = (fields: Partial<MacHostSpec>, serverName = POOL, serverStatus = 'ready') => ({
    spec: specOf(fields),
    serverName,
    serverStatus,
  });
  const rows = [
    { story: 'a free, ready host of the pool', host: host({}), is: true },
    {
      story: 'one that was written to a moment ago (R13)',
      host: host({ lastWrite: wrote('rename', 59_000) }),
      is: false,
    },
    { story: 'one that was written to a minute ago', host: host({ lastWrite: wrote('rename', 60_000) }), is: true },
    { story: 'one that is being installed', host: host({}, POOL, 'reinstalling'), is: false },
    { story: 'one under another name', host: host({}, 'mac-9'), is: false },
    { story: 'a claimed one', host: host({ claimRef: CLAIM }), is: false },
    { story: 'a quarantined one', host: host({ quarantine: { reason: 'BootFailed', since: at(0) } }), is: false },
  ];
  for (const { story, host: candidate, is } of rows) {
    it(`${is ? 'takes' : 'leaves'} ${story}`, () =>
      assert.equal(isClaimable(candidate, { nowMs: NOW, times: TIMES }), is));
  }
});
