import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Node } from '../../../kube/types/core.ts';
import { readyNode } from '../testing/cluster.ts';
import { planPlacement } from './plan-placement.ts';
import type { SchedulablePod } from './schedulable.ts';

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

const requiresName = (operator: string, values: readonly string[]): Partial<SchedulablePod['spec']> => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator, values }] }],
      },
    },
  },
});
const asks = (requests: Readonly<Record<string, string>>): Partial<SchedulablePod['spec']> => ({
  containers: [{ name: 'c', resources: { requests } }],
});
const sized = (allocatable: Readonly<Record<string, string>>): Node => readyNode('a', { status: { allocatable } });

const NO_PREEMPTION = 'preemption: not supported by the embedded scheduler.';
const NOT_CHOSEN = `0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector. ${NO_PREEMPTION}`;
const REPELLED = `0/1 nodes are available: 1 node(s) had untolerated taint(s). ${NO_PREEMPTION}`;

const rows: readonly {
  readonly story: string;
  readonly spec?: Partial<SchedulablePod['spec']>;
  readonly nodes: readonly Node[];
  readonly podsOn?: Readonly<Record<string, number>>;
  /** On every Node; cpu in thousandths. */
  readonly used?: Readonly<Record<string, number>>;
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
    expected: `0/1 nodes are available: 1 Too many pods. ${NO_PREEMPTION}`,
  },
  {
    story: 'a Node that is not ready',
    nodes: [readyNode('a', { status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } })],
    expected: REPELLED,
  },
  {
    story: 'a cordoned Node',
    nodes: [readyNode('a', { spec: { unschedulable: true } })],
    expected: `0/1 nodes are available: 1 node(s) were unschedulable. ${NO_PREEMPTION}`,
  },
  {
    story: 'a Node on its way out',
    nodes: [readyNode('a', { metadata: { name: 'a', deletionTimestamp: '2026-01-01T00:00:00Z' } })],
    expected: `0/1 nodes are available: 1 node(s) were being deleted. ${NO_PREEMPTION}`,
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
    expected: `0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Too many pods. ${NO_PREEMPTION}`,
  },
  {
    story: 'a field that names the Node',
    spec: requiresName('In', ['b']),
    nodes: [readyNode('a'), readyNode('b')],
    expected: '→ b',
  },
  {
    story: 'affinity Gt, a larger number',
    spec: requires('Gt', ['3']),
    nodes: [labelled('a', { fleet: '10' })],
    expected: '→ a',
  },
  {
    story: 'affinity Lt, a text',
    spec: requires('Lt', ['3']),
    nodes: [labelled('a', { fleet: 'x' })],
    expected: NOT_CHOSEN,
  },
  {
    story: 'enough cpu left',
    spec: asks({ cpu: '1500m' }),
    nodes: [sized({ cpu: '2' })],
    used: { cpu: 500 },
    expected: '→ a',
  },
  {
    story: 'too little cpu and memory left',
    spec: asks({ cpu: '1500m', memory: '1Gi' }),
    nodes: [sized({ cpu: '2', memory: '1Gi' })],
    used: { cpu: 501, memory: 1 },
    expected: `0/1 nodes are available: 1 Insufficient cpu, 1 Insufficient memory. ${NO_PREEMPTION}`,
  },
  {
    story: 'a limit without a request counts as one',
    spec: { containers: [{ name: 'c', resources: { limits: { cpu: '3' } } }] },
    nodes: [sized({ cpu: '2' })],
    expected: `0/1 nodes are available: 1 Insufficient cpu. ${NO_PREEMPTION}`,
  },
  {
    story: 'a resource that no Node knows',
    spec: asks({ 'macfleet.dev/vm': '1' }),
    nodes: [readyNode('a')],
    expected: `0/1 nodes are available: 1 Insufficient macfleet.dev/vm. ${NO_PREEMPTION}`,
  },
  {
    story: 'an extended resource that is there',
    spec: asks({ 'macfleet.dev/vm': '1' }),
    nodes: [sized({ 'macfleet.dev/vm': '2' })],
    used: { 'macfleet.dev/vm': 1 },
    expected: '→ a',
  },
  {
    story: 'the hungriest init container counts, not the sum',
    spec: {
      initContainers: ['1', '2'].map((cpu) => ({ name: cpu, resources: { requests: { cpu } } })),
      containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }],
    },
    nodes: [sized({ cpu: '2' })],
    expected: '→ a',
  },
  {
    story: 'a sidecar counts beside the containers',
    spec: {
      initContainers: [{ name: 's', restartPolicy: 'Always', resources: { requests: { cpu: '1' } } }],
      containers: [{ name: 'c', resources: { requests: { cpu: '1500m' } } }],
    },
    nodes: [sized({ cpu: '2' })],
    expected: `0/1 nodes are available: 1 Insufficient cpu. ${NO_PREEMPTION}`,
  },
  {
    story: 'a cordoned Node that is tolerated',
    spec: { tolerations: [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' }] },
    nodes: [readyNode('a', { spec: { unschedulable: true } })],
    expected: '→ a',
  },
  {
    story: 'what is not supported is named',
    spec: {
      containers: [{ name: 'c', ports: [{ containerPort: 80, hostPort: 80 }] }],
      affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{}] } },
      topologySpreadConstraints: [{ whenUnsatisfiable: 'DoNotSchedule' }],
    },
    nodes: [readyNode('a')],
    expected:
      '0/1 nodes are available: the embedded scheduler does not support hostPort, pod anti-affinity, topology spread.',
  },
  {
    story: 'gates are somebody else’s',
    spec: { schedulingGates: [{ name: 'x/y' }] },
    nodes: [readyNode('a')],
    expected: 'Scheduling is blocked due to non-empty scheduling gates',
  },
];

describe('where a Pod goes', () => {
  for (const { story, spec, nodes, podsOn = {}, used = {}, expected } of rows) {
    it(`${story}: ${expected}`, () => {
      const placement = planPlacement(pod(spec), nodes, (name) => ({
        pods: podsOn[name] ?? 0,
        used: new Map(Object.entries(used)),
      }));
      assert.equal(placement.kind === 'bind' ? `→ ${placement.nodeName}` : placement.message, expected);
    });
  }
});
