import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { neverAborted } from '../../base/abort.ts';
import { Secret } from '../../base/secret.ts';
import { createManualClock } from '../../base/testing/manual-clock.ts';
import type { DispatchRequest, DispatchResponse } from '../port/transport.ts';
import { createDispatcher } from './create-dispatcher.ts';

const TWO = { 'tuist-runners-protocol': '2' };
const RUNNER = { podName: 'ci-runner-1', podUid: 'u1' };
const signal = neverAborted();

const talk = (answer: Partial<DispatchResponse>, urls: { readonly scalingUrl?: string } = {}) => {
  const asked: DispatchRequest[] = [];
  let tokens = 0;
  const dispatcher = createDispatcher({
    transport: async (request) => {
      asked.push(request);
      return { status: 200, headers: {}, body: '', ...answer };
    },
    clock: createManualClock(),
    token: async () => {
      tokens += 1;
      return new Secret(`token-${tokens}`);
    },
    scalingUrl: urls.scalingUrl ?? 'http://server.test/api/internal/runners/desired_replicas',
    sessionsUrl: 'http://server.test/api/internal/runners/',
  });
  return { dispatcher, asked };
};

const page = '<html><body>Sign in</body></html>';

describe('requests to the dispatcher (§9.8-13)', () => {
  it('ask for the signals of a fleet, with a token read for each call', async () => {
    const { dispatcher, asked } = talk({ body: '{"fleet":"ci","claimed":5,"queued":3}' });
    const expected = { claimed: 5, occupied: 0, queued: 3, withheld: 0, p95: 0 };
    assert.deepEqual(await dispatcher.signals('ci', signal), expected);
    await dispatcher.signals('ci', signal);
    assert.deepEqual(
      asked.map(({ method, url, headers }) => [method, url, headers['authorization']]),
      [
        ['GET', 'http://server.test/api/internal/runners/desired_replicas?fleet=ci', 'Bearer token-1'],
        ['GET', 'http://server.test/api/internal/runners/desired_replicas?fleet=ci', 'Bearer token-2'],
      ],
    );
  });

  it('keep a query that the URL already has, and quote the name', async () => {
    const { dispatcher, asked } = talk({ body: '{}' }, { scalingUrl: 'http://server.test/s?region=eu' });
    await dispatcher.signals('a&b', signal);
    assert.equal(asked[0]?.url, 'http://server.test/s?region=eu&fleet=a%26b');
  });

  it('report a stop by name and time', async () => {
    const { dispatcher, asked } = talk({ status: 204 });
    await dispatcher.reportStop({ podName: 'ci-runner-1', endedAt: '2026-08-01T10:00:00Z' }, signal);
    const [{ method, url, body } = assert.fail()] = asked;
    assert.deepEqual(
      [method, url, body],
      [
        'POST',
        'http://server.test/api/internal/runners/pods/stopped',
        '{"pod_name":"ci-runner-1","ended_at":"2026-08-01T10:00:00Z"}',
      ],
    );
  });

  it('drain a runner by name and UID, and look at it without a change', async () => {
    const { dispatcher, asked } = talk({ headers: TWO, body: '{"pod_uid":"u1","state":"idle","refused":true}' });
    assert.deepEqual(await dispatcher.drain(RUNNER, signal), { protocol: 2, state: 'idle', refused: true });
    await dispatcher.look(RUNNER, signal);
    assert.deepEqual(
      asked.map(({ method, url, body }) => [method, url, body]),
      [
        ['POST', 'http://server.test/api/internal/runners/pods/ci-runner-1/drain', '{"pod_uid":"u1"}'],
        ['GET', 'http://server.test/api/internal/runners/pods/ci-runner-1?uid=u1', undefined],
      ],
    );
  });

  it('are given up after five seconds', async () => {
    const clock = createManualClock();
    const dispatcher = createDispatcher({
      transport: () => new Promise<DispatchResponse>(() => undefined),
      ...{ clock, token: async () => new Secret('t'), scalingUrl: 'http://server.test/s', sessionsUrl: undefined },
    });
    const asking = dispatcher.signals('ci', signal);
    clock.advance(5_000);
    await assert.rejects(asking, { kind: 'unavailable', code: 'DeadlineExceeded' });
  });

  it('are not sent without a name', async () => {
    const { dispatcher, asked } = talk({});
    await assert.rejects(dispatcher.reportStop({ podName: '', endedAt: 'x' }, signal), { code: 'NoPodName' });
    assert.equal(asked.length, 0);
  });
});

describe('signals that are none', () => {
  const rows: readonly { readonly story: string; readonly answer: Partial<DispatchResponse>; readonly is: object }[] = [
    { story: 'a page of HTML', answer: { body: page }, is: { kind: 'contract', code: 'NotJson' } },
    { story: 'a negative count', answer: { body: '{"queued":-1}' }, is: { kind: 'contract', code: 'StrangeAnswer' } },
    { story: 'half a job', answer: { body: '{"queued":1.5}' }, is: { kind: 'contract' } },
    { story: 'a text for a count', answer: { body: '{"queued":"3"}' }, is: { kind: 'contract' } },
    { story: 'more jobs than there can be', answer: { body: '{"queued":1e12}' }, is: { kind: 'contract' } },
    { story: 'an array', answer: { body: '[]' }, is: { kind: 'contract' } },
    { story: 'those of another fleet', answer: { body: '{"fleet":"other"}' }, is: { code: 'WrongFleet' } },
    { story: 'old ones', answer: { body: '{}', headers: { age: '3600' } }, is: { code: 'StaleSignals' } },
    { story: '401', answer: { status: 401 }, is: { kind: 'denied', message: /401/ } },
    { story: '404', answer: { status: 404, body: page }, is: { kind: 'contract', message: /404/ } },
    { story: '503', answer: { status: 503 }, is: { kind: 'unavailable', message: /503/ } },
    { story: '429', answer: { status: 429 }, is: { kind: 'throttled' } },
  ];
  for (const { story, answer, is } of rows)
    it(story, () => assert.rejects(talk(answer).dispatcher.signals('ci', signal), is));
});

describe('a server that knows only the original protocol', () => {
  const rows: readonly Partial<DispatchResponse>[] = [
    { status: 404, body: '{"message":"not found"}' },
    { status: 404, body: page },
    { status: 405 },
    { status: 200, body: page },
    { status: 200, body: '{"pod_uid":"u1","state":"idle","refused":true}' },
  ];
  for (const answer of rows) {
    it(`answers ${answer.status} ${answer.body?.slice(0, 6) ?? ''} to a drain, and is not believed more`, async () => {
      const { dispatcher } = talk(answer);
      assert.deepEqual(await dispatcher.drain(RUNNER, signal), { protocol: 1 });
      assert.equal(dispatcher.protocol, 1);
    });
  }

  it('is not told from one in trouble: errors say nothing of protocols', async () => {
    for (const status of [401, 403, 429, 500, 502, 503]) {
      const { dispatcher } = talk({ status });
      await assert.rejects(dispatcher.drain(RUNNER, signal));
      assert.equal(dispatcher.protocol, undefined);
    }
  });
});

describe('a server with the drain handshake', () => {
  it('is not believed about another runner', async () => {
    const { dispatcher } = talk({ headers: TWO, body: '{"pod_uid":"u2","state":"idle","refused":true}' });
    await assert.rejects(dispatcher.drain(RUNNER, signal), { kind: 'contract', code: 'WrongRunner' });
    assert.equal(dispatcher.protocol, 2);
  });

  it('is not believed with a state that nobody knows', async () => {
    const { dispatcher } = talk({ headers: TWO, body: '{"pod_uid":"u1","state":"asleep","refused":true}' });
    await assert.rejects(dispatcher.drain(RUNNER, signal), { kind: 'contract' });
  });

  it('shows itself in every answer', async () => {
    const { dispatcher } = talk({ headers: TWO, body: '{}' });
    await dispatcher.signals('ci', signal);
    assert.equal(dispatcher.protocol, 2);
  });
});

describe('a stop report', () => {
  it('has not arrived where a page of HTML answers', async () => {
    const { dispatcher } = talk({ status: 200, body: page });
    const report = { podName: 'ci-runner-1', endedAt: '2026-08-01T10:00:00Z' };
    await assert.rejects(dispatcher.reportStop(report, signal), { kind: 'contract', code: 'NotTheDispatcher' });
  });
});
