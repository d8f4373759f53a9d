import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FleetError, isKind } from '../../base/errors.ts';
import { silentLogger } from '../../base/logger.ts';
import { createSeededRandom } from '../../base/random.ts';
import { createManualClock } from '../../base/testing/manual-clock.ts';
import type { KubeObject } from '../types/meta.ts';
import type { Resource } from '../types/resource.ts';
import type { ResponseInfo } from './call.ts';
import { createKubeClient, type KubeClientOptions } from './create-client.ts';
import {
  answerJson,
  answerStatus,
  createScriptedTransport,
  letTimePass,
  lost,
  refused,
  type ScriptedReply,
} from './testing/scripted-transport.ts';

const pods: Resource<KubeObject> = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', scope: 'Namespaced' };
const key = { namespace: 'a', name: 'b' };
const pod = (name: string, version = '1'): KubeObject => ({
  metadata: { namespace: 'a', name, resourceVersion: version },
});

const start = (script: Parameters<typeof createScriptedTransport>[0], options: Partial<KubeClientOptions> = {}) => {
  const clock = createManualClock();
  const transport = createScriptedTransport(script);
  const responses: ResponseInfo[] = [];
  const client = createKubeClient({
    transport,
    clock,
    random: createSeededRandom(1),
    logger: silentLogger,
    onResponse: (info) => responses.push(info),
    options: { host: 'cluster:6443', ...options },
  });
  const { signal } = new AbortController();
  return { client, clock, transport, responses, signal, run: <T>(work: Promise<T>) => letTimePass(clock, work) };
};

describe('a call', () => {
  it('sends who we are, and gives the object', async () => {
    const { client, transport, run, signal } = start([answerJson(pod('b'))], { userAgent: 'macfleet/1' });
    assert.deepEqual(await run(client.get(pods, key, { signal })), pod('b'));
    const [request] = transport.requests;
    assert.deepEqual([request?.method, request?.path], ['GET', '/api/v1/namespaces/a/pods/b']);
    assert.deepEqual(request?.headers, { accept: 'application/json', 'user-agent': 'macfleet/1' });
  });

  it('writes as our field manager unless it names another', async () => {
    const { client, transport, run, signal } = start([answerJson(pod('b')), answerJson(pod('b'))]);
    await run(client.create(pods, pod('b'), { signal }));
    await run(client.update(pods, pod('b'), { signal, fieldManager: 'else' }));
    assert.match(transport.requests[0]?.path ?? '', /\?fieldManager=macfleet$/);
    assert.match(transport.requests[1]?.path ?? '', /\?fieldManager=else$/);
  });

  it('leaves no timer and no listener behind', async () => {
    const { client, clock, transport, run, signal } = start([answerJson(pod('b'))]);
    await run(client.get(pods, key, { signal }));
    assert.deepEqual([clock.timers, transport.openBodies], [0, 0]);
  });

  it('is over at its deadline, although nothing answers', async () => {
    const { client, clock, run, signal } = start(['silence']);
    await assert.rejects(run(client.get(pods, key, { signal })), { kind: 'unavailable', code: 'DeadlineExceeded' });
    assert.equal(clock.elapsed(), 30_000);
  });

  it('is over at its deadline, although the body stays half', async () => {
    const { client, clock, transport, run, signal } = start([{ status: 200, chunks: ['{"meta'], ending: 'silence' }]);
    await assert.rejects(run(client.get(pods, key, { signal })), { code: 'DeadlineExceeded' });
    await run(Promise.resolve());
    assert.deepEqual([clock.timers, transport.openBodies], [0, 0]);
  });

  it('counts waiting for its turn against its deadline', async () => {
    const { client, run, signal } = start(['silence', answerJson(pod('b'))], { requestsInFlightMax: 1 });
    const outcomes = await run(
      Promise.allSettled([client.get(pods, key, { signal }), client.get(pods, key, { signal })]),
    );
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
  });

  it('ends at once when the caller gives up', async () => {
    const { client, clock, run } = start(['silence']);
    const controller = new AbortController();
    const work = client.get(pods, key, { signal: controller.signal });
    controller.abort();
    await assert.rejects(run(work), { kind: 'cancelled' });
    assert.equal(clock.timers, 0);
  });

  it('shares the places in flight with all others but watches', async () => {
    const { client, transport, run, signal } = start(
      (request) => (request.path.includes('watch=1') ? 'silence' : answerJson(pod('b'))),
      { requestsInFlightMax: 3 },
    );
    const controller = new AbortController();
    const watches = Array.from({ length: 5 }, () => {
      const options = { resourceVersion: '1', timeoutSeconds: 60, signal: controller.signal };
      return client.watch(pods, options)[Symbol.asyncIterator]().next();
    });
    await run(Promise.all(Array.from({ length: 20 }, () => client.get(pods, key, { signal }))));
    assert.equal(transport.inFlightPeak, 5 + 3);
    controller.abort();
    await run(Promise.allSettled(watches));
  });

  it('reports every sending by method, host and status', async () => {
    const { client, responses, run, signal } = start([
      lost(),
      answerStatus(500, 'InternalError'),
      answerJson(pod('b')),
    ]);
    await run(client.get(pods, key, { signal }));
    assert.deepEqual(
      responses.map(({ method, host, status }) => `${method} ${host} ${status}`),
      ['GET cluster:6443 undefined', 'GET cluster:6443 500', 'GET cluster:6443 200'],
    );
  });
});

describe('repetition', () => {
  const good = answerJson(pod('b'));
  const broken = answerStatus(503, 'ServiceUnavailable');
  const busy = answerStatus(429, 'TooManyRequests');
  type Verb = 'get' | 'create' | 'update' | 'bare patch' | 'apply';
  const rows: readonly (readonly [Verb, readonly ScriptedReply[], string, number])[] = [
    ['get', [lost(), broken, good], 'ok', 3],
    ['get', [broken, broken, broken, broken, good], 'unavailable', 4],
    ['get', [{ status: 200, chunks: ['{"metadata":'], ending: 'break' }, good], 'ok', 2],
    ['get', [busy, refused(), good], 'ok', 3],
    ['get', [answerStatus(404, 'NotFound'), good], 'not-found', 1],
    ['create', [busy, refused(), good], 'ok', 3],
    ['create', [lost(), good], 'unavailable', 1],
    ['create', [broken, good], 'unavailable', 1],
    ['create', [answerStatus(504, 'Timeout'), good], 'unavailable', 1],
    ['update', [lost(), good], 'ok', 2],
    ['update', [lost(), answerStatus(409, 'Conflict'), good], 'conflict', 2],
    ['bare patch', [lost(), good], 'unavailable', 1],
    ['bare patch', [busy, good], 'ok', 2],
    ['apply', [broken, good], 'ok', 2],
  ];
  for (const [verb, script, expected, sendings] of rows) {
    const story = script.map((reply) => (typeof reply === 'object' && 'status' in reply ? reply.status : 'error'));
    it(`of ${verb} after ${story.join(', ')} ends ${expected} after ${sendings} sendings`, async () => {
      const { client, transport, run, signal } = start(script);
      const calls: Readonly<Record<Verb, () => Promise<KubeObject>>> = {
        get: () => client.get(pods, key, { signal }),
        create: () => client.create(pods, pod('b'), { signal }),
        update: () => client.update(pods, pod('b'), { signal }),
        'bare patch': () => client.patch(pods, key, { type: 'merge', body: { status: {} } }, { signal }),
        apply: () => client.patch(pods, key, { type: 'apply', body: {} }, { signal }),
      };
      const outcome = await run(calls[verb]()).then(
        () => 'ok',
        (error: FleetError) => error.kind,
      );
      assert.deepEqual([outcome, transport.requests.length], [expected, sendings]);
    });
  }

  it('waits as long as the server asks, and holds no place meanwhile', async () => {
    const slow = { ...busy, headers: { 'retry-after': '5' } };
    const { client, clock, run, signal } = start([slow, answerJson(pod('c')), good], { requestsInFlightMax: 1 });
    const first = client.get(pods, key, { signal });
    const second = client.get(pods, key, { signal }).then(() => clock.elapsed());
    assert.ok((await run(second)) < 1_000);
    await run(first);
    assert.ok(clock.elapsed() >= 5_000 && clock.elapsed() < 6_000, `${clock.elapsed()}`);
  });

  it('leaves a long wait to the caller', async () => {
    const { client, clock, run, signal } = start([{ ...busy, headers: { 'retry-after': '86400' } }]);
    await assert.rejects(run(client.get(pods, key, { signal })), { kind: 'throttled', retryAfterMs: 300_000 });
    assert.ok(clock.elapsed() < 100);
  });

  it('does not wait because of a negative wait', async () => {
    const { client, clock, run, signal } = start([{ ...busy, headers: { 'retry-after': '-1' } }, good]);
    await run(client.get(pods, key, { signal }));
    assert.ok(clock.elapsed() < 1_000);
  });
});

describe('a write that needs a permit', () => {
  const lostLease = new FleetError('cancelled', { code: 'LeaderLeaseLost', message: 'no longer leader' });
  const busy = answerStatus(429, 'TooManyRequests');
  type Client = ReturnType<typeof start>['client'];
  type Asked = { readonly permit: () => void; readonly signal: AbortSignal };
  const writes: Readonly<Record<string, (client: Client, asked: Asked) => Promise<unknown>>> = {
    create: (client, asked) => client.create(pods, pod('b'), asked),
    update: (client, asked) => client.update(pods, pod('b'), asked),
    patch: (client, asked) => client.patch(pods, key, { type: 'apply', body: {} }, asked),
    delete: (client, asked) => client.delete(pods, key, asked),
    eviction: (client, asked) =>
      client.createSubresource(pods, key, { subresource: 'eviction', body: pod('b'), ...asked }),
  };
  for (const [verb, write] of Object.entries(writes)) {
    it(`asks before every sending of a ${verb}, a repetition too`, async () => {
      const { client, transport, run, signal } = start([busy, answerJson(pod('b'))]);
      let permits = 1;
      const permit = (): void => {
        permits -= 1;
        if (permits < 0) throw lostLease;
      };
      await assert.rejects(run(write(client, { permit, signal })), lostLease);
      assert.equal(transport.requests.length, 1);
      assert.equal(transport.requests[0]?.permit, permit);
    });
  }
});

describe('bad answers', () => {
  const html = {
    status: 200,
    headers: { 'content-type': 'text/html' },
    chunks: ['<html><title>Sign in</title></html>'],
  };
  const rows: readonly (readonly [string, ScriptedReply, object])[] = [
    ['a login page', html, { kind: 'contract', code: 'HtmlAnswer' }],
    ['half an object', { status: 200, chunks: ['{"metadata":{"name"'] }, { kind: 'contract', code: 'BadJson' }],
    ['no body', { status: 200 }, { kind: 'contract', code: 'BadJson' }],
    ['an object without metadata', answerJson({ kind: 'Pod' }), { kind: 'contract', code: 'BadObject' }],
    ['an object without a name', answerJson({ metadata: { name: '' } }), { kind: 'contract', code: 'BadObject' }],
    ['a number', answerJson(7), { kind: 'contract', code: 'BadObject' }],
    ['null', answerJson(null), { kind: 'contract', code: 'BadObject' }],
  ];
  for (const [story, reply, expected] of rows) {
    it(`${story} is ${JSON.stringify(expected)}`, async () => {
      const { client, transport, run, signal } = start([reply]);
      await assert.rejects(run(client.get(pods, key, { signal })), expected);
      assert.equal(transport.openBodies, 0);
    });
  }

  it('never put an unreadable object into the message', async () => {
    const { client, run, signal } = start([{ status: 200, chunks: ['{"data":{"password":"hunter2"'] }]);
    await assert.rejects(run(client.get(pods, key, { signal })), (error: Error) => {
      assert.doesNotMatch(`${error.message} ${String(error.cause)}`, /hunter2/);
      assert.match(error.message, /^getting pods a\/b: the answer of 29 bytes is not complete JSON$/);
      return true;
    });
  });

  it('an object of three megabytes is none', async () => {
    const big = { ...pod('b'), data: 'x'.repeat(3 * 1024 * 1024) };
    const { client, run, signal } = start([answerJson(big)]);
    assert.deepEqual(await run(client.get(pods, key, { signal })), big);
  });

  it('a name with dots in it goes nowhere', async () => {
    const { client, transport, run, signal } = start([]);
    await assert.rejects(run(client.get(pods, { namespace: 'a', name: '..' }, { signal })), { code: 'BadName' });
    await assert.rejects(run(client.delete(pods, { namespace: '..', name: 'x' }, { signal })), { code: 'BadName' });
    assert.equal(transport.requests.length, 0);
  });
});

const page = (names: readonly string[], token?: string, version = '10') =>
  answerJson({
    kind: 'PodList',
    metadata: { resourceVersion: version, continue: token },
    items: names.map((name) => pod(name)),
  });

describe('a list', () => {
  const pages = [page(['a', 'b'], 't1'), page(['c'], 't2'), page(['d'], '')] as const;

  it('is read to its end, page by page', async () => {
    const { client, transport, run, signal } = start(pages);
    const { items, metadata } = await run(client.list(pods, { signal, pageSize: 2 }));
    assert.deepEqual(
      items.map((item) => item.metadata.name),
      ['a', 'b', 'c', 'd'],
    );
    assert.equal(metadata.resourceVersion, '10');
    assert.deepEqual(
      transport.requests.map(({ path }) => path),
      ['/api/v1/pods?limit=2', '/api/v1/pods?limit=2&continue=t1', '/api/v1/pods?limit=2&continue=t2'],
    );
  });

  it('keeps what the transform leaves', async () => {
    const { client, run, signal } = start(pages);
    const transform = ({ metadata }: KubeObject): KubeObject => ({ metadata: { name: metadata.name.toUpperCase() } });
    const { items } = await run(client.list(pods, { signal, transform }));
    assert.deepEqual(
      items,
      ['A', 'B', 'C', 'D'].map((name) => ({ metadata: { name } })),
    );
  });

  it('may be empty, also in the way Go says it', async () => {
    const { client, run, signal } = start([answerJson({ metadata: { resourceVersion: '1' }, items: null })]);
    assert.deepEqual((await run(client.list(pods, { signal }))).items, []);
  });

  const faults: readonly (readonly [string, ScriptedReply])[] = [
    ['a reset', lost()],
    ['a refusal', refused()],
    ['a 500', answerStatus(500, 'InternalError')],
    ['a 429', answerStatus(429, 'TooManyRequests')],
    ['a connection that breaks within the page', { status: 200, chunks: ['{"metadata":{"resour'], ending: 'break' }],
  ];
  for (const [story, fault] of faults) {
    for (const at of [0, 1, 2]) {
      it(`survives ${story} before page ${at + 1}`, async () => {
        const { client, transport, run, signal } = start([...pages.slice(0, at), fault, ...pages.slice(at)]);
        const { items } = await run(client.list(pods, { signal }));
        assert.deepEqual(
          items.map((item) => item.metadata.name),
          ['a', 'b', 'c', 'd'],
        );
        assert.equal(transport.openBodies, 0);
      });
    }
  }

  it('starts over when it expires midway, and mixes no two moments', async () => {
    const gone = answerStatus(410, 'Expired');
    const { client, run, signal } = start([page(['old'], 't1', '5'), gone, page(['new'], undefined, '9')]);
    const list = await run(client.list(pods, { signal }));
    assert.deepEqual([list.items.map((item) => item.metadata.name), list.metadata.resourceVersion], [['new'], '9']);
  });

  it('does not start over for ever', async () => {
    const { client, transport, run, signal } = start(({ path }) =>
      path.includes('continue') ? answerStatus(410, 'Expired') : page(['a'], 't1'),
    );
    await assert.rejects(run(client.list(pods, { signal })), { kind: 'conflict', code: 'ContinueExpired' });
    assert.equal(transport.requests.length, 8);
  });

  const broken: readonly (readonly [string, ScriptedReply, object])[] = [
    [
      'ends mid-page',
      { status: 200, chunks: ['{"metadata":{"resourceVersion":"1"},"items":[{"meta'] },
      { code: 'BadJson' },
    ],
    [
      'holds an object without metadata',
      answerJson({ metadata: { resourceVersion: '1' }, items: [{}] }),
      { code: 'BadObject' },
    ],
    ['has no items', answerJson({ metadata: { resourceVersion: '1' } }), { code: 'BadList' }],
    ['has no resource version', answerJson({ metadata: {}, items: [] }), { code: 'BadList' }],
    ['is a Status', answerJson({ kind: 'Status', status: 'Success' }), { code: 'BadList' }],
    ['gives the same page again and again', page(['c'], 't1'), { code: 'BadList' }],
    ['is of a kind that is not served', { status: 404, chunks: ['404 page not found'] }, { code: 'KindNotServed' }],
  ];
  for (const [story, second, expected] of broken) {
    it(`that ${story} is an error, not a shorter list`, async () => {
      const { client, run, signal } = start([page(['a'], 't1'), second]);
      await assert.rejects(run(client.list(pods, { signal })), { kind: 'contract', ...expected });
    });
  }
});

describe('a watch', () => {
  const options = { resourceVersion: '7', timeoutSeconds: 290 } as const;
  const line = (name: string): string => `${JSON.stringify({ type: 'ADDED', object: pod(name) })}\n`;

  it('gives events until the server ends it', async () => {
    const { client, transport, signal } = start([{ status: 200, chunks: [line('a'), line('b')] }]);
    const names: string[] = [];
    for await (const event of client.watch(pods, { ...options, signal })) {
      if (event.type === 'ADDED') names.push(event.object.metadata.name);
    }
    assert.deepEqual([names, transport.openBodies], [['a', 'b'], 0]);
  });

  it('gives the stream up when nobody listens any more', async () => {
    const { client, transport, signal } = start([{ status: 200, chunks: [line('a'), line('b')], ending: 'silence' }]);
    for await (const event of client.watch(pods, { ...options, signal })) if (event.type === 'ADDED') break;
    assert.equal(transport.openBodies, 0);
  });

  const rows: readonly (readonly [string, ScriptedReply, object])[] = [
    ['a version that is too old', answerStatus(410, 'Expired'), { kind: 'conflict', code: 'WatchExpired' }],
    ['a 500', answerStatus(500, 'InternalError'), { kind: 'unavailable', code: 'ServerError' }],
    ['a 429', answerStatus(429, 'TooManyRequests'), { kind: 'throttled' }],
    ['a reset before the answer', lost(), { kind: 'unavailable', code: 'ConnectionLost' }],
    ['a reset within', { status: 200, chunks: [line('a')], ending: 'break' }, { kind: 'unavailable' }],
  ];
  for (const [story, reply, expected] of rows) {
    it(`throws at ${story}, and repeats nothing by itself`, async () => {
      const { client, transport, signal } = start([reply]);
      const iterate = async (): Promise<void> => {
        for await (const event of client.watch(pods, { ...options, signal })) assert.ok(event.type === 'ADDED');
      };
      await assert.rejects(iterate, expected);
      assert.deepEqual([transport.requests.length, transport.openBodies], [1, 0]);
    });
  }

  for (const story of ['before the answer', 'within the stream'] as const) {
    it(`ends when it is aborted ${story}`, async () => {
      const reply = story === 'within the stream' ? ({ status: 200, ending: 'silence' } as const) : 'silence';
      const { client, run, transport } = start([reply]);
      const controller = new AbortController();
      const next = client
        .watch(pods, { ...options, signal: controller.signal })
        [Symbol.asyncIterator]()
        .next();
      setImmediate(() => setImmediate(() => controller.abort()));
      await assert.rejects(run(next), (error) => isKind(error, 'cancelled'));
      assert.equal(transport.openBodies, 0);
    });
  }
});

describe('other verbs', () => {
  it('a delete settles with whatever the server sends back', async () => {
    const { client, transport, run, signal } = start([answerJson({ kind: 'Status', status: 'Success' })]);
    assert.equal(await run(client.delete(pods, key, { signal, preconditions: { uid: 'u' } })), undefined);
    assert.match(String(transport.requests[0]?.body), /"preconditions":\{"uid":"u"\}/);
  });

  it('a raw path gives JSON, or else text', async () => {
    const { client, run, signal } = start([answerJson({ major: '1' }), { status: 200, chunks: ['ok'] }]);
    assert.deepEqual(await run(client.getRaw('/version', { signal })), { major: '1' });
    assert.equal(await run(client.getRaw('/readyz', { signal })), 'ok');
  });

  it('a question gets its answer, although that has no name; an object without one is refused', async () => {
    const answer = { kind: 'SelfSubjectReview', metadata: {}, status: { userInfo: {} } };
    const { client, run, signal } = start([answerJson(answer, 201), answerJson(answer, 201)]);
    const question = { metadata: { namespace: 'a', name: '' } };
    assert.deepEqual(await run(client.create(pods, question, { signal })), { ...answer, ...question });
    await assert.rejects(run(client.create(pods, pod('b'), { signal })), { kind: 'contract', code: 'BadObject' });
  });

  it('a token request gives the answer, an eviction gives back what was asked', async () => {
    const token = { metadata: { name: 'x' }, status: { token: 't' } };
    const { client, run, signal } = start([answerJson(token, 201), answerJson({ kind: 'Status' }, 201)]);
    const body = { kind: 'TokenRequest', metadata: { name: 'x' } };
    const request = { subresource: 'token', body, signal };
    assert.deepEqual(await run(client.createSubresource(pods, key, request)), token);
    assert.deepEqual(await run(client.createSubresource(pods, key, { ...request, subresource: 'eviction' })), body);
  });
});
