import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toTimestamp } from '../../base/clock.ts';
import type { MacHostSpec } from '../../kinds/mac-host.ts';
import { HOST_STATES, parseMacHost } from '../../kinds/mac-host.ts';
import type { CloudServer } from '../../scaleway/port/cloud.ts';
import { HOST_LIFE, hostStateOf, NAME_SIGHTS, sightName } from './host-life.ts';
import { type HostPlan, type HostView, isClaimable, planHost } from './plan-host.ts';

const NOW = Date.UTC(2026, 5, 1);
const ID = '11111111-2222-4333-8444-555555555555';
const UUID = '99999999-8888-4777-8666-555555555555';
const POOL = `tuist-pool-${ID}`;
const PENDING = `tuist-claim-pending-${ID}`;
const RELEASING = `tuist-releasing-0a1b2c3d-${ID}`;
const TIMES = { claimHoldMs: 40_000, quietMs: 60_000, recordMaxAgeMs: 30_000, pollMs: 10_000 };
const CLAIM = { namespace: 'ci', name: 'mac-1', uid: 'uid-1' };

const at = (agoMs: number): string => toTimestamp(NOW - agoMs);
const wrote = (verb: 'rename' | 'reinstall', agoMs: number) => ({ verb, id: 'w', at: at(agoMs) });
const release = { intentID: 'i-1', policy: 'pool', reason: 'MachineDeleted' } as const;

const specOf = (fields: Partial<MacHostSpec> = {}): MacHostSpec =>
  parseMacHost({
    metadata: { name: ID },
    spec: {
      source: { scaleway: { projectID: 'p', zone: 'fr-par-1', serverID: ID } },
      pool: { prefix: 'tuist-pool-' },
      type: 'M2-L',
      osFamily: 'Tahoe',
      ...fields,
    },
  }).spec;

const serverOf = (name: string, status: CloudServer['status'] = 'ready'): CloudServer => ({
  id: ID,
  zone: 'fr-par-1',
  projectId: 'p',
  name,
  type: 'M2-L',
  status,
  osFamily: 'Tahoe',
  isDelivered: true,
  address: '192.0.2.1',
  sshUser: 'm1',
  deletableAtMs: undefined,
  isDeletionScheduled: false,
});

interface Row {
  readonly story: string;
  readonly spec: Partial<MacHostSpec>;
  readonly server?: CloudServer;
  readonly owner?: HostView['owner'];
  readonly node?: HostView['node'];
  readonly plan: HostPlan;
}

const viewOf = ({ spec, server, owner = 'names-it', node = 'absent' }: Omit<Row, 'story' | 'plan'>): HostView => ({
  nowMs: NOW,
  spec: specOf(spec),
  server,
  owner,
  node,
  clusterId: '0a1b2c3d',
  times: TIMES,
  uuid: () => UUID,
});

const store = (spec: Partial<MacHostSpec> | Record<string, unknown>): HostPlan => ({ do: 'store', spec });
const fresh = (verb: 'rename' | 'reinstall') => ({ verb, id: UUID, at: at(0) });

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
    plan: store({ assignedName: { current: POOL, next: `tuist-claim-pending-${UUID}` }, lastWrite: fresh('rename') }),
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
    plan: store({ lastWrite: fresh('rename') }),
  },
  {
    story: 'a rename whose answer was lost is recognised by the name',
    spec: { claimRef: CLAIM, assignedName: { current: POOL, next: PENDING }, lastWrite: wrote('rename', 31_000) },
    server: serverOf(PENDING),
    plan: store({ assignedName: { current: PENDING } }),
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
    plan: store({ assignedName: { current: PENDING, next: 'mac-1' }, lastWrite: fresh('rename') }),
  },
  {
    story: 'R7 a server that another cluster renamed meanwhile is let go',
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
    story: 'R15 a host whose machine is gone is not touched',
    spec: { claimRef: CLAIM, assignedName: { current: 'mac-1' } },
    server: serverOf('mac-1'),
    owner: 'gone',
    plan: { do: 'report', message: 'the machine that claimed this host is gone or names another one' },
  },
  {
    story: 'R8 a host whose server has another name is not touched',
    spec: { claimRef: CLAIM, assignedName: { current: 'mac-1' } },
    server: serverOf('mac-2'),
    plan: { do: 'report', message: 'the server is named "mac-2", expected "mac-1"' },
  },
  {
    story: 'a host that has joined rests',
    spec: { claimRef: CLAIM, assignedName: { current: 'mac-1' } },
    node: 'there',
    server: serverOf('mac-1'),
    plan: { do: 'rest' },
  },
  {
    story: 'R12 a release begins with the releasing name',
    spec: { claimRef: CLAIM, assignedName: { current: 'mac-1' }, release },
    server: serverOf('mac-1'),
    plan: store({
      assignedName: { current: 'mac-1', next: `tuist-releasing-0a1b2c3d-${UUID}` },
      lastWrite: fresh('rename'),
    }),
  },
  {
    story: 'R12 a claimed host that still has its pool name is wiped too before it is free',
    spec: { claimRef: CLAIM, release },
    server: serverOf(POOL),
    plan: store({
      assignedName: { current: POOL, next: `tuist-releasing-0a1b2c3d-${UUID}` },
      lastWrite: fresh('rename'),
    }),
  },
  {
    story: 'R8 a host to be released whose server has a foreign name is not wiped',
    spec: { claimRef: CLAIM, assignedName: { current: 'mac-1' }, release },
    server: serverOf('mac-2'),
    plan: { do: 'report', message: 'the server is named "mac-2", expected "mac-1"' },
  },
  {
    story: 'R15 a host without a pool is never wiped',
    spec: { pool: undefined, claimRef: CLAIM, assignedName: { current: 'mac-1' }, release },
    server: serverOf('mac-1'),
    plan: { do: 'report', message: 'the host has no pool, so it is never wiped (R15)' },
  },
  {
    story: 'R13 the request to wipe is stored before it is sent',
    spec: { claimRef: CLAIM, assignedName: { current: RELEASING }, release },
    server: serverOf(RELEASING),
    plan: store({ reinstall: { intentID: 'i-1', requestedAt: at(0) }, lastWrite: fresh('reinstall') }),
  },
  {
    story: 'a stored request to wipe is sent',
    spec: {
      claimRef: CLAIM,
      assignedName: { current: RELEASING },
      release,
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
      release,
      reinstall: { intentID: 'i-1', requestedAt: at(9_000) },
      lastWrite: wrote('reinstall', 9_000),
    },
    server: serverOf(RELEASING, 'reinstalling'),
    plan: store({ reinstall: { intentID: 'i-1', requestedAt: at(9_000), acceptedAt: at(0) } }),
  },
  {
    story: 'R12 a reinstall that we did not ask for proves nothing',
    spec: { claimRef: CLAIM, assignedName: { current: RELEASING }, release },
    server: serverOf(RELEASING, 'reinstalling'),
    plan: { do: 'wait', afterMs: 10_000 },
  },
  {
    story: 'R12 a reboot under way proves nothing (N2)',
    spec: {
      claimRef: CLAIM,
      assignedName: { current: RELEASING },
      release,
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
      release,
      reinstall: { intentID: 'i-1', requestedAt: at(900_000) },
      lastWrite: wrote('reinstall', 900_000),
    },
    server: serverOf(RELEASING),
    plan: store({ reinstall: { intentID: 'i-1', requestedAt: at(0) }, lastWrite: fresh('reinstall') }),
  },
  {
    story: 'D6 no pool name before the wipe is over',
    spec: wiping(),
    server: serverOf(RELEASING, 'reinstalling'),
    plan: { do: 'wait', afterMs: 10_000 },
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
    plan: store({ assignedName: { current: RELEASING, next: `tuist-pool-${UUID}` }, lastWrite: fresh('rename') }),
  },
  {
    story: 'a host seen under its new pool name is free again, with one more wipe',
    spec: { ...wiping(), assignedName: { current: RELEASING, next: POOL }, wipes: 4 },
    server: serverOf(POOL),
    plan: store({
      claimRef: undefined,
      assignedName: undefined,
      release: undefined,
      reinstall: undefined,
      hostKey: undefined,
      identity: undefined,
      rebootRequest: undefined,
      wipes: 5,
      budgets: undefined,
    }),
  },
  {
    story: 'R16 a held host rests',
    spec: { claimRef: CLAIM, hold: { reason: 'OwnerVanished' }, assignedName: { current: 'mac-1' } },
    server: serverOf('mac-1'),
    plan: { do: 'rest' },
  },
];

function wiping(): Partial<MacHostSpec> {
  const reinstall = { intentID: 'i-1', requestedAt: at(600_000), acceptedAt: at(599_000) };
  return { claimRef: CLAIM, assignedName: { current: RELEASING }, release, reinstall };
}

describe('planHost', () => {
  for (const { story, plan, ...view } of ROWS) it(story, () => assert.deepEqual(planHost(viewOf(view)), plan));
});

describe('the table of a Mac’s life', () => {
  it('has a move for every state and every name', () => {
    for (const state of HOST_STATES)
      for (const sight of NAME_SIGHTS) assert.ok(HOST_LIFE[state][sight], `${state} × ${sight}`);
  });

  it('wipes only in releasing, where an intent is stored', () => {
    for (const state of HOST_STATES) {
      const wipes = NAME_SIGHTS.some((sight) => HOST_LIFE[state][sight] === 'wipe');
      assert.equal(wipes, state === 'releasing', state);
    }
    assert.equal(hostStateOf(specOf({ claimRef: CLAIM }), 'absent'), 'claimed');
    assert.equal(hostStateOf(specOf({ release }), 'absent'), 'releasing');
  });

  it('calls every name foreign that the record does not expect', () => {
    const spec = specOf({ claimRef: CLAIM, assignedName: { current: 'mac-1' } });
    for (const name of [POOL, PENDING, RELEASING, 'mac-2', '']) assert.equal(sightName(spec, name), 'foreign', name);
    assert.equal(sightName(spec, 'mac-1'), 'machine');
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
