import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { neverAborted } from '../../base/abort.ts';
import { FleetError } from '../../base/errors.ts';
import { parseMacHost } from '../../kinds/mac-host.ts';
import type { ServerAccess } from '../../scaleway/port/cloud.ts';
import { providerIdOf } from './host-caches.ts';
import { censusOf, findNode, judgePresence, observeCluster } from './observe-host.ts';
import { at, NOW, serverOf, specOf } from './testing/views.ts';

const seen: ServerAccess = { ...serverOf('mac-1'), sudoPassword: undefined, askedAtMs: 0 };
const known = { name: 'mac-1', status: 'ready', address: '192.0.2.1' };

describe('whether a server is gone (R19)', () => {
  const rows = [
    {
      story: 'one look that finds nothing is noted',
      known,
      server: undefined,
      noted: { unseenSince: at(0) },
      is: false,
    },
    {
      story: 'a second one too soon says nothing new',
      known: { ...known, missingSince: at(60_000), unseenSince: at(29_000) },
      server: undefined,
      noted: undefined,
      is: false,
    },
    {
      story: 'two looks apart without a complete list are not enough',
      known: { ...known, unseenSince: at(600_000) },
      server: undefined,
      noted: undefined,
      is: false,
    },
    {
      story: 'two looks apart and a complete list without it: gone',
      known: { ...known, missingSince: at(60_000), unseenSince: at(30_000) },
      server: undefined,
      noted: { missingSince: at(60_000), unseenSince: at(30_000), goneAt: at(0) },
      is: true,
    },
    {
      story: 'a server that shows itself again was never gone',
      known: { ...known, unseenSince: at(600_000), goneAt: at(60_000) },
      server: seen,
      noted: { seenAt: at(0) },
      is: false,
    },
    {
      story: 'what a look shows is noted, and that no list shows it stays noted',
      known: { ...known, name: 'mac-0', missingSince: at(60_000) },
      server: seen,
      noted: { missingSince: at(60_000), seenAt: at(0) },
      is: false,
    },
    { story: 'nothing is noted of a server as it was', known, server: seen, noted: undefined, is: false },
  ];
  for (const { story, known: before, server, noted, is } of rows) {
    it(story, () => {
      const presence = judgePresence(before, { server, atMs: 0 }, NOW);
      assert.deepEqual(presence, { isGone: is, server: noted === undefined ? undefined : { ...known, ...noted } });
    });
  }
});

describe('a Cluster whose machine vanished (R17)', () => {
  const claimRef = { namespace: 'ci', name: 'mac-1', uid: 'u-1', cluster: { name: 'demo', uid: 'c-1' } };
  const cluster = (metadata: object = {}, spec: object = {}) => ({
    ...{ metadata: { name: 'demo', namespace: 'ci', uid: 'c-1', ...metadata }, spec },
  });
  const rows = [
    { story: 'is there', claim: claimRef, live: cluster(), is: true },
    { story: 'is gone', claim: claimRef, live: undefined, is: false },
    { story: 'is another one of its name', claim: claimRef, live: cluster({ uid: 'c-2' }), is: false },
    { story: 'is paused', claim: claimRef, live: cluster({}, { paused: true }), is: false },
    {
      story: 'is paused by its annotation',
      claim: claimRef,
      live: cluster({ annotations: { 'cluster.x-k8s.io/paused': '' } }),
      is: false,
    },
    { story: 'is being deleted', claim: claimRef, live: cluster({ deletionTimestamp: at(0) }), is: false },
    { story: 'is not on record', claim: { ...claimRef, cluster: undefined }, live: cluster(), is: false },
  ];
  for (const { story, claim, live, is } of rows)
    it(story, async () => {
      const host = parseMacHost({ metadata: { name: 'host-1' }, spec: specOf({ claimRef: claim }) });
      const get = async () => {
        if (live === undefined) throw new FleetError('not-found', { code: 'NotFound', message: 'no Cluster' });
        return live;
      };
      assert.equal(await observeCluster(host, { kube: { get }, signal: neverAborted() } as never), is);
    });
});

describe('how many Macs lost their machines together (004-8)', () => {
  const vanished = (agoMs: number) => ({ hold: { reason: 'OwnerVanished', since: at(agoMs) } });
  const rows = [
    { story: 'one alone', others: [], is: 1 },
    { story: 'another that is held too', others: [vanished(3_600_000)], is: 2 },
    { story: 'another that is free again', others: [{ ownerLosses: [at(3_600_000), at(0)] }], is: 2 },
    { story: 'others long before and after', others: [vanished(7_200_000), { ownerLosses: [at(-60_000)] }], is: 1 },
  ];
  for (const { story, others, is } of rows)
    it(story, () => {
      const hosts = [vanished(3_600_000 - 60_000), ...others].map((spec, index) =>
        parseMacHost({ metadata: { name: `host-${index}` }, spec: specOf(spec) }),
      );
      const caches = { hosts: { list: () => hosts }, machines: { get: () => undefined } };
      const [host] = hosts;
      assert.equal(
        host && censusOf({ caches: caches as never, decisions: { unseen: () => 0 } }, host, NOW).vanishedTogether,
        is,
      );
    });
});

describe('R14 the Node of a Mac on its way back to the pool', () => {
  const claimRef = { namespace: 'default', name: 'mac-1', uid: 'u-1' };
  const host = parseMacHost({ metadata: { name: 'host-1' }, spec: specOf({ claimRef }) });
  const nodeOn = (providerID: string) => ({ metadata: { name: 'mac-1' }, spec: { providerID } });
  const ours = nodeOn(providerIdOf(host));
  const rows = [
    { story: 'is found although no cache has heard of it', cached: [], live: ours, is: ours },
    { story: 'is gone although a cache has not heard of that', cached: [ours], live: undefined, is: undefined },
    { story: 'is none of its own when another Mac has it', cached: [], live: nodeOn('scw-other'), is: undefined },
  ];
  for (const { story, cached, live, is } of rows)
    it(story, async () => {
      const get = async () => {
        if (live === undefined) throw new FleetError('not-found', { code: 'NotFound', message: 'no Node' });
        return live;
      };
      const caches = { nodes: { byIndex: () => cached } };
      assert.equal(await findNode(caches as never, host, { kube: { get }, signal: neverAborted() } as never), is);
    });
});
