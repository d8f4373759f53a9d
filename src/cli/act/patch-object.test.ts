import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { MacHost } from '../../kinds/mac-host.ts';
import { hostWith, SERVER_ID } from '../../kinds/testing/hosts.ts';
import { MAC_HOSTS } from '../fleet/resources.ts';
import { patchSeen } from './patch-object.ts';

it('a change names the object and the state that were looked at, so that the server refuses any other', async () => {
  const asked: unknown[] = [];
  const client = {
    patch: async (...call: readonly unknown[]) => {
      asked.push(call[1], call[2]);
      return {} as never;
    },
  };
  const host = hostWith();
  const seen = { ...host, metadata: { ...host.metadata, uid: 'u', resourceVersion: '7' } } as unknown as MacHost;
  const body = { metadata: { annotations: { a: 'b' } }, spec: { hold: null } };
  await patchSeen(MAC_HOSTS, { seen, body }, { client, options: { signal: new AbortController().signal } });
  assert.deepEqual(asked, [
    { name: SERVER_ID },
    {
      type: 'merge',
      body: { spec: { hold: null }, metadata: { annotations: { a: 'b' }, uid: 'u', resourceVersion: '7' } },
    },
  ]);
});
