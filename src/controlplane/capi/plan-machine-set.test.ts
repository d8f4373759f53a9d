import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Condition } from '../../kube/types/meta.ts';
import { CORE_ANNOTATIONS, type DeletionOrder, type Machine } from './machine-kinds.ts';
import { countReplicas, planMachineSet } from './plan-machine-set.ts';

const AT = '2026-01-01T00:00:00Z';
const isTrue = (type: string): Condition => ({
  type,
  status: 'True',
  reason: type,
  message: '',
  lastTransitionTime: AT,
});

const isFalse = (type: string): Condition => ({ ...isTrue(type), status: 'False' });

interface Traits {
  readonly node?: 'ready' | 'sick';
  readonly marked?: true;
  readonly deleting?: true;
  readonly unhealthy?: true;
  readonly born?: string;
}

const machine = (name: string, { node, marked, deleting, unhealthy, born = AT }: Traits = {}): Machine => ({
  metadata: {
    name,
    creationTimestamp: born,
    ...(marked && { annotations: { [CORE_ANNOTATIONS.deleteMachine]: '' } }),
    ...(deleting && { deletionTimestamp: AT }),
  },
  spec: { clusterName: 'c', bootstrap: {}, infrastructureRef: { apiGroup: 'g', kind: 'K', name } },
  ...(unhealthy && { status: { conditions: ['HealthCheckSucceeded', 'OwnerRemediated'].map(isFalse) } }),
  ...(node && {
    status: {
      nodeRef: { name },
      conditions: node === 'ready' ? ['Ready', 'Available', 'NodeHealthy', 'UpToDate'].map(isTrue) : [],
    },
  }),
});

const rows: readonly {
  readonly story: string;
  readonly replicas: number;
  readonly machines: readonly Machine[];
  readonly order?: DeletionOrder;
  readonly expected: string;
}[] = [
  { story: 'none yet', replicas: 3, machines: [], expected: '+3' },
  {
    story: 'one whose replacement was asked for goes, and is made anew in the next pass',
    replicas: 2,
    machines: [machine('a', { node: 'ready' }), machine('b', { unhealthy: true })],
    expected: '+0 -b',
  },
  { story: 'enough', replicas: 1, machines: [machine('a')], expected: '+0' },
  {
    story: 'one on its way out is replaced',
    replicas: 2,
    machines: [machine('a'), machine('b', { deleting: true })],
    expected: '+1',
  },
  {
    story: 'one on its way out is no surplus',
    replicas: 1,
    machines: [machine('a'), machine('b', { deleting: true })],
    expected: '+0',
  },
  {
    story: 'without a Node goes before with one',
    replicas: 1,
    machines: [machine('a', { node: 'ready' }), machine('b')],
    expected: '+0 -b',
  },
  {
    story: 'sick goes before ready',
    replicas: 1,
    machines: [machine('a', { node: 'sick' }), machine('b', { node: 'ready' })],
    expected: '+0 -a',
  },
  {
    story: 'marked goes before all others',
    replicas: 2,
    machines: [machine('a'), machine('b', { node: 'ready', marked: true }), machine('c', { node: 'sick' })],
    expected: '+0 -b',
  },
  {
    story: 'among equals the newest, if that is the order',
    replicas: 1,
    order: 'Newest',
    machines: [machine('a', { node: 'ready', born: '2026-01-02T00:00:00Z' }), machine('b', { node: 'ready' })],
    expected: '+0 -a',
  },
  {
    story: 'or the oldest',
    replicas: 1,
    order: 'Oldest',
    machines: [machine('a', { node: 'ready', born: '2026-01-02T00:00:00Z' }), machine('b', { node: 'ready' })],
    expected: '+0 -b',
  },
  {
    story: 'in no order: by name',
    replicas: 1,
    machines: [machine('b'), machine('a'), machine('c')],
    expected: '+0 -a -b',
  },
  { story: 'to nothing', replicas: 0, machines: [machine('a', { node: 'ready' })], expected: '+0 -a' },
];

describe('a set and its Machines', () => {
  for (const { story, replicas, machines, order, expected } of rows) {
    it(`${story}: ${expected}`, () => {
      const { create, remove } = planMachineSet(replicas, machines, order);
      assert.equal([`+${create}`, ...remove.map(({ metadata }) => `-${metadata.name}`)].join(' '), expected);
    });
  }

  it('counts a Machine on its way out as a replica, but neither as ready nor as available; up to date is who says so', () => {
    const machines = [machine('a', { node: 'ready' }), machine('b', { node: 'ready', deleting: true }), machine('c')];
    assert.deepEqual(countReplicas(machines), {
      replicas: 3,
      readyReplicas: 1,
      availableReplicas: 1,
      upToDateReplicas: 2,
    });
  });
});
