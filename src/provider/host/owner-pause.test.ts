import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { neverAborted } from '../../base/abort.ts';
import { FleetError } from '../../base/errors.ts';
import { parseMacHost } from '../../kinds/mac-host.ts';
import { isOwnerPaused, isOwnerPausedNow } from './owner-pause.ts';
import { at, CLAIMED, RELEASE, specOf } from './testing/views.ts';

describe('whether the machine of a Mac is frozen, by what was heard and by what the API has now (F75)', () => {
  const PAUSED = { annotations: { 'cluster.x-k8s.io/paused': '' } };
  const MEMBER = { labels: { 'cluster.x-k8s.io/cluster-name': 'demo' } };
  const rows: readonly {
    readonly story: string;
    readonly spec?: object;
    readonly machine?: object;
    readonly cluster?: object;
    readonly is: boolean;
  }[] = [
    { story: 'a machine that nobody paused is not', machine: {}, is: false },
    { story: 'a machine that is paused is', machine: PAUSED, is: true },
    { story: 'a machine whose cluster is paused is', machine: MEMBER, cluster: { paused: true }, is: true },
    { story: 'a machine whose cluster is not paused is not', machine: MEMBER, cluster: {}, is: false },
    { story: 'a machine whose cluster does not exist is not', machine: MEMBER, is: false },
    { story: 'a machine that is gone is not', is: false },
    { story: 'a paused machine that is deleted is not', machine: { ...PAUSED, deletionTimestamp: at(0) }, is: false },
    { story: '001-2 a release goes its way', spec: { release: RELEASE }, machine: PAUSED, is: false },
    { story: 'a Mac that nobody has is not', spec: { claimRef: undefined }, machine: PAUSED, is: false },
  ];
  for (const { story, spec = {}, machine, cluster, is } of rows) {
    it(story, async () => {
      const host = parseMacHost({ metadata: { name: 'srv' }, spec: specOf({ ...CLAIMED, ...spec }) });
      const find = (kind: string) =>
        kind === 'Cluster' ? cluster && { spec: cluster } : machine && { metadata: machine };
      const get = async ({ kind }: { readonly kind: string }) => {
        const found = find(kind);
        if (found === undefined) throw new FleetError('not-found', { code: 'NotFound', message: `no ${kind}` });
        return found;
      };
      const caches = { machines: { get: () => find('Machine') }, clusters: { get: () => find('Cluster') } };
      assert.equal(isOwnerPaused(caches as never, host), is);
      assert.equal(await isOwnerPausedNow(host, { kube: { get }, signal: neverAborted() } as never), is);
    });
  }
});
