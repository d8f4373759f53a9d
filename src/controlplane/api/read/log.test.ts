import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createIds } from '../../../base/ids.ts';
import { silentLogger } from '../../../base/logger.ts';
import { createSeededRandom } from '../../../base/random.ts';
import { createManualClock } from '../../../base/testing/manual-clock.ts';
import { ADMIN } from '../../auth/user.ts';
import { createStore } from '../../store/store.ts';
import { createApiServer } from '../api-server.ts';
import type { ApiResponse } from '../http.ts';
import type { NodeLogRequest, OpenNodeLog } from '../node-log.ts';
import { ApiRefusal } from '../refusal.ts';

const PODS = '/api/v1/namespaces/default/pods';

const start = (containers: readonly string[], agent: 'with an agent' | 'with one that refuses' | 'without') => {
  const asked: NodeLogRequest[] = [];
  const openNodeLog: OpenNodeLog = async (request) => {
    asked.push(request);
    if (agent === 'with one that refuses') throw new ApiRefusal('BadRequest', 'not yet');
    return (sink) => {
      sink.push(Buffer.from('a line\n'));
      sink.end();
      return () => undefined;
    };
  };
  const store = createStore();
  const clock = createManualClock();
  const ids = createIds(createSeededRandom('log'));
  const api = createApiServer({
    ...{ store, clock, ids, logger: silentLogger },
    ...(agent !== 'without' && { openNodeLog }),
  });
  const send = (method: string, path: string, body?: object) =>
    api.handle({ method, path, headers: {}, user: ADMIN, ...(body && { body: JSON.stringify(body) }) });
  send('POST', '/api/v1/nodes', { metadata: { name: 'n' } });
  const spec = { containers: containers.map((name) => ({ name, image: 'x' })) };
  send('POST', PODS, { metadata: { name: 'p' }, spec });
  const bind = () => send('POST', `${PODS}/p/binding`, { metadata: { name: 'p' }, target: { name: 'n' } });
  const collect = (body: Exclude<ApiResponse['body'], string>) =>
    new Promise<string>((resolve) => {
      let text = '';
      const push = (chunk: Uint8Array): void => {
        text += Buffer.from(chunk).toString();
      };
      body({ push, end: () => resolve(text), fail: (why) => resolve(`${text}broken: ${why}`) });
    });
  const path = (query: string): string => `${PODS}/p/log${query}`;
  /** As over HTTPS: the status waits for the agent. */
  const read = async (query = '') => {
    const { status, body } = await api.answer({ method: 'GET', path: path(query), headers: {}, user: ADMIN });
    return { status, text: typeof body === 'string' ? body : await collect(body) };
  };
  /** As in a simulation, where the status cannot wait. */
  const readAtOnce = async () => {
    const { status, body } = send('GET', path(''));
    return { status, text: typeof body === 'string' ? body : await collect(body) };
  };
  return { asked, bind, read, readAtOnce };
};

describe('the log of a Pod', () => {
  test('comes from the agent of its Node, with the options it takes', async () => {
    const { asked, bind, read } = start(['c'], 'with an agent');
    bind();
    assert.deepEqual(await read('?follow=true&tailLines=5'), { status: 200, text: 'a line\n' });
    assert.equal(asked[0]?.container, 'c');
    assert.equal(asked[0]?.node.metadata.name, 'n');
    assert.equal(asked[0]?.options.toString(), 'follow=true&tailLines=5');
  });

  test('is what the agent says when it refuses, with its code, or a broken stream for whoever could not wait', async () => {
    const { bind, read, readAtOnce } = start(['c'], 'with one that refuses');
    bind();
    const { status, text } = await read();
    assert.equal(status, 400);
    assert.equal(JSON.parse(text).message, 'not yet');
    assert.deepEqual(await readAtOnce(), { status: 200, text: 'broken: not yet' });
  });

  test('is the same at once, for whoever cannot wait', async () => {
    const { bind, readAtOnce } = start(['c'], 'with an agent');
    bind();
    assert.deepEqual(await readAtOnce(), { status: 200, text: 'a line\n' });
  });

  test('is empty while the Pod is nowhere', async () => {
    assert.deepEqual(await start(['c'], 'with an agent').read(), { status: 200, text: '' });
  });

  const refusals = [
    {
      story: 'one container of several must be named',
      containers: ['a', 'b'],
      query: '',
      says: 'a container name must be specified for pod p, choose one of: [a b]',
    },
    {
      story: 'the container must be one of the Pod',
      containers: ['a'],
      query: '?container=z',
      says: 'container z is not valid for pod p',
    },
    {
      story: 'the way to the Node is always verified',
      containers: ['a'],
      query: '?insecureSkipTLSVerifyBackend=true',
      says: 'insecureSkipTLSVerifyBackend is not supported',
    },
    { story: 'a number is none', containers: ['a'], query: '?tailLines=many', says: 'is no whole number' },
    {
      story: 'a number is too small',
      containers: ['a'],
      query: '?limitBytes=0',
      code: 422,
      says: 'limitBytes: Invalid value: 0: must be greater than or equal to 1',
    },
    {
      story: 'two beginnings',
      containers: ['a'],
      query: '?sinceSeconds=1&sinceTime=2026-01-01T00:00:00Z',
      code: 422,
      says: 'at most one of `sinceTime` or `sinceSeconds` may be specified',
    },
  ];
  for (const { story, containers, query, says, code = 400 } of refusals) {
    test(`is refused: ${story}`, async () => {
      const { bind, read } = start(containers, 'with an agent');
      bind();
      const { status, text } = await read(query);
      assert.equal(status, code);
      assert.ok(text.includes(says), text);
    });
  }

  test('is unavailable where nobody knows the way to the Nodes', async () => {
    const { bind, read } = start(['c'], 'without');
    bind();
    assert.equal((await read()).status, 503);
  });
});
