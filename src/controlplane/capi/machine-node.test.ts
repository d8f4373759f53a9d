import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Node } from '../../kube/types/core.ts';
import type { Machine } from './machine-kinds.ts';
import { describeHealth, planNodePatch } from './machine-node.ts';

const FLEET_LABEL = 'node-restriction.kubernetes.io/macfleet-fleet';

const machine = (labels: Readonly<Record<string, string>>): Machine => ({
  metadata: { namespace: 'ns', name: 'm', labels },
  spec: { clusterName: 'fleet', bootstrap: {}, infrastructureRef: { apiGroup: 'g', kind: 'K', name: 'm' } },
});
const TOLD = {
  'cluster.x-k8s.io/cluster-name': 'fleet',
  'cluster.x-k8s.io/cluster-namespace': 'ns',
  'cluster.x-k8s.io/machine': 'm',
};
const node = (labels: Readonly<Record<string, string>>, fromMachine?: string): Node => ({
  metadata: {
    name: 'n',
    uid: 'u',
    labels,
    annotations: fromMachine === undefined ? {} : { ...TOLD, 'cluster.x-k8s.io/labels-from-machine': fromMachine },
  },
});

describe('what a Node gets from its Machine', () => {
  const rows: readonly (readonly [string, Machine, Node, unknown])[] = [
    [
      'labels of the restricted domain and of those under it, and whose it is',
      machine({ [FLEET_LABEL]: 'x', 'a.node-restriction.kubernetes.io/b': 'y', 'other.io/c': 'z', plain: 'p' }),
      node({ own: '1' }),
      {
        uid: 'u',
        labels: { [FLEET_LABEL]: 'x', 'a.node-restriction.kubernetes.io/b': 'y' },
        annotations: {
          ...TOLD,
          'cluster.x-k8s.io/labels-from-machine': `a.node-restriction.kubernetes.io/b,${FLEET_LABEL}`,
        },
      },
    ],
    [
      'nothing when it has them',
      machine({ [FLEET_LABEL]: 'x' }),
      node({ [FLEET_LABEL]: 'x', own: '1' }, FLEET_LABEL),
      undefined,
    ],
    [
      'a changed value',
      machine({ [FLEET_LABEL]: 'y' }),
      node({ [FLEET_LABEL]: 'x' }, FLEET_LABEL),
      { uid: 'u', labels: { [FLEET_LABEL]: 'y' } },
    ],
    [
      'a label that the Machine lost goes, one that it never gave stays',
      machine({}),
      node({ [FLEET_LABEL]: 'x', 'node-restriction.kubernetes.io/own': '1' }, FLEET_LABEL),
      { uid: 'u', labels: { [FLEET_LABEL]: null }, annotations: { 'cluster.x-k8s.io/labels-from-machine': '' } },
    ],
    [
      'a list that somebody forged drops nothing outside the domain',
      machine({}),
      node({ 'kubernetes.io/os': 'darwin' }, 'kubernetes.io/os'),
      { uid: 'u', annotations: { 'cluster.x-k8s.io/labels-from-machine': '' } },
    ],
  ];
  for (const [story, from, to, expected] of rows) {
    it(story, () => assert.deepEqual(planNodePatch(from, to)?.metadata, expected));
  }
});

describe('the health of a Node', () => {
  const of = (conditions: Readonly<Record<string, 'True' | 'False' | 'Unknown'>>): Node => ({
    metadata: { name: 'n' },
    status: { conditions: Object.entries(conditions).map(([type, status]) => ({ type, status })) },
  });
  const WELL = { Ready: 'True', MemoryPressure: 'False', DiskPressure: 'False', PIDPressure: 'False' } as const;
  const rows: readonly (readonly [string, Node, string])[] = [
    ['all four are well', of(WELL), 'True NodeHealthy'],
    ['it is not ready', of({ ...WELL, Ready: 'False' }), 'False NodeNotHealthy Node.Ready is False'],
    ['its disk is full', of({ ...WELL, DiskPressure: 'True' }), 'False NodeNotHealthy Node.DiskPressure is True'],
    ['it is not heard of', of({ ...WELL, Ready: 'Unknown' }), 'Unknown NodeHealthUnknown Node.Ready is Unknown'],
    [
      'bad outweighs unknown',
      of({ ...WELL, Ready: 'Unknown', PIDPressure: 'True' }),
      'False NodeNotHealthy Node.PIDPressure is True',
    ],
    [
      'it said nothing yet',
      { metadata: { name: 'n' } },
      'Unknown NodeHealthUnknown Node.Ready is unreported; Node.MemoryPressure is unreported; Node.DiskPressure is unreported; Node.PIDPressure is unreported',
    ],
  ];
  for (const [story, subject, expected] of rows) {
    it(`${story}: ${expected}`, () => {
      const { status, reason, message } = describeHealth(subject);
      assert.equal([status, reason, message].filter((part) => part !== '').join(' '), expected);
    });
  }
});
