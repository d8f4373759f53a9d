import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseMacHost } from '../../kinds/mac-host.ts';
import { identityLeftMs, identityRival } from './node-identity.ts';
import { at, CLAIMED, NOW, RELEASE, specOf } from './testing/views.ts';

const hostWith = (name: string, spec: object) => parseMacHost({ metadata: { name }, spec: specOf(spec) });
const rivalAmong = (...others: readonly ReturnType<typeof hostWith>[]) => {
  const host = hostWith('new', CLAIMED);
  return identityRival({ hosts: { list: () => [host, ...others] } as never }, host, NOW);
};
const identity = { nodeName: 'mac-1', expiresAt: at(-600_000) };

describe('R23 a Node name has one holder', () => {
  it('waits while another Mac may still be that Node', () => {
    const rival = rivalAmong(hostWith('old', { identity, release: RELEASE }));
    assert.equal(rival?.leftMs, 10_000);
    assert.match(rival.message, /old may be the Node mac-1/);
  });

  it('waits for the wipe of a Mac that was taken over under that name, and whose identity nobody knows', () => {
    const claimRef = { namespace: 'default', name: 'mac-1', uid: 'u-0' };
    const rival = rivalAmong(hostWith('old', { ...CLAIMED, claimRef, takenOver: true }));
    assert.equal(rival?.leftMs, 10_000);
    assert.equal(rival.message, 'old may be the Node mac-1 until it is wiped');
  });

  const rows = [
    { story: 'its certificate expired', other: { identity: { ...identity, expiresAt: at(0) } } },
    {
      story: 'its wipe was accepted',
      other: { identity, release: RELEASE, reinstall: { intentID: 'i-1', requestedAt: at(9), acceptedAt: at(5) } },
    },
    { story: 'it is another Node', other: { identity: { ...identity, nodeName: 'mac-2' } } },
    { story: 'it never had an identity', other: {} },
  ];
  for (const { story, other } of rows) {
    it(`goes on once ${story}`, () => assert.equal(rivalAmong(hostWith('old', other)), undefined));
  }

  it('knows when the identity of a Mac ends', () => {
    assert.equal(identityLeftMs(hostWith('a', { identity }), NOW), 600_000);
    assert.equal(identityLeftMs(hostWith('a', {}), NOW), undefined);
  });
});
