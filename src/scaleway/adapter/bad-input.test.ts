/** Answers that nobody promised: a contract error, or read as what fits nothing; never a crash, never a guess. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { neverAborted } from '../../base/abort.ts';
import { FleetError } from '../../base/errors.ts';
import { createSeededRandom } from '../../base/random.ts';
import { createManualClock } from '../../base/testing/manual-clock.ts';
import type { CloudResponse } from '../port/transport.ts';
import { connectCloud } from './connect.ts';
import { createSimulatedCredentials } from './credentials.ts';
import type { ListedServers } from './observed-cloud.ts';

const ID = 'aaaaaaaa-1111-4111-8111-111111111111';
const OTHER_ID = '22222222-2222-4222-8222-222222222222';
const REF = { zone: 'fr-par-1', id: ID };
const signal = neverAborted();

/** An adapter whose every request gets this body; counts requests and contract errors, and keeps what was said of lists. */
const answering = (body: unknown) => {
  const counted = { requests: 0, lists: [] as ListedServers[], contracts: 0 };
  const cloud = connectCloud({
    transport: async (): Promise<CloudResponse> => {
      counted.requests += 1;
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      return { status: 200, headers: { 'content-type': 'application/json' }, body: text };
    },
    credentials: createSimulatedCredentials(OTHER_ID),
    clock: createManualClock(),
    random: createSeededRandom(1),
    observer: {
      listed: (listed) => void counted.lists.push(listed),
      called: (_, outcome) => {
        if (outcome === 'contract') counted.contracts += 1;
      },
    },
  });
  return { cloud, counted };
};

const list = (...servers: readonly unknown[]) => answering({ total_count: servers.length, servers });

const refusalOf = async (call: Promise<unknown>): Promise<string> => {
  try {
    await call;
    return 'answered';
  } catch (error) {
    return error instanceof FleetError ? `${error.kind} ${error.code}` : String(error);
  }
};

describe('a server', () => {
  test('with nothing but an id is seen, and fits no pool, no type and no family', async () => {
    const { cloud } = answering({ id: ID });
    const { sudoPassword, askedAtMs: _asked, ...server } = await cloud.getServer(REF, signal);
    assert.equal(sudoPassword, undefined);
    assert.deepEqual(server, {
      ...REF,
      ...{ projectId: '', name: '', type: '', status: 'unknown_status', osFamily: '', isDelivered: false },
      ...{ address: '', sshUser: '', deletableAtMs: undefined, isDeletionScheduled: false },
    });
  });

  const fields: readonly { story: string; fields: object; shows: object }[] = [
    { story: 'an unknown status', fields: { status: 'melting' }, shows: { status: 'unknown_status' } },
    { story: 'a status that is a number', fields: { status: 7 }, shows: { status: 'unknown_status' } },
    { story: 'an unknown type', fields: { type: 'M9-XXL' }, shows: { type: 'M9-XXL' } },
    { story: 'a type that is an object', fields: { type: { a: 1 } }, shows: { type: '' } },
    { story: 'a name that is null', fields: { name: null }, shows: { name: '' } },
    { story: 'a name with quotes', fields: { name: 'tuist-pool-"1"' }, shows: { name: '' } },
    { story: 'a name with an emoji', fields: { name: 'tuist-pool-🍏' }, shows: { name: '' } },
    { story: 'a name with a line break', fields: { name: 'tuist-pool-1\n' }, shows: { name: '' } },
    { story: 'a name with a command in it', fields: { name: 'tuist-pool-$(reboot)' }, shows: { name: '' } },
    { story: 'a name of a person', fields: { name: 'Ann (2nd floor), #7' }, shows: { name: 'Ann (2nd floor), #7' } },
    { story: 'a name as long as a record takes', fields: { name: 'x'.repeat(253) }, shows: { name: 'x'.repeat(253) } },
    { story: 'a name of 300 characters', fields: { name: 'tuist-pool-'.repeat(28) }, shows: { name: '' } },
    { story: 'a type without end', fields: { type: 'M'.repeat(254) }, shows: { type: '' } },
    { story: 'a name with a fake prefix', fields: { name: ' tuist-pool-1' }, shows: { name: ' tuist-pool-1' } },
    { story: 'a missing OS', fields: { os: null }, shows: { osFamily: '' } },
    {
      story: 'T-55 an OS without a family',
      fields: { os: { name: 'macos-tahoe-26.3' } },
      shows: { osFamily: 'tahoe' },
    },
    {
      story: 'T-55 an OS whose family is a number',
      fields: { os: { name: 'macos-golden-gate-27.0', family: '27' } },
      shows: { osFamily: 'goldengate' },
    },
    { story: 'an OS that says nothing', fields: { os: { name: '', family: '' } }, shows: { osFamily: '' } },
    { story: 'delivered as a text', fields: { delivered: 'true' }, shows: { isDelivered: false } },
    { story: 'an address that is a number', fields: { ip: 1 }, shows: { address: '' } },
    { story: 'no date', fields: { deletable_at: null }, shows: { deletableAtMs: undefined } },
    { story: 'a date that is none', fields: { deletable_at: 'soon' }, shows: { deletableAtMs: undefined } },
    { story: 'a date in the past', fields: { deletable_at: '1970-01-01T00:00:00Z' }, shows: { deletableAtMs: 0 } },
    { story: 'an unknown field', fields: { surprise: [1, 2] }, shows: {} },
  ];
  for (const { story, fields: given, shows } of fields) {
    test(`with ${story} reads as ${JSON.stringify(shows)}`.slice(0, 120), async () => {
      const shown = new Map(Object.entries(await answering({ id: ID, ...given }).cloud.getServer(REF, signal)));
      for (const [name, value] of Object.entries(shows)) assert.deepEqual(shown.get(name), value);
    });
  }

  const wrong: readonly { story: string; body: unknown; is: string }[] = [
    { story: 'with another id', body: { id: OTHER_ID }, is: 'contract WrongServer' },
    { story: 'with an id that is no UUID', body: { id: '../../x' }, is: 'contract WrongServer' },
    { story: 'with its id in capitals', body: { id: ID.toUpperCase() }, is: 'contract WrongServer' },
    { story: 'without an id', body: {}, is: 'contract WrongServer' },
    { story: 'that is null', body: 'null', is: 'contract UnreadableAnswer' },
    { story: 'that is a list', body: '[]', is: 'contract UnreadableAnswer' },
    { story: 'that is cut off', body: '{"id": "1111', is: 'contract UnreadableAnswer' },
    { story: 'that is empty', body: '', is: 'contract UnreadableAnswer' },
    { story: 'whose OS is a text', body: { id: ID, os: 'Tahoe' }, is: 'contract UnreadableAnswer' },
  ];
  for (const { story, body, is } of wrong) {
    test(`${story} is ${is}`, async () => {
      const { cloud, counted } = answering(body);
      assert.equal(await refusalOf(cloud.getServer(REF, signal)), is);
      assert.equal(counted.contracts, 1);
    });
  }

  const ids = ['', '..', '%2e%2e', `${ID}/reboot`, `${ID}?x=1`, 'no-uuid'];
  for (const id of ids) {
    test(`asked for by the id "${id}" is refused before anything is sent`, async () => {
      const { cloud, counted } = answering({ id });
      assert.equal(
        await refusalOf(Promise.resolve().then(() => cloud.getServer({ ...REF, id }, signal))),
        'invalid BadId',
      );
      assert.equal(counted.requests, 0);
    });
  }
});

describe('a list', () => {
  test('leaves out rows that name no server, and counts each', async () => {
    const { cloud, counted } = list({ id: ID }, {}, { id: null }, { id: 'x' }, { id: 'x' });
    assert.deepEqual(
      (await cloud.listServers('fr-par-1', signal)).map(({ id }) => id),
      [ID],
    );
    assert.equal(counted.lists[0]?.strange.id, 4);
  });

  test('tells how many servers it has, and what each strange one lacks', async () => {
    const whole = { id: ID, name: 'a', project_id: OTHER_ID, type: 'M2-L', status: 'ready', os: { family: 'Tahoe' } };
    const rows = [whole, { ...whole, id: OTHER_ID, name: null, status: 'melting' }, { id: 'x' }];
    const { cloud, counted } = list(...rows);
    await cloud.listServers('fr-par-1', signal);
    const strange = { id: 1, name: 1, project: 0, type: 0, status: 1, os: 0 };
    assert.deepEqual(counted.lists, [{ zone: 'fr-par-1', servers: 2, strange }]);
  });

  const wrong: readonly { story: string; body: unknown; is: string }[] = [
    { story: 'with a row that is null', body: { total_count: 1, servers: [null] }, is: 'contract UnreadableAnswer' },
    { story: 'without rows', body: { total_count: 3 }, is: 'unavailable IncompleteList' },
    { story: 'without a count', body: { servers: [] }, is: 'contract StrangeList' },
    { story: 'whose count is a text', body: { total_count: '1', servers: [{ id: ID }] }, is: 'contract StrangeList' },
    {
      story: 'whose first page repeats for ever',
      body: { total_count: 900, servers: [{ id: ID }] },
      is: 'unavailable IncompleteList',
    },
  ];
  for (const { story, body, is } of wrong) {
    test(`${story} is ${is}`, async () => {
      const { cloud, counted } = answering(body);
      assert.equal(await refusalOf(cloud.listServers('fr-par-1', signal)), is);
      assert.ok(counted.requests <= 27, `${counted.requests} requests`);
    });
  }

  test('of a zone that is none is refused before anything is sent', async () => {
    const { cloud, counted } = list();
    for (const zone of ['', '../fr-par-1', 'fr-par-1/servers', 'FR-PAR-1']) {
      assert.equal(await refusalOf(cloud.listServers(zone, signal)), 'invalid BadZone');
    }
    assert.equal(counted.requests, 0);
  });
});

describe('the catalogue', () => {
  test('leaves out images without an id, and takes what is missing for empty and beta', async () => {
    const { cloud } = answering({ total_count: 3, os: [{ id: ID }, {}, { id: 'x', family: 'Tahoe' }] });
    assert.deepEqual(await cloud.listOsImages('fr-par-1', 'M2-L', signal), [
      { id: ID, name: '', family: '', version: '', isBeta: true },
    ]);
  });

  test('takes an unknown stock for unknown, and a lease that cannot be read for a day', async () => {
    const { cloud } = answering({
      server_types: [{ name: 'M2-L', stock: 'plenty', minimum_lease_duration: 'long' }, {}],
    });
    assert.deepEqual(await cloud.listServerTypes('fr-par-1', signal), [
      { name: 'M2-L', stock: 'unknown_stock', minimumLeaseMs: 86_400_000 },
    ]);
  });

  test('takes no order for placed whose answer has no proper id', async () => {
    const order = { zone: 'fr-par-1', type: 'M2-L', imageId: ID };
    assert.equal(await refusalOf(answering({}).cloud.orderServer(order, 'new', { signal })), 'contract StrangeOrder');
  });
});
