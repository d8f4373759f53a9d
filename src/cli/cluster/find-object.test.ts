import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MacHost } from '../../kinds/mac-host.ts';
import { CLAIM, hostWith } from '../../kinds/testing/hosts.ts';
import type { KubeObject } from '../../kube/types/meta.ts';
import { MACHINES } from '../fleet/resources.ts';
import { findHost, findObject } from './find-object.ts';

const A = '5b804c04-6f12-42b7-95f0-2c0e82883c5e';
const B = '5b80ffff-6f12-42b7-95f0-2c0e82883c5e';
const HOSTS: readonly MacHost[] = [
  { ...hostWith({ claimRef: CLAIM }, A), status: { server: { name: 'mac-1' } } } as unknown as MacHost,
  { ...hostWith({}, B), status: { server: { name: 'tuist-pool-1' } } } as unknown as MacHost,
];

/** Lists these, whatever is asked. */
const finding = (items: readonly KubeObject[]) => ({
  client: { list: async () => ({ metadata: { resourceVersion: '1' }, items }) as never },
  signal: new AbortController().signal,
});

describe('a Mac', () => {
  const rows = [
    { by: 'its id', name: A, is: A },
    { by: 'the beginning of its id', name: '5b804', is: A },
    { by: 'its machine', name: CLAIM.name, is: A },
    { by: 'its name at Scaleway', name: 'tuist-pool-1', is: B },
  ];
  for (const { by, name, is } of rows) {
    it(`is found by ${by}`, async () => assert.equal((await findHost(name, finding(HOSTS))).metadata.name, is));
  }
  it('is not guessed where two begin alike', async () => {
    await assert.rejects(findHost('5b80', finding(HOSTS)), {
      code: 'AmbiguousName',
      message: /5b804c04-.*, 5b80ffff-/,
    });
  });
  it('is not found by less than four digits, nor by another name', async () => {
    for (const name of ['5b8', 'mac-2']) await assert.rejects(findHost(name, finding(HOSTS)), { code: 'NoSuchObject' });
  });
});

describe('an object', () => {
  const machine = (namespace: string) => ({ metadata: { name: 'mac-1', namespace } });
  it('is found in any namespace if it is the only one of its name', async () => {
    const found = await findObject(MACHINES, 'mac-1', finding([machine('ci')]));
    assert.equal(found.metadata.namespace, 'ci');
  });
  it('is not guessed where two namespaces have it', async () => {
    await assert.rejects(findObject(MACHINES, 'mac-1', finding([machine('ci'), machine('qa')])), {
      ...{ code: 'AmbiguousName', message: /ci\/mac-1, qa\/mac-1/, hint: /-n/ },
    });
  });
});
