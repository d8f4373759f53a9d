import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseMacHost } from '../../kinds/mac-host.ts';
import { parseMachine } from '../../kinds/machine.ts';
import { type InventoryView, planInventory } from './plan-inventory.ts';
import { at, ID, NOW, PENDING, POOL, QUARANTINE, RELEASING, serverOf, specOf, UUID } from './testing/views.ts';

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

const view = (given: Partial<InventoryView>): InventoryView => ({
  nowMs: NOW,
  projectId: 'p',
  servers: [],
  hosts: [],
  poolPrefixes: ['tuist-pool-'],
  poolPrefix: 'tuist-pool-',
  clusterId: '0a1b2c3d',
  owners: new Map(),
  uuid: () => UUID,
  ...given,
});

describe('a server that is not on record', () => {
  const rows = [
    { story: 'R3 is free under a pool name', name: POOL, spec: { ...found, pool: { prefix: 'tuist-pool-' } } },
    { story: 'is none of ours under any other name', name: 'mac-1', spec: undefined },
    { story: 'may be another cluster’s under a pending name', name: PENDING, spec: undefined },
    {
      story: 'R17 belongs to the machine that has its identity, if it bears its name',
      name: 'mac-1',
      owner: machine({ spec: { providerID: `scw-applesilicon://fr-par-1/${ID}` } }),
      spec: { ...claimed, assignedName: { current: 'mac-1' } },
    },
    {
      story: 'R17 is left alone if the machine with its identity bears another name',
      name: 'mac-2',
      owner: machine({ spec: { providerID: `scw-applesilicon://fr-par-1/${ID}` } }),
      spec: undefined,
    },
    {
      story: 'R17 is left alone while its machine is on its way out',
      name: 'mac-1',
      owner: machine({}, { deletionTimestamp: at(0) }),
      spec: undefined,
    },
    {
      story: 'R3 is wiped when a machine has it and it has a pool name: the Go original stopped half-way',
      name: POOL,
      owner: machine({ status: { serverID: ID } }),
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
    ...[RELEASING, QUARANTINE].map((name) => ({
      story: `R15 is held, not wiped, under ${name.split('-')[1]}: its record was lost`,
      name,
      spec: {
        ...found,
        pool: { prefix: 'tuist-pool-' },
        assignedName: { current: name },
        hold: {
          reason: 'RecordLost',
          message: 'its name is one that this manager gave, but there was no record of it: release it to have it wiped',
          since: at(0),
          by: 'macfleet',
        },
      },
    })),
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
      assert.deepEqual(plans, spec === undefined ? [] : [{ do: 'create', name: ID, spec }]);
    });
  }

  it('R5 is nobody’s when two machines name it', () => {
    const owners = new Map([[ID, [machine(), machine({}, { name: 'mac-2', uid: 'uid-2' })]]]);
    assert.deepEqual(planInventory(view({ servers: [serverOf('mac-1')], owners })), []);
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

  it('is marked once when a complete list lacks it', () => {
    const known = host(same);
    assert.deepEqual(planInventory(view({ hosts: [known] })), [
      { do: 'update', host: known, server: { ...same, missingSince: at(0) } },
    ]);
    assert.deepEqual(planInventory(view({ hosts: [host({ ...same, missingSince: at(0) })] })), []);
  });
});
