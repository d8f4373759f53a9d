import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Pod } from '../../../kube/types/pod.ts';
import { planReplicaSet } from './plan-replica-set.ts';
import type { ReplicaSet } from './replicated.ts';

const LABELS = { app: 'web' };
const SET: ReplicaSet = {
  metadata: { name: 'web' },
  spec: {
    replicas: 2,
    selector: { matchLabels: LABELS },
    template: { metadata: { labels: LABELS }, spec: { containers: [] } },
  },
};

const pod = (name: string, phase: 'Running' | 'Succeeded', stay: 'stays' | 'goes'): Pod => ({
  metadata: { name, labels: LABELS, ...(stay === 'goes' && { deletionTimestamp: '2026-01-01T00:00:00Z' }) },
  spec: { containers: [] },
  status: { phase },
});

describe('a ReplicaSet', () => {
  it('replaces a Pod that was told to end, and counts it apart until it has ended', () => {
    const pods = [pod('a', 'Running', 'stays'), pod('b', 'Running', 'goes'), pod('c', 'Succeeded', 'goes')];
    const { create, status } = planReplicaSet(SET, pods, 0);
    const { replicas, terminatingReplicas } = status;
    assert.deepEqual({ create, replicas, terminatingReplicas }, { create: 1, replicas: 1, terminatingReplicas: 1 });
  });
});
