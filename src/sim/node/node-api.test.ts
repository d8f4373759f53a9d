import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toTimestamp } from '../../base/clock.ts';
import { createManualClock } from '../../base/testing/manual-clock.ts';
import type { Cache } from '../../kube/cache/cache.ts';
import type { Pod } from '../../kube/types/pod.ts';
import { createNodeApi } from './node-api.ts';

/** One Pod that starts now, as far as a log needs it. */
const start = () => {
  const clock = createManualClock();
  const startedAt = toTimestamp(clock.now());
  const listeners = new Set<() => void>();
  const render = (state: object): Pod => ({
    metadata: { namespace: 'ns', name: 'p' },
    spec: { containers: [{ name: 'c', image: 'x' }] },
    status: { containerStatuses: [{ name: 'c', image: 'x', imageID: '', ready: true, restartCount: 0, state }] },
  });
  let pod: Pod | undefined = render({ running: { startedAt } });
  const pods = {
    get: (key: string) => (key === 'ns/p' ? pod : undefined),
    subscribe: (listener: () => void) => {
      listener();
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  } as unknown as Cache<Pod>;
  const change = (changed: Pod | undefined): void => {
    pod = changed;
    for (const listener of listeners) listener();
  };
  const api = createNodeApi({ pods, clock });
  const get = (path: string) => api({ method: 'GET', path });
  const read = (query: string) => {
    const seen = { text: '', ended: false };
    const { status, body } = get(`/containerLogs/ns/p/c${query}`);
    if (typeof body === 'string') return { status, seen: { text: body, ended: true }, stop: () => undefined };
    const push = (chunk: Uint8Array): void => {
      seen.text += Buffer.from(chunk).toString();
    };
    const end = (): void => {
      seen.ended = true;
    };
    return { status, seen, stop: body({ push, end, fail: end }) };
  };
  const finish = (): void =>
    change(render({ terminated: { exitCode: 0, startedAt, finishedAt: toTimestamp(clock.now()) } }));
  return { clock, api, get, read, finish, remove: () => change(undefined), listeners };
};

describe('the API of a Node agent', () => {
  it('tells a log as it is now', () => {
    const { clock, read } = start();
    clock.advance(1_500);
    const { status, seen } = read('');
    assert.deepEqual({ status, ...seen }, { status: 200, text: '$ x\nrunning for 1 s\n', ended: true });
  });

  it('follows it, line by line, until the container has ended', () => {
    const { clock, read, finish, listeners } = start();
    const { seen } = read('?follow=true');
    assert.equal(seen.text, '$ x\n');
    clock.advance(1_000);
    clock.advance(1_000);
    assert.equal(seen.text, '$ x\nrunning for 1 s\nrunning for 2 s\n');
    finish();
    assert.deepEqual(seen, { text: '$ x\nrunning for 1 s\nrunning for 2 s\nended with code 0\n', ended: true });
    assert.equal(listeners.size, 0);
    clock.advance(5_000);
    assert.match(seen.text, /code 0\n$/);
  });

  it('follows from the tail that was asked for, and ends when the bytes are used up', () => {
    const { clock, read } = start();
    const { seen } = read('?follow=true&tailLines=0&limitBytes=20');
    assert.equal(seen.text, '');
    clock.advance(1_000);
    clock.advance(1_000);
    assert.deepEqual(seen, { text: 'running for 1 s\nrunn', ended: true });
  });

  it('cuts a log that is not followed, too', () => {
    assert.equal(start().read('?limitBytes=2').seen.text, '$ ');
  });

  it('stops for whoever hangs up, and ends when the Pod goes', () => {
    const { clock, read, remove, listeners } = start();
    const first = read('?follow=true');
    const second = read('?follow=true');
    first.stop();
    clock.advance(1_000);
    assert.equal(first.seen.text, '$ x\n');
    remove();
    assert.equal(second.seen.ended, true);
    assert.equal(listeners.size, 0);
  });

  const refusals: readonly (readonly [string, string, number])[] = [
    ['a Pod that is not here', '/containerLogs/ns/other/c', 404],
    ['a container that it has not', '/containerLogs/ns/p/z', 400],
    ['a page that it has not', '/exec/ns/p/c', 404],
    ['a path that goes on', '/containerLogs/ns/p/c/more', 404],
  ];
  for (const [story, path, status] of refusals) {
    it(`answers ${status} for ${story}`, () => assert.equal(start().get(path).status, status));
  }

  it('says that it is well, and takes nothing but reads', () => {
    const { get, api } = start();
    assert.equal(get('/healthz').status, 200);
    assert.equal(api({ method: 'POST', path: '/containerLogs/ns/p/c' }).status, 405);
  });
});
