import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseMacHost } from '../../kinds/mac-host.ts';
import type { Pod } from '../../kube/types/pod.ts';
import { isStranded, keepOfPod, type StrandedView } from './stranded-pods.ts';

const OURS = 'tart-kubelet.tuist.dev/vm-cleanup';
const AT = '2026-01-01T00:00:00Z';
const pod = (metadata: object = {}, nodeName: string | undefined = 'mac-1'): Pod => ({
  metadata: { name: 'p', namespace: 'ci', uid: 'u', finalizers: [OURS], deletionTimestamp: AT, ...metadata },
  spec: { containers: [], ...(nodeName === undefined ? {} : { nodeName }) },
});
const host = (spec: object) =>
  parseMacHost({
    metadata: { name: 'a' },
    spec: {
      source: { scaleway: { projectID: 'p', zone: 'z', serverID: 'a' } },
      ...{ pool: { prefix: 'pool-' }, ...spec },
    },
  });
const claimRef = { namespace: 'ci', name: 'mac-1', uid: 'u' };
const release = { intentID: 'i', reason: 'MachineDeleted' };
const reinstall = { intentID: 'i', requestedAt: AT, acceptedAt: AT };

describe('a Pod whose Node is gone (003-4)', () => {
  const rows: readonly ({ readonly story: string; readonly is: boolean } & Partial<StrandedView>)[] = [
    { story: 'is let go when no Mac of that name is on record', is: true },
    { story: 'is let go when its Mac is being wiped', hosts: [host({ claimRef, release, reinstall })], is: true },
    {
      story: 'is let go though other Macs work',
      hosts: [host({ claimRef: { ...claimRef, name: 'mac-2' } })],
      is: true,
    },
    { story: 'waits while its Node is there', node: 'there', is: false },
    { story: 'waits while its Mac may still run it', hosts: [host({ claimRef })], is: false },
    { story: 'waits until the wipe was seen to begin', hosts: [host({ claimRef, release })], is: false },
    {
      story: 'waits while its Mac is held',
      hosts: [host({ claimRef, hold: { reason: 'OwnerVanished' } })],
      is: false,
    },
    {
      story: 'R23 waits while another Mac still has the identity of its Node',
      hosts: [host({ identity: { nodeName: 'mac-1', expiresAt: AT }, quarantine: { reason: 'X', since: AT } })],
      is: false,
    },
    { story: 'is left alone when nobody deletes it', pod: pod({ deletionTimestamp: undefined }), is: false },
    { story: 'is left alone without our finalizer', pod: pod({ finalizers: ['another.dev/x'] }), is: false },
    { story: 'is left alone when it never had a Node', pod: { ...pod(), spec: { containers: [] } }, is: false },
  ];
  for (const { story, is, ...given } of rows) {
    it(story, () => assert.equal(isStranded({ pod: pod(), node: 'absent', hosts: [], ...given }), is));
  }

  it('is kept in memory as little as possible, and one that is not ours hardly at all', () => {
    const big = { ...pod(), status: { phase: 'Running' } as const };
    assert.deepEqual(keepOfPod(big).spec, { containers: [], nodeName: 'mac-1' });
    assert.equal(keepOfPod(big).status, undefined);
    const other = keepOfPod(pod({ finalizers: ['another.dev/x'] }));
    assert.deepEqual([other.metadata.finalizers, other.spec.nodeName], [undefined, undefined]);
  });
});
