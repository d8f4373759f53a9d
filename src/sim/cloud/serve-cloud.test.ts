/** The simulated cloud over real sockets: its API, and the control beside it. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { request } from 'undici';
import { isRecord } from '../../base/json.ts';
import { createSeededRandom } from '../../base/random.ts';
import { createManualClock, type ManualClock } from '../../base/testing/manual-clock.ts';
import { MAC_FAULT_STORIES } from '../mac/mac-fault-list.ts';
import { type ServedCloud, serveCloud } from './serve-cloud.ts';
import { createSimCloud, type SimCloud } from './sim-cloud.ts';
import type { SimServer } from './sim-server.ts';

interface Stage {
  readonly clock: ManualClock;
  readonly cloud: SimCloud;
  readonly server: SimServer;
  readonly served: ServedCloud;
  readonly saves: { count: number };
  api(method: string, path: string, body?: string): Promise<Answer>;
  control(method: string, path: string, body?: unknown): Promise<Answer>;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: Readonly<Record<string, unknown>>;
}

const send = async (url: string, method: string, body: string | undefined): Promise<Answer> => {
  const answer = await request(url, { method, ...(body === undefined ? {} : { body }) });
  const text = await answer.body.text();
  const parsed: unknown = text === '' ? {} : JSON.parse(text);
  const type = String(answer.headers['content-type']);
  return { status: answer.statusCode, type, body: isRecord(parsed) ? parsed : {} };
};

const run = async (body: (stage: Stage) => Promise<void>): Promise<void> => {
  const clock = createManualClock();
  const cloud = createSimCloud({ clock, random: createSeededRandom(1) });
  const server = cloud.addServer({ name: 'pool-a' });
  const saves = { count: 0 };
  const save = (): void => {
    saves.count += 1;
  };
  const served = await serveCloud({ clock, cloud, save });
  try {
    await body({
      ...{ clock, cloud, server, served, saves },
      api: (method, path, text) => send(`${served.apiUrl}/apple-silicon/v1alpha1/zones/fr-par-1${path}`, method, text),
      control: (method, path, value) =>
        send(`${served.controlUrl}${path}`, method, value === undefined ? undefined : JSON.stringify(value)),
    });
  } finally {
    await served.close();
  }
};

describe('the API over HTTP', () => {
  test('answers as it does in process, with exactly the content type that the SDK reads', () =>
    run(async ({ api, server }) => {
      const { status, type, body } = await api('GET', `/servers/${server.id}`);
      assert.deepEqual([status, type, body['name']], [200, 'application/json', 'pool-a']);
    }));

  test('breaks the connection where the simulator gives no answer, and the effect stays', () =>
    run(async ({ api, cloud, server }) => {
      cloud.switchOn('F02', { count: 1 });
      await assert.rejects(api('PATCH', `/servers/${server.id}`, '{"name": "taken"}'));
      assert.equal(cloud.server(server.id)?.name, 'taken');
    }));

  test('holds back an answer that is slow until its time has come', () =>
    run(async ({ api, cloud, clock }) => {
      cloud.switchOn('slow', { count: 1 });
      const answer = api('GET', '/servers');
      while (clock.timers === 0) await new Promise((resolve) => setImmediate(resolve));
      clock.advance(5_000);
      assert.equal((await answer).status, 200);
    }));

  test('refuses a body without end, and goes on', () =>
    run(async ({ api, server }) => {
      const huge = JSON.stringify({ name: 'x'.repeat(2 * 1024 * 1024) });
      const refused = await api('PATCH', `/servers/${server.id}`, huge).catch(() => undefined);
      assert.ok(refused === undefined || refused.status === 413);
      assert.equal((await api('GET', '/servers')).status, 200);
    }));

  test('survives a client that speaks no HTTP, and one that hangs up in the middle', () =>
    run(async ({ api, served }) => {
      const { port } = new URL(served.apiUrl);
      for (const text of ['\u0000\u0001\u0002\r\n\r\n', 'POST /x HTTP/1.1\r\nContent-Length: 100\r\n\r\n{']) {
        const socket = connect(Number(port), '127.0.0.1');
        socket.on('error', () => undefined);
        await new Promise<void>((resolve) => socket.write(text, () => resolve()));
        socket.destroy();
      }
      assert.equal((await api('GET', '/servers')).status, 200);
    }));

  test('tells what is no JSON, no object and no path from each other', () =>
    run(async ({ api, server }) => {
      assert.equal((await api('PATCH', `/servers/${server.id}`, '{')).status, 400);
      assert.equal((await api('PATCH', `/servers/${server.id}`, '[]')).status, 400);
      assert.equal((await api('GET', '/nothing')).status, 404);
    }));

  test('knows nothing of the control', () =>
    run(async ({ served }) => {
      for (const path of ['/faults', '/audit', '/servers', '/']) {
        assert.equal((await send(`${served.apiUrl}${path}`, 'GET', undefined)).status, 404);
      }
    }));

  test('ends also while a client is in the middle of a request', async () => {
    const closed = Promise.withResolvers<void>();
    await run(async ({ api, served }) => {
      const socket = connect(Number(new URL(served.apiUrl).port), '127.0.0.1');
      socket.on('error', () => undefined);
      socket.on('close', () => closed.resolve());
      const text = 'POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{';
      await new Promise<void>((resolve) => socket.write(text, () => resolve()));
      // Whoever came first was let in by then.
      await api('GET', '/servers');
    });
    await closed.promise;
  });

  test('leaves no port open when the one of the control is taken', () =>
    run(async ({ cloud, clock, served }) => {
      const spare = await serveCloud({ cloud, clock });
      const port = Number(new URL(spare.apiUrl).port);
      await spare.close();
      const controlPort = Number(new URL(served.controlUrl).port);
      await assert.rejects(serveCloud({ cloud, clock, port, controlPort }), { code: 'CannotListen' });
      await (await serveCloud({ cloud, clock, port })).close();
    }));

  test('says which port is taken', () =>
    run(async ({ cloud, clock, served }) => {
      const { port } = new URL(served.apiUrl);
      await assert.rejects(serveCloud({ cloud, clock, port: Number(port) }), { code: 'CannotListen' });
    }));
});

describe('the control', () => {
  test('lets something happen to a Mac, as often as it was asked for, where somebody runs Macs', () =>
    run(async ({ cloud, clock, control, server }) => {
      const happened: unknown[] = [];
      const note = (fault: string) => (count: number) => happened.push([fault, count]);
      const macOf = (id: string) => {
        happened.push(id);
        return Object.fromEntries(Object.keys(MAC_FAULT_STORIES).map((fault) => [fault, note(fault)])) as never;
      };
      const served = await serveCloud({ clock, cloud, macOf });
      try {
        const ask = (fault: string, serverId: string) =>
          send(`${served.controlUrl}/mac-faults`, 'POST', JSON.stringify({ fault, serverId, count: 2 }));
        assert.equal((await ask('ssh-refused', server.id)).status, 200);
        assert.deepEqual(happened, [server.id, ['ssh-refused', 2]]);
        assert.deepEqual((await ask('constructor', server.id)).body['code'], 'NoSuchFault');
        assert.deepEqual((await ask('reboot', 'nobody')).body['code'], 'NoSuchServer');
      } finally {
        await served.close();
      }
      assert.deepEqual((await control('GET', '/mac-faults')).body, { faults: {} });
      const alone = await control('POST', '/mac-faults', { fault: 'reboot', serverId: server.id });
      assert.deepEqual(alone.body['code'], 'NoSimulatedMacs');
    }));

  test('shows the truth that the API hides', () =>
    run(async ({ control, server }) => {
      const { body } = await control('GET', '/servers');
      const [shown] = Array.isArray(body['servers']) ? body['servers'] : [];
      assert.deepEqual([shown.id, shown.wipes, shown.password], [server.id, 0, server.password.reveal()]);
    }));

  test('switches a fault on for some calls, lists it, and switches it off', () =>
    run(async ({ api, control, server }) => {
      const get = async () => (await api('GET', `/servers/${server.id}`)).status;
      await control('POST', '/faults', { fault: 'F01', verb: 'get', count: 1 });
      assert.deepEqual([await get(), await get()], [500, 200]);
      await control('POST', '/faults', { fault: 'F01', verb: 'get' });
      assert.deepEqual((await control('GET', '/faults')).body['on'], [{ verb: 'get', id: 'F01', left: null }]);
      assert.equal(await get(), 500);
      await control('DELETE', '/faults', { fault: 'F01' });
      assert.equal(await get(), 200);
    }));

  test('adds and deletes servers, goes away, saves, and shows audit and bill', () =>
    run(async ({ api, control, cloud, server, saves, clock }) => {
      const added = await control('POST', '/servers', { name: 'late', status: 'starting' });
      assert.deepEqual([added.body['name'], added.body['status']], ['late', 'starting']);
      await api('PATCH', `/servers/${server.id}`, '{"name": "taken"}');
      const { body } = await control('GET', '/audit?last=1');
      const [entry] = Array.isArray(body['audit']) ? body['audit'] : [];
      assert.deepEqual([entry.verb, entry.before.name, entry.after.name], ['rename', 'pool-a', 'taken']);
      assert.equal((await control('DELETE', `/servers/${server.id}`)).status, 200);
      assert.equal(cloud.server(server.id), undefined);
      await control('POST', '/away', { seconds: 5 });
      assert.equal(cloud.serve({ method: 'GET', target: '/', headers: {}, body: '', caller: '' })?.status, 503);
      clock.advance(5_000);
      assert.equal((await api('GET', '/servers')).status, 200);
      await control('POST', '/save');
      assert.equal(saves.count, 1);
      assert.ok(Number((await control('GET', '/bill')).body['euros']) > 0);
      assert.ok(JSON.stringify((await control('GET', '/')).body).includes('POST /faults'));
    }));

  const refusals: readonly { story: string; method: string; path: string; body?: unknown; is: string }[] = [
    { story: 'a path that is none', method: 'GET', path: '/nothing', is: '404 NoSuchRoute' },
    { story: 'a fault that is none', method: 'POST', path: '/faults', body: { fault: 'F99' }, is: '400 NoSuchFault' },
    {
      story: 'a fault of a server that is none',
      method: 'POST',
      path: '/faults',
      body: { fault: 'F20', serverId: 'x' },
      is: '400 NoSuchServer',
    },
    {
      story: 'a word that is none',
      method: 'POST',
      path: '/faults',
      body: { fault: 'F01', often: 1 },
      is: '400 BadBody',
    },
    { story: 'a server without a name', method: 'POST', path: '/servers', body: {}, is: '400 BadBody' },
    {
      story: 'a family that is none',
      method: 'POST',
      path: '/servers',
      body: { name: 'a', osFamily: 'Lion' },
      is: '400 NoSuchFamily',
    },
    { story: 'a server that is gone', method: 'DELETE', path: '/servers/x', is: '404 NoSuchServer' },
  ];
  for (const { story, method, path, body, is } of refusals) {
    test(`refuses ${story}, in JSON`, () =>
      run(async ({ control }) => {
        const answer = await control(method, path, body);
        assert.equal(`${answer.status} ${answer.body['code']}`, is);
      }));
  }
});

test('faults that changed a server or the market are taken back, where nobody has to mend them', () =>
  run(async ({ cloud, server }) => {
    const market = () =>
      cloud.serve({
        method: 'GET',
        target: '/apple-silicon/v1alpha1/zones/fr-par-1/server-types',
        headers: {},
        body: '',
        caller: '',
      })?.body;
    const [before, image] = [market(), cloud.server(server.id)];
    for (const fault of ['F10', 'F18c', 'F20', 'F30', 'F15', 'F27', 'F27b', 'F33']) cloud.switchOn(fault);
    assert.notEqual(market(), before);
    for (const fault of ['F10', 'F18c', 'F20', 'F30', 'F15', 'F27', 'F27b', 'F33']) cloud.switchOff(fault);
    assert.equal(market(), before);
    assert.deepEqual(cloud.server(server.id), image);
    assert.throws(() => cloud.switchOff('F99'), { code: 'NoSuchFault' });
  }));
