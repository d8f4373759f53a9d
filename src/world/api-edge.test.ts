import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ApiRequest, ApiResponse, ByteSink } from '../controlplane/api/http.ts';
import { ADMIN } from '../controlplane/auth/user.ts';
import { createApiEdge, type StaleWrite } from './api-edge.ts';
import type { WatchFact } from './watch-tap.ts';

const PODS = '/api/v1/pods';

/** An edge before a server whose watches say what they are told to, and whose objects are all at version 5. */
const openEdge = () => {
  const sinks: ByteSink[] = [];
  const facts: WatchFact[] = [];
  const stale: StaleWrite[] = [];
  const timers: (() => void)[] = [];
  const handle = ({ method, path }: ApiRequest): ApiResponse => {
    const body = path.includes('watch=')
      ? (sink: ByteSink) => {
          sinks.push(sink);
          return () => undefined;
        }
      : `${method} ${path}`;
    return { status: 200, headers: {}, body };
  };
  const edge = createApiEdge({
    ...{ handle, versionOf: () => '5', revision: () => 9, schedule: (_ms, run) => void timers.push(run) },
    observer: { onWatch: (fact) => facts.push(fact), onStaleWrite: (write) => stale.push(write) },
  });
  const call = (actor: string, method: string, path: string, body?: string) =>
    edge.handleFor(actor)({ method, path, headers: {}, user: ADMIN, ...(body !== undefined && { body }) });
  const watch = (actor: string) => {
    const heard: string[] = [];
    const { body } = call(actor, 'GET', `${PODS}?watch=1&resourceVersion=3`);
    const note = (text: string) => void heard.push(text);
    if (typeof body !== 'string')
      body({ push: (chunk) => note(Buffer.from(chunk).toString()), end: () => note('end'), fail: note });
    return heard;
  };
  const send = (revision: number): void =>
    sinks.at(-1)?.push(Buffer.from(`{"type":"ADDED","object":{"metadata":{"resourceVersion":"${revision}"}}}\n`));
  return { edge, call, watch, send, facts, stale, timers };
};

const versionsIn = (heard: readonly string[]): readonly (string | undefined)[] =>
  heard.map((line) => /"resourceVersion":"(\d+)"/.exec(line)?.[1] ?? line);

describe('the edge of a simulated API', () => {
  it('loses, repeats and delays events of whom it is told to, and of nobody else', () => {
    const { edge, watch, send, timers } = openEdge();
    edge.trouble.watches.trouble({ is: 'lose', events: 1 }, { actor: 'a', kind: 'pods' });
    edge.trouble.watches.trouble({ is: 'repeat', events: 1 }, { actor: 'a' });
    edge.trouble.watches.trouble({ is: 'lag', lagMs: 5 }, { actor: 'a' });
    const heard = watch('a');
    for (const revision of [4, 5, 6]) send(revision);
    assert.deepEqual(versionsIn(heard), ['5', '5']);
    for (const run of timers) run();
    assert.deepEqual(versionsIn(heard), ['5', '5', '6']);
    const other = watch('b');
    send(7);
    assert.deepEqual(versionsIn(other), ['7']);
  });

  it('tells what the server said, whatever becomes of it on the way', () => {
    const { edge, watch, send, facts } = openEdge();
    edge.trouble.watches.trouble({ is: 'lose', events: 9 });
    watch('a');
    send(4);
    edge.trouble.end();
    assert.deepEqual(
      facts.map(({ is, revision, about }) => [is, revision, about]),
      [
        ['opened', 3, 'all'],
        ['event', 4, 'all'],
        ['closed', 0, 'all'],
      ],
    );
  });

  it('refuses writes, and is away, for as long as it is told to', () => {
    const { edge, call } = openEdge();
    edge.trouble.refuseWrites('conflict', 1, { actor: 'a' });
    assert.equal(call('b', 'POST', PODS).status, 200);
    assert.equal(call('a', 'POST', PODS).status, 409);
    assert.equal(call('a', 'POST', PODS).status, 200);
    edge.trouble.goAway();
    assert.throws(() => call('a', 'GET', PODS), { code: 'ConnectFailed' });
    edge.trouble.comeBack();
    assert.equal(call('a', 'GET', PODS).status, 200);
  });

  it('shows the past only to lists that ask for any version', () => {
    const { edge, call } = openEdge();
    const cached = `${PODS}?resourceVersion=0`;
    const first = call('a', 'GET', cached);
    edge.trouble.freezeCachedLists();
    assert.notEqual(call('a', 'GET', cached), first);
    assert.equal(call('a', 'GET', cached), call('b', 'GET', cached));
    assert.notEqual(call('a', 'GET', PODS), call('a', 'GET', PODS));
  });

  it('tells of a write that was meant for another version, and of no other', () => {
    const { call, stale } = openEdge();
    const body = (resourceVersion: string) => JSON.stringify({ metadata: { resourceVersion } });
    call('a', 'PATCH', '/api/v1/namespaces/x/pods/y', body('5'));
    call('a', 'PATCH', '/api/v1/namespaces/x/pods/y', body('4'));
    assert.deepEqual(
      stale.map(({ meant, met, code }) => [meant, met, code]),
      [['4', '5', 200]],
    );
  });
});
