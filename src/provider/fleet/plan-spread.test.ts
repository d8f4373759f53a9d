import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toTimestamp } from '../../base/clock.ts';
import type { Deployment } from '../../kube/types/apps.ts';
import type { Node } from '../../kube/types/core.ts';
import { fleetHashOf, planSpread } from './plan-spread.ts';

const NOW = Date.UTC(2026, 0, 1);
const CALM = 60_000;
const LABELS = { 'kubernetes.io/os': 'darwin', 'tuist.dev/runtime': 'tart', 'tuist.dev/fleet': 'macos' };

const node = (
  name: string,
  more: { readonly ready?: 'True' | 'False'; readonly agoMs?: number; readonly labels?: object } = {},
): Node => ({
  metadata: { name, labels: { ...LABELS, ...more.labels } },
  status: {
    conditions: [
      { type: 'Ready', status: more.ready ?? 'True', lastTransitionTime: toTimestamp(NOW - (more.agoMs ?? 600_000)) },
    ],
  },
});

const deployment = (
  hash: string | undefined,
  status: object = {},
  nodeSelector: object | null = { 'tuist.dev/fleet': 'macos' },
): Deployment => ({
  metadata: { name: 'cache', generation: 3 },
  spec: {
    replicas: 2,
    template: {
      metadata: { annotations: hash === undefined ? {} : { 'tuist.dev/fleet-hash': hash } },
      spec: { containers: [], ...(nodeSelector === null ? {} : { nodeSelector: { ...nodeSelector } }) },
    },
  },
  status: { observedGeneration: 3, replicas: 2, updatedReplicas: 2, availableReplicas: 2, ...status },
});

const plan = (of: Deployment, nodes: readonly Node[]) =>
  planSpread({ nowMs: NOW, deployment: of, nodes, calmMs: CALM });

const [A, B] = [node('a'), node('b')];
const HASH = fleetHashOf([A, B]);

describe('spreading Pods over the Macs', () => {
  it('T-65 the hash is that of the names, in any order', () => {
    assert.equal(fleetHashOf([B, A]), HASH);
    assert.notEqual(fleetHashOf([A]), HASH);
    assert.match(HASH, /^[0-9a-f]{16}$/);
  });

  const rows = [
    {
      story: 'T-66 it is stamped the first time',
      of: deployment(undefined),
      nodes: [A, B],
      is: { do: 'roll', hash: HASH },
    },
    { story: 'T-66 nothing is done while it is the same', of: deployment(HASH), nodes: [B, A], is: { do: 'nothing' } },
    {
      story: 'T-66 it is stamped anew when the fleet grew',
      of: deployment(fleetHashOf([A])),
      nodes: [A, B],
      is: { do: 'roll', hash: HASH },
    },
    {
      story: 'T-66 I-04 it waits while the Deployment is rolling',
      of: deployment(undefined, { updatedReplicas: 1 }),
      nodes: [A, B],
      is: { do: 'wait', afterMs: 30_000 },
    },
    {
      story: 'T-66 it waits until a change of the Deployment was seen at all',
      of: deployment(undefined, { observedGeneration: 2 }),
      nodes: [A, B],
      is: { do: 'wait', afterMs: 30_000 },
    },
    {
      story: 'T-66 a Mac that is not ready does not count',
      of: deployment(fleetHashOf([A])),
      nodes: [A, node('b', { ready: 'False' })],
      is: { do: 'nothing' },
    },
    {
      story: 'T-66 a Mac of another fleet rolls nothing',
      of: deployment(fleetHashOf([A])),
      nodes: [A, node('b', { labels: { 'tuist.dev/fleet': 'runners' } })],
      is: { do: 'nothing' },
    },
    {
      story: 'W-27 a Mac that went away a moment ago rolls nothing yet',
      of: deployment(HASH),
      nodes: [A, node('b', { ready: 'False', agoMs: 20_000 })],
      is: { do: 'wait', afterMs: 40_000 },
    },
    {
      story: 'W-27 a fleet without a ready Mac rolls nothing',
      of: deployment(HASH),
      nodes: [node('a', { ready: 'False' })],
      is: { do: 'nothing' },
    },
    {
      story: 'a Deployment that selects no Nodes is not for Macs',
      of: deployment(undefined, {}, null),
      nodes: [A],
      is: { do: 'nothing' },
    },
  ];
  for (const { story, of, nodes, is } of rows) it(story, () => assert.deepEqual(plan(of, nodes), is));
});
