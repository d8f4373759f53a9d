import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Node } from '../../kube/types/core.ts';
import { planPlacement } from './plan-placement.ts';
import type { SchedulablePod } from './schedulable.ts';
import { readyNode } from './testing/cluster.ts';

const pod = (spec: Partial<SchedulablePod['spec']> = {}): SchedulablePod => ({
  metadata: { namespace: 'ns', name: 'p' },
  spec: { containers: [], ...spec },
});

const labelled = (name: string, labels: Readonly<Record<string, string>>): Node =>
  readyNode(name, { metadata: { name, labels } });
const tainted = (effect: 'NoSchedule' | 'PreferNoSchedule'): Node =>
  readyNode('a', { spec: { taints: [{ key: 'mac', value: 'true', effect }] } });
const requires = (operator: string, values?: readonly string[]): Partial<SchedulablePod['spec']> => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'fleet', operator, ...(values && { values }) }] }],
      },
    },
  },
});

const NOT_CHOSEN = "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.";
const REPELLED = '0/1 nodes are available: 1 node(s) had untolerated taint {mac: true}.';

const rows: readonly {
  readonly story: string;
  readonly spec?: Partial<SchedulablePod['spec']>;
  readonly nodes: readonly Node[];
  readonly podsOn?: Readonly<Record<string, number>>;
  readonly expected: string;
}[] = [
  { story: 'no Node at all', nodes: [], expected: 'no nodes available to schedule pods' },
  { story: 'a ready Node', nodes: [readyNode('a')], expected: '→ a' },
  { story: 'equal Nodes: the first by name', nodes: [readyNode('b'), readyNode('a')], expected: '→ a' },
  { story: 'the emptier of two', nodes: [readyNode('a'), readyNode('b')], podsOn: { a: 1 }, expected: '→ b' },
  {
    story: 'every place taken',
    nodes: [readyNode('a')],
    podsOn: { a: 2 },
    expected: '0/1 nodes are available: 1 Too many pods.',
  },
  {
    story: 'a Node that is not ready',
    nodes: [readyNode('a', { status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } })],
    expected: '0/1 nodes are available: 1 node(s) were not ready.',
  },
  {
    story: 'a cordoned Node',
    nodes: [readyNode('a', { spec: { unschedulable: true } })],
    expected: '0/1 nodes are available: 1 node(s) were unschedulable.',
  },
  {
    story: 'a Node on its way out',
    nodes: [readyNode('a', { metadata: { name: 'a', deletionTimestamp: '2026-01-01T00:00:00Z' } })],
    expected: '0/1 nodes are available: 1 node(s) were being deleted.',
  },
  {
    story: 'a selector that matches',
    spec: { nodeSelector: { os: 'darwin' } },
    nodes: [labelled('a', { os: 'darwin' })],
    expected: '→ a',
  },
  {
    story: 'a selector that does not',
    spec: { nodeSelector: { os: 'darwin' } },
    nodes: [labelled('a', { os: 'linux' })],
    expected: NOT_CHOSEN,
  },
  {
    story: 'affinity In, value there',
    spec: requires('In', ['x']),
    nodes: [labelled('a', { fleet: 'x' })],
    expected: '→ a',
  },
  {
    story: 'affinity In, other value',
    spec: requires('In', ['x']),
    nodes: [labelled('a', { fleet: 'y' })],
    expected: NOT_CHOSEN,
  },
  {
    story: 'affinity NotIn, other value',
    spec: requires('NotIn', ['x']),
    nodes: [labelled('a', { fleet: 'y' })],
    expected: '→ a',
  },
  {
    story: 'affinity NotIn, value there',
    spec: requires('NotIn', ['x']),
    nodes: [labelled('a', { fleet: 'x' })],
    expected: NOT_CHOSEN,
  },
  {
    story: 'affinity Exists, label there',
    spec: requires('Exists'),
    nodes: [labelled('a', { fleet: '' })],
    expected: '→ a',
  },
  { story: 'affinity Exists, label missing', spec: requires('Exists'), nodes: [readyNode('a')], expected: NOT_CHOSEN },
  {
    story: 'affinity DoesNotExist, label there',
    spec: requires('DoesNotExist'),
    nodes: [labelled('a', { fleet: '' })],
    expected: NOT_CHOSEN,
  },
  {
    story: 'an operator nobody knows',
    spec: requires('Near'),
    nodes: [labelled('a', { fleet: 'x' })],
    expected: NOT_CHOSEN,
  },
  { story: 'a taint not tolerated', nodes: [tainted('NoSchedule')], expected: REPELLED },
  { story: 'a taint that is only a wish', nodes: [tainted('PreferNoSchedule')], expected: '→ a' },
  {
    story: 'tolerated by key',
    spec: { tolerations: [{ key: 'mac', operator: 'Exists' }] },
    nodes: [tainted('NoSchedule')],
    expected: '→ a',
  },
  {
    story: 'tolerated by value',
    spec: { tolerations: [{ key: 'mac', value: 'true' }] },
    nodes: [tainted('NoSchedule')],
    expected: '→ a',
  },
  {
    story: 'another value tolerated',
    spec: { tolerations: [{ key: 'mac', value: 'no' }] },
    nodes: [tainted('NoSchedule')],
    expected: REPELLED,
  },
  {
    story: 'another effect tolerated',
    spec: { tolerations: [{ operator: 'Exists', effect: 'NoExecute' }] },
    nodes: [tainted('NoSchedule')],
    expected: REPELLED,
  },
  {
    story: 'everything tolerated',
    spec: { tolerations: [{ operator: 'Exists' }] },
    nodes: [tainted('NoSchedule')],
    expected: '→ a',
  },
  {
    story: 'several reasons are counted and sorted',
    nodes: [tainted('NoSchedule'), readyNode('b'), readyNode('c')],
    podsOn: { b: 2, c: 2 },
    expected: '0/3 nodes are available: 1 node(s) had untolerated taint {mac: true}, 2 Too many pods.',
  },
];

describe('where a Pod goes', () => {
  for (const { story, spec, nodes, podsOn = {}, expected } of rows) {
    it(`${story}: ${expected}`, () => {
      const placement = planPlacement(pod(spec), nodes, (name) => podsOn[name] ?? 0);
      assert.equal(placement.kind === 'bind' ? `→ ${placement.nodeName}` : placement.message, expected);
    });
  }
});
