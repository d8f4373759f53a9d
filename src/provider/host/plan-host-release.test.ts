import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MacHostSpec } from '../../kinds/mac-host.ts';
import { planHost } from './plan-host.ts';
import { judgePlans } from './testing/plan-rows.ts';
import {
  at,
  CLAIM,
  fresh,
  POOL,
  RELEASE,
  RELEASING,
  renaming,
  serverOf,
  store,
  UUID,
  viewOf,
  wrote,
} from './testing/views.ts';

function wiping(): Partial<MacHostSpec> {
  const reinstall = { intentID: 'i-1', requestedAt: at(600_000), acceptedAt: at(599_000) };
  return { claimRef: CLAIM, assignedName: { current: RELEASING }, release: RELEASE, reinstall };
}

const STUCK = {
  ...wiping(),
  reinstall: { intentID: 'i-1', requestedAt: at(3_700_000), acceptedAt: at(3_660_000) },
};
const STUCK_MESSAGE = `its wipe began at ${at(3_660_000)} and has not ended; at Scaleway it is reinstalling: ask them, or release it with the policy terminate`;

judgePlans('the way out', [
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
    plan: {
      do: 'report',
      message: 'the server is named "mac-2", expected "mac-1": nothing is done to it before it has that name again',
    },
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
]);

describe('planHost of a wipe that does not end', () => {
  it('L4 tells people of a Mac that it keeps apart', () => {
    const plan = planHost(viewOf({ spec: STUCK, server: serverOf(RELEASING, 'reinstalling') }));
    const event = { type: 'Warning', reason: 'WipeStuck', message: STUCK_MESSAGE };
    assert.deepEqual(plan.do === 'store' ? plan.event : plan.do, event);
  });
});
