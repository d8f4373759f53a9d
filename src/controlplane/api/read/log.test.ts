import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createIds } from '../../../base/ids.ts';
import { silentLogger } from '../../../base/logger.ts';
import { createSeededRandom } from '../../../base/random.ts';
import { createManualClock } from '../../../base/testing/manual-clock.ts';
import { ADMIN } from '../../auth/user.ts';
import { createStore } from '../../store/store.ts';
import { createApiServer } from '../api-server.ts';
import type { NodeLogRequest, OpenNodeLog } from '../node-log.ts';

const PODS = '/api/v1/namespaces/default/pods';

const start = (containers: readonly string[], agent: 'with an agent' | 'without') => {
  const asked: NodeLogRequest[] = [];
  const openNodeLog: OpenNodeLog = (request, sink) => {
    asked.push(request);
    sink.push(Buffer.from('a line\n'));
    sink.end();
    return () => undefined;
  };
  const store = createStore();
  const clock = createManualClock();
  const ids = createIds(createSeededRandom('log'));
  const api = createApiServer({
    ...{ store, clock, ids, logger: silentLogger },
    ...(agent === 'with an agent' && { openNodeLog }),
  });
  const send = (method: string, path: string, body?: object) =>
    api.handle({ method, path, headers: {}, user: ADMIN, ...(body && { body: JSON.stringify(body) }) });
  send('POST', '/api/v1/nodes', { metadata: { name: 'n' } });
  const spec = { containers: containers.map((name) => ({ name, image: 'x' })) };
  send('POST', PODS, { metadata: { name: 'p' }, spec });
  const bind = () => send('POST', `${PODS}/p/binding`, { metadata: { name: 'p' }, target: { name: 'n' } });
  const read = (query = '') => {
    const { status, body } = send('GET', `${PODS}/p/log${query}`);
    if (typeof body === 'string') return { status, text: body };
    let text = '';
    const push = (chunk: Uint8Array): void => {
      text += Buffer.from(chunk).toString();
    };
    body({ push, end: () => undefined, fail: () => undefined });
    return { status, text };
  };
  return { asked, bind, read };
};

describe('the log of a Pod', () => {
  test('comes from the agent of its Node, with the options it takes', () => {
    const { asked, bind, read } = start(['c'], 'with an agent');
    bind();
    assert.deepEqual(read('?follow=true&tailLines=5'), { status: 200, text: 'a line\n' });
    assert.equal(asked[0]?.container, 'c');
    assert.equal(asked[0]?.node.metadata.name, 'n');
    assert.equal(asked[0]?.options.toString(), 'follow=true&tailLines=5');
  });

  test('is empty while the Pod is nowhere', () => {
    assert.deepEqual(start(['c'], 'with an agent').read(), { status: 200, text: '' });
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
  ];
  for (const { story, containers, query, says } of refusals) {
    test(`is refused: ${story}`, () => {
      const { bind, read } = start(containers, 'with an agent');
      bind();
      const { status, text } = read(query);
      assert.equal(status, 400);
      assert.ok(text.includes(says), text);
    });
  }

  test('is unavailable where nobody knows the way to the Nodes', () => {
    const { bind, read } = start(['c'], 'without');
    bind();
    assert.equal(read().status, 503);
  });
});
