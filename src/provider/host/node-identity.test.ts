import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { neverAborted } from '../../base/abort.ts';
import { FleetError } from '../../base/errors.ts';
import { type MacHost, parseMacHost } from '../../kinds/mac-host.ts';
import { renderProviderId } from '../../kinds/names.ts';
import type { Node } from '../../kube/types/core.ts';
import { findIdentityRival, identityFrom, identityLeftMs, isHeardUnder } from './node-identity.ts';
import { at, CLAIMED, NOW, RELEASE, specOf } from './testing/views.ts';

const hostWith = (name: string, spec: object) => parseMacHost({ metadata: { name }, spec: specOf(spec) });
const HOUR_MS = 3_600_000;

interface Known {
  /** As the API has them. */
  readonly records?: readonly MacHost[];
  /** As a cache has them that may lag behind; like the API unless said. */
  readonly cached?: readonly MacHost[];
  readonly node?: Node;
}

const rivalIn = ({ records = [], cached = records, node }: Known) => {
  const host = hostWith('new', CLAIMED);
  const get = async ({ kind }: { readonly kind: string }, { name }: { readonly name: string }) => {
    const found = kind === 'Node' ? node : records.find(({ metadata }) => metadata.name === name);
    if (found === undefined) throw new FleetError('not-found', { code: 'NotFound', message: `no ${kind} ${name}` });
    return found;
  };
  const parts = {
    ports: { clock: { now: () => NOW }, join: { lifeMs: HOUR_MS } },
    caches: { hosts: { list: () => [host, ...cached] } },
  };
  return findIdentityRival(parts as never, host, { kube: { get }, signal: neverAborted() } as never);
};
const rivalAmong = (...records: readonly MacHost[]) => rivalIn({ records });
const identity = { nodeName: 'mac-1', expiresAt: at(-600_000) };

const nodeOf = (serverId: string, ready: object | undefined): Node => ({
  metadata: { name: 'mac-1' },
  spec: { providerID: renderProviderId({ zone: 'fr-par-1', serverId }) },
  status: { conditions: ready === undefined ? [] : [{ type: 'Ready', status: 'True', ...ready }] },
});

describe('R23 a Node name has one holder', () => {
  it('waits while another Mac may still be that Node', async () => {
    const rival = await rivalAmong(hostWith('old', { identity, release: RELEASE }));
    assert.equal(rival?.leftMs, 10_000);
    assert.match(rival.message, /old may be the Node mac-1/);
  });

  it('waits for the wipe of a Mac that was taken over under that name, and whose identity nobody knows', async () => {
    const claimRef = { namespace: 'default', name: 'mac-1', uid: 'u-0' };
    const rival = await rivalAmong(hostWith('old', { ...CLAIMED, claimRef, takenOver: true }));
    assert.equal(rival?.leftMs, 60_000);
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
    it(`goes on once ${story}`, async () => assert.equal(await rivalAmong(hostWith('old', other)), undefined));
  }

  it('believes the API, not a cache that missed a renewal', async () => {
    const cached = [hostWith('old', { identity: { ...identity, expiresAt: at(1_000) } })];
    const rival = await rivalIn({ cached, records: [hostWith('old', { identity })] });
    assert.match(rival?.message ?? '', /old may be the Node mac-1/);
  });

  it('finds a Mac that no cache knows by the Node that it is', async () => {
    const rival = await rivalIn({ cached: [], records: [hostWith('old', { identity })], node: nodeOf('old', {}) });
    assert.match(rival?.message ?? '', /old may be the Node mac-1/);
  });

  const strays = [
    { story: 'speaks', ready: {}, leftMs: 60_000 },
    { story: 'says that it is not ready', ready: { status: 'False' }, leftMs: 60_000 },
    {
      story: 'is silent for less than an identity lasts',
      ready: { status: 'Unknown', lastTransitionTime: at(HOUR_MS - 5_000) },
      leftMs: 5_000,
    },
    {
      story: 'is silent for longer than an identity lasts',
      ready: { status: 'Unknown', lastTransitionTime: at(HOUR_MS) },
      leftMs: 0,
    },
    { story: 'never spoke', ready: { status: 'Unknown', reason: 'NodeStatusNeverUpdated' }, leftMs: 0 },
    { story: 'says nothing at all', ready: undefined, leftMs: 0 },
  ];
  for (const { story, ready, leftMs } of strays) {
    it(`${leftMs === 0 ? 'takes away' : 'waits beside'} a Node of a Mac that is not on record and ${story}`, async () => {
      const node = nodeOf('stray', ready);
      const rival = await rivalIn({ node });
      assert.deepEqual([rival?.leftMs, rival?.left], [leftMs, leftMs === 0 ? node : undefined]);
    });
  }

  it('leaves a Node alone that is no Mac at all', async () => {
    const node = {
      ...nodeOf('x', { status: 'Unknown', lastTransitionTime: at(HOUR_MS) }),
      spec: { providerID: 'aws:///i-1' },
    };
    assert.equal(await rivalIn({ node }), undefined);
  });

  it('waits beside a Mac that speaks, and whose record of a restored etcd knows nothing of it', async () => {
    const rival = await rivalIn({ records: [hostWith('old', {})], node: nodeOf('old', {}) });
    assert.equal(rival?.leftMs, 60_000);
  });

  const expired = { identity: { ...identity, expiresAt: at(1_000) } };
  it('waits beside a Mac that speaks, although by its record it cannot: that may be of an earlier time', async () => {
    const rival = await rivalIn({ records: [hostWith('old', expired)], node: nodeOf('old', {}) });
    assert.equal(rival?.leftMs, 60_000);
  });

  it('takes the Node away of a Mac that is silent, and whose identity has ended by its record', async () => {
    const node = nodeOf('old', { status: 'Unknown', lastTransitionTime: at(5_000) });
    assert.equal((await rivalIn({ records: [hostWith('old', expired)], node }))?.left, node);
  });

  it('goes on beside a Node that is about to be deleted, because its Mac is being wiped', async () => {
    const reinstall = { intentID: 'i-1', requestedAt: at(9), acceptedAt: at(5) };
    const records = [hostWith('old', { release: RELEASE, reinstall })];
    assert.equal(await rivalIn({ records, node: nodeOf('old', {}) }), undefined);
  });

  it('is no rival of itself', async () => {
    assert.equal(await rivalIn({ node: nodeOf('new', {}) }), undefined);
  });

  it('knows when the identity of a Mac ends', () => {
    assert.equal(identityLeftMs(hostWith('a', { identity }), NOW), 600_000);
    assert.equal(identityLeftMs(hostWith('a', {}), NOW), undefined);
  });
});

describe('R23 a Mac is its Node under the identity on record', () => {
  const given = { identity: { nodeName: 'mac-1', expiresAt: at(-HOUR_MS) } };
  const silentSince = (agoMs: number) => ({ status: 'Unknown', lastTransitionTime: at(agoMs) });
  const rows = [
    { story: 'that speaks', ready: {}, spec: given, is: true },
    { story: 'that tells of trouble', ready: { status: 'False' }, spec: given, is: true },
    { story: 'that nobody has judged yet', ready: undefined, spec: given, is: true },
    { story: 'that has been silent since then', ready: silentSince(-1_000), spec: given, is: true },
    {
      story: 'that has been silent for longer: it is what the Mac left behind',
      ready: silentSince(1_000),
      spec: given,
      is: false,
    },
    { story: 'that is silent, of a Mac whose identity nobody knows', ready: silentSince(1_000), spec: {}, is: true },
  ];
  for (const { story, ready, spec, is } of rows) {
    it(`one ${story}`, () => {
      assert.equal(isHeardUnder(nodeOf('new', ready), hostWith('new', { ...CLAIMED, ...spec }), HOUR_MS), is);
    });
  }
});

describe('R23 an identity that is given to a Mac', () => {
  const ports = { clock: { now: () => NOW }, join: { lifeMs: HOUR_MS } };
  const offer = (before: object) => identityFrom(ports as never, hostWith('new', { ...CLAIMED, ...before }));
  const rows = [
    { story: 'is new to one that had none', before: {}, offered: true },
    {
      story: 'is new to one whose last has ended: it may have been wiped since',
      before: { identity: { ...identity, expiresAt: at(1) } },
      offered: true,
    },
    {
      story: 'is new to one that was another Node',
      before: { identity: { ...identity, nodeName: 'mac-9' } },
      offered: true,
    },
    {
      story: 'stays new until somebody has come with it',
      before: { identity: { ...identity, offered: true } },
      offered: true,
    },
    {
      story: 'is not new to one that lives as that Node: it asks for no other',
      before: { identity },
      offered: undefined,
    },
  ];
  for (const { story, before, offered } of rows) {
    it(story, () => {
      assert.deepEqual(offer(before), {
        identity: { nodeName: 'mac-1', expiresAt: at(-HOUR_MS), ...(offered && { offered }) },
      });
    });
  }
});
