import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FINALIZERS } from '../../kinds/labels.ts';
import { parseMacHost } from '../../kinds/mac-host.ts';
import { parseMachine } from '../../kinds/machine.ts';
import { CLUSTER_API_ANNOTATIONS } from '../../kube/types/cluster-api.ts';
import { type InventoryView, planInventory } from './plan-inventory.ts';
import {
  at,
  CLAIM,
  ID,
  NOW,
  ORDERED,
  PENDING,
  POOL,
  QUARANTINE,
  RELEASE,
  RELEASING,
  serverOf,
  specOf,
  UUID,
  wrote,
} from './testing/views.ts';

const machine = (fields: object = {}, metadata: object = {}) =>
  parseMachine({ metadata: { name: 'mac-1', namespace: 'ci', uid: 'uid-1', ...metadata }, spec: {}, ...fields });

const source = { scaleway: { projectID: 'p', zone: 'fr-par-1', serverID: ID } };
const found = { source, type: 'M2-L', osFamily: 'Tahoe' };
const claimed = {
  ...found,
  pool: { prefix: 'tuist-pool-' },
  claimRef: { namespace: 'ci', name: 'mac-1', uid: 'uid-1' },
  fleet: 'ci-mac-1',
};

const ENDING = { nodeName: 'mac-1', expiresAt: at(-3_600_000) };

const view = (given: Partial<InventoryView>): InventoryView => ({
  nowMs: NOW,
  projectId: 'p',
  servers: [],
  hosts: [],
  poolPrefixes: ['tuist-pool-'],
  poolPrefix: 'tuist-pool-',
  clusterId: '0a1b2c3d',
  owners: new Map(),
  clusterOf: () => undefined,
  identityLifeMs: 3_600_000,
  quietMs: 60_000,
  uuid: () => UUID,
  ...given,
});

describe('a server that is not on record', () => {
  const rows = [
    { story: 'R3 is free under a pool name', name: POOL, spec: { ...found, pool: { prefix: 'tuist-pool-' } } },
    { story: 'is none of ours under any other name', name: 'mac-1', spec: undefined },
    { story: 'may be another cluster’s under a pending name', name: PENDING, spec: undefined },
    {
      story: 'R15 is on its way to the machine that names it under a pending name of that very machine',
      name: PENDING,
      owner: machine({ status: { serverID: ID } }, { uid: ID }),
      spec: {
        ...claimed,
        claimRef: { ...claimed.claimRef, uid: ID },
        assignedName: { current: PENDING, next: PENDING },
      },
    },
    {
      story: 'R7 is left alone under a pending name of another, although a machine names it',
      name: PENDING,
      owner: machine({ status: { serverID: ID } }, { uid: UUID }),
      spec: undefined,
    },
    {
      story: 'R17 belongs to the machine that has its identity, if it bears its name',
      name: 'mac-1',
      owner: machine({ spec: { providerID: `scw-applesilicon://fr-par-1/${ID}` } }),
      spec: { ...claimed, takenOver: true, assignedName: { current: 'mac-1' } },
    },
    {
      story: 'R23 of a lost record is a Node for as long as its last certificate may live',
      name: 'mac-1',
      owner: machine({
        spec: { providerID: `scw-applesilicon://fr-par-1/${ID}` },
        status: { serverID: ID, initialization: { provisioned: true } },
      }),
      spec: { ...claimed, identity: ENDING, takenOver: true, assignedName: { current: 'mac-1' } },
    },
    {
      story: 'R23 of a machine that is not provisioned too: its Mac may have joined a moment ago',
      name: 'mac-1',
      owner: machine({ status: { serverID: ID } }),
      spec: { ...claimed, identity: ENDING, takenOver: true, assignedName: { current: 'mac-1' } },
    },
    {
      story: 'R17 is left alone if the machine with its identity bears another name',
      name: 'mac-2',
      owner: machine({ spec: { providerID: `scw-applesilicon://fr-par-1/${ID}` } }),
      spec: undefined,
    },
    {
      story: 'R17 is left alone while its machine is on its way to another cluster',
      name: 'mac-1',
      owner: machine({}, { deletionTimestamp: at(0), annotations: { [CLUSTER_API_ANNOTATIONS.deleteForMove]: '' } }),
      spec: undefined,
    },
    {
      story: 'R3 R11 is on record before its machine goes, which has yet to ask for its release',
      name: 'mac-1',
      owner: machine({}, { deletionTimestamp: at(0) }),
      spec: { ...claimed, identity: ENDING, takenOver: true, assignedName: { current: 'mac-1' } },
    },
    {
      story: 'R3 is wiped when a machine has it and it has a pool name: the Go original stopped half-way',
      name: POOL,
      owner: machine({ status: { serverID: ID } }, { finalizers: [FINALIZERS.machine] }),
      spec: {
        ...claimed,
        assignedName: { current: POOL },
        release: {
          intentID: UUID,
          policy: 'pool',
          reason: 'FoundHalfReleased',
          message: 'it has a pool name although a machine has it: wiped before anybody gets it',
          requestedAt: at(0),
          by: 'macfleet',
        },
      },
    },
    {
      story: 'R3 S6 is left for the next list while that machine has no finalizer yet (swarm seed 30135: it was moved)',
      name: POOL,
      owner: machine({ status: { serverID: ID } }),
      spec: undefined,
    },
    {
      story:
        'R3 R18 is only put on record when that machine goes: it says itself whether the Mac is given back or held',
      name: POOL,
      owner: machine({ status: { serverID: ID } }, { deletionTimestamp: at(0) }),
      spec: { ...claimed, assignedName: { current: POOL } },
    },
    ...[RELEASING, QUARANTINE].map((name) => ({
      story: `R15 is held, not wiped, under ${name.split('-')[1]}: its record was lost`,
      name,
      spec: {
        ...found,
        pool: { prefix: 'tuist-pool-' },
        assignedName: { current: name },
        hold: {
          reason: 'RecordLost',
          message:
            'its name is one that this manager gave, but there was no record of it: a release says what becomes of it',
          since: at(0),
          by: 'macfleet',
        },
      },
    })),
    {
      story: 'R25 is held as rented under the name of an order that nobody remembers',
      name: ORDERED,
      spec: {
        ...found,
        ordered: true,
        order: { intentID: ID, name: ORDERED, requestedAt: at(0) },
        assignedName: { current: ORDERED },
        hold: {
          reason: 'RecordLost',
          message:
            'its name is one that this manager gave, but there was no record of it: a release says what becomes of it',
          since: at(0),
          by: 'macfleet',
        },
      },
    },
    {
      story: 'R25 has no pool when its machine had it rented',
      name: 'mac-1',
      owner: machine({ spec: { acquire: 'order' } }),
      spec: {
        ...found,
        ordered: true,
        claimRef: claimed.claimRef,
        fleet: claimed.fleet,
        identity: ENDING,
        takenOver: true,
        assignedName: { current: 'mac-1' },
      },
    },
    {
      story: 'is another cluster’s business under its releasing name',
      name: RELEASING.replace('0a1b2c3d', 'ffffffff'),
      spec: undefined,
    },
  ];
  for (const { story, name, owner, spec } of rows.map((row) => ({ owner: undefined, ...row }))) {
    it(story, () => {
      const owners = new Map(owner === undefined ? [] : [[ID, [owner]]]);
      const plans = planInventory(view({ servers: [serverOf(name)], owners }));
      const server = { name, status: 'ready', address: '192.0.2.1', seenAt: at(0) };
      assert.deepEqual(plans, spec === undefined ? [] : [{ do: 'create', name: ID, spec, server }]);
    });
  }

  it('R5 is nobody’s when two machines name it', () => {
    const owners = new Map([[ID, [machine(), machine({}, { name: 'mac-2', uid: 'uid-2' })]]]);
    assert.deepEqual(planInventory(view({ servers: [serverOf('mac-1')], owners })), []);
  });

  it('R25 is left to whoever pursues the intent it came of, and on record before it is delivered', () => {
    const server = serverOf(ORDERED, 'starting', { isDelivered: false });
    const spec = {
      source: { scaleway: { projectID: 'p', zone: 'fr-par-1' } },
      order: { intentID: ID, name: ORDERED, requestedAt: at(0) },
    };
    const intent = parseMacHost({ metadata: { name: 'order-1' }, spec });
    assert.deepEqual(planInventory(view({ servers: [server], hosts: [intent] })), []);
    assert.equal(planInventory(view({ servers: [server] }))[0]?.do, 'create');
    assert.deepEqual(planInventory(view({ hosts: [intent] })), []);
  });

  it('is waited for until it is delivered', () => {
    assert.deepEqual(planInventory(view({ servers: [serverOf(POOL, 'starting', { isDelivered: false })] })), []);
  });
});

describe('a server that is on record', () => {
  const host = (server: object) => parseMacHost({ metadata: { name: ID }, spec: specOf(), status: { server } });
  const same = { name: POOL, status: 'ready', address: '192.0.2.1', seenAt: at(60_000) };
  it('costs no write when nothing changed', () => {
    assert.deepEqual(planInventory(view({ servers: [serverOf(POOL)], hosts: [host(same)] })), []);
  });

  it('is brought up to date when it changed', () => {
    const known = host({ ...same, missingSince: at(60_000) });
    assert.deepEqual(planInventory(view({ servers: [serverOf(POOL)], hosts: [known] })), [
      { do: 'update', host: known, server: { name: POOL, status: 'ready', address: '192.0.2.1', seenAt: at(0) } },
    ]);
  });

  const naming = {
    claimRef: CLAIM,
    assignedName: { current: POOL, next: PENDING },
    lastWrite: wrote('rename', 59_000),
  };
  const named: readonly {
    readonly story: string;
    readonly spec?: object;
    readonly known?: object;
    readonly seen?: ReturnType<typeof serverOf>;
    readonly updates: number;
  }[] = [
    { story: 'costs no write while it is given a name: who does that tells', updates: 0 },
    {
      story: 'is not taken for what an older list shows',
      ...{ known: { name: PENDING }, seen: serverOf(POOL), updates: 0 },
    },
    { story: 'is brought up to date when that was long ago', spec: { lastWrite: wrote('rename', 60_000) }, updates: 1 },
    { story: 'R8 is brought up to date when it has a name that nobody gave it', seen: serverOf('mac-9'), updates: 1 },
    { story: 'is brought up to date when more than its name changed', seen: serverOf(PENDING, 'locked'), updates: 1 },
    { story: 'R19 is no longer missing when it is seen', known: { missingSince: at(1_000) }, updates: 1 },
    {
      story: 'is brought up to date on its way back, where the list is enough',
      ...{ spec: { assignedName: { current: PENDING, next: RELEASING }, release: RELEASE }, seen: serverOf(RELEASING) },
      updates: 1,
    },
    { story: 'is brought up to date when nobody has claimed it', spec: { claimRef: undefined }, updates: 1 },
  ];
  for (const { story, spec, known, seen = serverOf(PENDING), updates } of named) {
    it(story, () => {
      const status = { server: { ...same, ...known } };
      const claimedHost = parseMacHost({ metadata: { name: ID }, spec: specOf({ ...naming, ...spec }), status });
      assert.equal(planInventory(view({ servers: [seen], hosts: [claimedHost] })).length, updates);
    });
  }

  it('is marked once when a complete list lacks it', () => {
    const known = host(same);
    assert.deepEqual(planInventory(view({ hosts: [known] })), [
      { do: 'update', host: known, server: { ...same, missingSince: at(0) } },
    ]);
    assert.deepEqual(planInventory(view({ hosts: [host({ ...same, missingSince: at(0) })] })), []);
  });
});
