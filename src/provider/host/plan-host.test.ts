import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MacHostSpec } from '../../kinds/mac-host.ts';
import { isClaimable } from './plan-host.ts';
import { judgePlans } from './testing/plan-rows.ts';
import {
  at,
  CLAIM,
  CLAIMED,
  fresh,
  NOW,
  ORDERED,
  PENDING,
  POOL,
  RELEASE,
  RELEASING,
  renaming,
  serverOf,
  specOf,
  store,
  TIMES,
  UUID,
  wrote,
} from './testing/views.ts';

const RENTED = { ordered: true, pool: undefined, assignedName: { current: ORDERED } };

judgePlans('from the pool to a machine, and at work', [
  { story: 'R3 a free host rests', spec: {}, server: serverOf(POOL), plan: { do: 'rest' } },
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
    story: 'R13 a record that grew old is written anew before anything is sent',
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
    story: 'R7 T-47 the last name is asked for again when it was not given, and the pending one stays until then',
    spec: { claimRef: CLAIM, assignedName: { current: PENDING, next: 'mac-1' }, lastWrite: wrote('rename', 31_000) },
    server: serverOf(PENDING),
    plan: { do: 'rename', to: 'mac-1', record: { lastWrite: fresh('rename') } },
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
    plan: {
      do: 'report',
      message: `the server is named "mine now", expected "${ORDERED}": nothing is done to it before it has that name again`,
    },
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
    story: 'R20 none while as many Macs of its pool were wiped within the hour as may be, and it says so',
    spec: CLAIMED,
    node: 'there',
    server: serverOf('mac-1'),
    isTurnToRoll: true,
    census: { wipedLastHour: 30 },
    plan: {
      ...{ do: 'wait', afterMs: 60_000, reason: 'ReinstallLimitReached' },
      message:
        'within the hour as many wipes of this pool were asked for as may be (30): none is rebooted, wiped or changed',
    },
  },
]);

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
