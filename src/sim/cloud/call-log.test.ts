/** Every call stands in the log of the simulated API: all writes for ever, all others up to a bound, each with who made it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createSeededRandom } from '../../base/random.ts';
import { createManualClock } from '../../base/testing/manual-clock.ts';
import { SIMULATED_KEY } from '../../scaleway/port/simulated-key.ts';
import { answerControl } from './control.ts';
import { createSimCloud, type SimCloudOptions } from './sim-cloud.ts';

const ZONE = '/apple-silicon/v1alpha1/zones/fr-par-1';
const OTHER_KEY = { accessKey: 'SCWOTHER000000000000', secretKey: 'other secret' };

const setUp = (options: Partial<SimCloudOptions> = {}) => {
  const cloud = createSimCloud({
    ...{ clock: createManualClock(), random: createSeededRandom(1), apiKeys: [SIMULATED_KEY, OTHER_KEY], ...options },
  });
  const server = cloud.addServer({ name: 'pool-a' });
  const send = (method: string, path: string, { body = {}, secretKey = SIMULATED_KEY.secretKey as string } = {}) =>
    cloud.serve({
      ...{ method, target: `${ZONE}${path}`, headers: { 'x-auth-token': secretKey }, caller: 'a program' },
      body: JSON.stringify(body),
    })?.status;
  const ask = (target: string): Readonly<Record<string, unknown>> =>
    JSON.parse(answerControl({ cloud }, { method: 'GET', target, headers: {}, body: '', caller: '' }).body);
  return { cloud, server, send, ask };
};

describe('a call that is no write', () => {
  test('is kept with who asked, what for, what was there and how it ended', () => {
    const { cloud, server, send } = setUp();
    send('GET', `/servers/${server.id}`);
    const [{ before, after, ...entry } = assert.fail('nothing was kept')] = cloud.otherCalls().entries;
    assert.deepEqual(entry, {
      ...{ number: 1, atMs: server.createdAtMs, caller: 'a program', principal: SIMULATED_KEY.accessKey, verb: 'get' },
      ...{ serverId: server.id, argument: `${ZONE}/servers/${server.id}`, outcome: 'accepted' },
    });
    assert.deepEqual([before, after], [server, server]);
    assert.deepEqual(cloud.audit(), []);
  });

  const rows: readonly { story: string; fault?: string; path: string; method?: string; outcome: string }[] = [
    { story: 'a list', path: '/servers?page=1', outcome: 'accepted' },
    { story: 'a path that is none', path: '/nothing', outcome: 'ServerNotFound' },
    { story: 'a read of a server that is none', path: '/servers/x', outcome: 'ServerNotFound' },
    { story: 'a read that met a fault', path: '/servers', fault: 'F01', outcome: 'answered 500' },
    { story: 'a read whose answer was lost', path: '/servers', fault: 'lost', outcome: 'lost' },
    {
      story: 'an order that a fault kept from happening',
      ...{ method: 'POST', path: '/servers', fault: 'F01', outcome: 'answered 500' },
    },
  ];
  for (const { story, fault, path, method = 'GET', outcome } of rows) {
    test(`is ${story}: ${outcome}`, () => {
      const { cloud, send } = setUp();
      if (fault !== undefined) cloud.switchOn(fault);
      send(method, path);
      const { entries } = cloud.otherCalls();
      assert.deepEqual(
        entries.map((entry) => [entry.argument, entry.outcome]),
        [[`${ZONE}${path}`, outcome]],
      );
      assert.deepEqual(cloud.audit(), []);
    });
  }

  test('is kept among the latest ones, and counted when it is dropped', () => {
    const { cloud, send } = setUp({ callsKept: 3 });
    for (const page of [1, 2, 3, 4, 5]) send('GET', `/servers?page=${page}`);
    const { entries, dropped } = cloud.otherCalls();
    assert.deepEqual(
      entries.map(({ argument }) => argument.at(-1)),
      ['3', '4', '5'],
    );
    assert.equal(dropped, 2);
  });

  test('is only counted where none is to be kept', () => {
    const { cloud, send } = setUp({ callsKept: 0 });
    send('GET', '/servers');
    assert.deepEqual(cloud.otherCalls(), { entries: [], dropped: 1 });
  });
});

test('writes are all kept, however few other calls are', () => {
  const { cloud, server, send } = setUp({ callsKept: 1 });
  for (const name of ['a', 'b', 'c']) {
    send('PATCH', `/servers/${server.id}`, { body: { name } });
    send('GET', '/servers');
  }
  assert.deepEqual(
    cloud.audit().map(({ number, argument }) => `${number} ${argument}`),
    ['1 a', '3 b', '5 c'],
  );
});

test('every server that an order made is in the audit with what it is', () => {
  const { cloud, send } = setUp();
  const order = { type: 'M4-S', requests: [{ name: 'one' }, { name: 'two' }] };
  assert.equal(send('POST', '/batch-create-servers', { body: order }), 200);
  assert.deepEqual(
    cloud.audit().map(({ serverId, argument, before, after }) => [argument, before, after?.id === serverId]),
    [
      ['one', undefined, true],
      ['two', undefined, true],
    ],
  );
});

describe('who', () => {
  test('is the access key of the secret that was shown, and the secret is nowhere', () => {
    const { cloud, server, send } = setUp();
    send('PATCH', `/servers/${server.id}`, { body: { name: 'b' }, secretKey: OTHER_KEY.secretKey });
    cloud.as('a person').rename(server, 'c');
    assert.deepEqual(
      cloud.audit().map(({ caller, principal }) => [caller, principal]),
      [
        ['a program', OTHER_KEY.accessKey],
        ['a person', 'console'],
      ],
    );
    assert.ok(!JSON.stringify(cloud.audit()).includes(OTHER_KEY.secretKey));
  });

  test('is nobody when the key is refused', () => {
    const { cloud, send } = setUp();
    assert.equal(send('GET', '/servers', { secretKey: 'guessed' }), 401);
    const [entry] = cloud.otherCalls().entries;
    assert.deepEqual([entry?.principal, entry?.outcome], ['nobody', 'AuthenticationDenied']);
  });
});

describe('the control', () => {
  const mixed = () => {
    const stage = setUp();
    stage.send('GET', '/servers');
    stage.send('PATCH', `/servers/${stage.server.id}`, { body: { name: 'b' } });
    stage.send('GET', '/os');
    const verbs = (path: string): unknown => {
      const { audit } = stage.ask(path);
      return Array.isArray(audit) ? audit.map(({ verb }) => verb) : audit;
    };
    return { ...stage, verbs };
  };

  const rows: readonly { path: string; shows: readonly string[] }[] = [
    { path: '/audit', shows: ['list', 'rename', 'images'] },
    { path: '/audit?last=2', shows: ['rename', 'images'] },
    { path: '/audit?last=0', shows: [] },
    { path: '/audit?last=9', shows: ['list', 'rename', 'images'] },
    { path: '/audit?only=writes', shows: ['rename'] },
  ];
  for (const { path, shows } of rows) {
    test(`shows ${shows.join(', ') || 'nothing'} at ${path}`, () => assert.deepEqual(mixed().verbs(path), shows));
  }

  for (const path of ['/audit?last=many', '/audit?last=-1', '/audit?only=reads', '/audit?first=1']) {
    test(`refuses ${path}`, () => assert.equal(mixed().ask(path)['code'], 'BadQuery'));
  }
});
