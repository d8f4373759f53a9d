import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NODES, type Node } from '../../kube/types/core.ts';
import { createTestPlane } from './testing/plane.ts';

test('a group that nobody serves has no page', () => {
  assert.deepEqual(createTestPlane().ask('GET', '/apis/x.io/v1/things').body, { text: '404 page not found\n' });
});

test('a timeout that is no time is refused', () => {
  const { ask } = createTestPlane();
  for (const timeout of ['', '0', '0s', '1m30.5s', '34h']) {
    assert.equal(ask('GET', `/api/v1/nodes?timeout=${timeout}`).status, 200, timeout);
  }
  for (const path of ['/api/v1/nodes', '/version']) {
    const { status, body } = ask('GET', `${path}?timeout=soon`);
    assert.equal(status, 400);
    assert.equal(body['message'], 'invalid timeout specified in the request URL - time: invalid duration "soon"');
  }
});

test('our client speaks with it: every verb', async () => {
  const { client, signal } = createTestPlane();
  const node: Node = { metadata: { name: 'mac-1', labels: { a: 'b' } } };
  const created = await client.create(NODES, node, { signal });
  const updated = await client.update(NODES, { ...created, spec: { unschedulable: true } }, { signal });
  assert.equal(updated.spec?.unschedulable, true);
  await assert.rejects(client.update(NODES, created, { signal }), { kind: 'conflict' });
  await assert.rejects(client.create(NODES, node, { signal }), { kind: 'exists' });
  const status = { type: 'merge', body: { status: { conditions: [{ type: 'Ready', status: 'True' }] } } } as const;
  const ready = await client.patch(NODES, { name: 'mac-1' }, status, { signal, subresource: 'status' });
  assert.equal(ready.status?.conditions?.[0]?.status, 'True');
  for (let index = 2; index < 8; index += 1)
    await client.create(NODES, { metadata: { name: `mac-${index}` } }, { signal });
  assert.equal((await client.list(NODES, { signal, pageSize: 2 })).items.length, 7);
  await client.delete(NODES, { name: 'mac-1' }, { signal });
  await assert.rejects(client.get(NODES, { name: 'mac-1' }, { signal }), { kind: 'not-found' });
  await assert.rejects(client.list({ ...NODES, plural: 'nonsense' }, { signal }), { code: 'KindNotServed' });
  assert.equal(await client.getRaw('/readyz', { signal }), 'ok');
});
