import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Node } from '../../kube/types/core.ts';
import type { Machine } from './machine-kinds.ts';
import { describeHealth, describeRevision, isAnothers } from './machine-node.ts';
import { planNodePatch } from './node-sync.ts';

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
const NO_ANNOTATIONS = { 'cluster.x-k8s.io/annotations-from-machine': '' };
const node = (labels: Readonly<Record<string, string>>, fromMachine?: string): Node => ({
  metadata: {
    name: 'n',
    uid: 'u',
    labels,
    annotations:
      fromMachine === undefined
        ? {}
        : { ...TOLD, ...NO_ANNOTATIONS, 'cluster.x-k8s.io/labels-from-machine': fromMachine },
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
          ...NO_ANNOTATIONS,
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

describe('a Node that two Machines find by one providerID', () => {
  const bound = (name: string, providerID: string): Machine => {
    const { metadata, spec } = machine({});
    return { metadata: { ...metadata, name }, spec: { ...spec, providerID } };
  };
  const marked = node({}, '');
  const gone = { ...bound('m', 'x://1'), metadata: { ...bound('m', 'x://1').metadata, deletionTimestamp: 'now' } };
  const rows: readonly (readonly [string, Machine | undefined, string, boolean])[] = [
    ['stays the one’s that marked it first', bound('m', 'x://1'), 'second', true],
    ['is its own', bound('m', 'x://1'), 'm', false],
    ['goes to the other when the first is gone', undefined, 'second', false],
    ['or on its way out', gone, 'second', false],
    ['or has another by now', bound('m', 'x://2'), 'second', false],
  ];
  for (const [story, first, asking, expected] of rows) {
    it(story, () =>
      assert.equal(isAnothers({ machines: { get: () => first } }, bound(asking, 'x://1'), marked), expected),
    );
  }
});

describe('the taints of a Node', () => {
  const tainted = (...keys: readonly string[]): Node => ({
    ...node({}, ''),
    spec: { taints: keys.map((key) => ({ key, effect: 'NoSchedule' })) },
  });
  const rows: readonly (readonly [string, Node, 'current' | 'outdated', readonly string[] | undefined])[] = [
    [
      'uninitialized goes once labels are in line',
      tainted('mac', 'node.cluster.x-k8s.io/uninitialized'),
      'current',
      ['mac'],
    ],
    ['others stay', tainted('mac'), 'current', undefined],
    ['an older revision is marked', tainted('mac'), 'outdated', ['mac', 'node.cluster.x-k8s.io/outdated-revision']],
    ['a mark that is there stays', tainted('node.cluster.x-k8s.io/outdated-revision'), 'outdated', undefined],
    ['it goes with the rollback', tainted('node.cluster.x-k8s.io/outdated-revision'), 'current', []],
  ];
  for (const [story, to, revision, expected] of rows) {
    it(story, () => {
      const patch = planNodePatch(machine({}), to, revision);
      const taints =
        patch?.spec === undefined ? undefined : (patch.spec as { taints: readonly { key: string }[] }).taints;
      assert.deepEqual(
        taints?.map(({ key }) => key),
        expected,
      );
    });
  }
});

describe('a Machine of the present template', () => {
  const nodeInfo = (kubeletVersion: string): object => ({ status: { nodeInfo: { kubeletVersion } } });
  const rows: readonly (readonly [string, object, string, string])[] = [
    ['is up to date before it has a Node', {}, 'v1', 'True UpToDate'],
    ['is up to date with a Node of its version', nodeInfo('v1'), 'v1', 'True UpToDate'],
    ['is on its way with a Node of another version', nodeInfo('v0'), 'v1', 'False Updating'],
    ['that names no version never gets there', nodeInfo('v1'), '', 'False Updating'],
  ];
  for (const [story, found, version, expected] of rows) {
    it(story, () => {
      const plain = machine({});
      const asked = { ...plain, ...found, spec: { ...plain.spec, ...(version !== '' && { version }) } };
      const { status, reason } = describeRevision('current', asked);
      assert.equal(`${status} ${reason}`, expected);
    });
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
    ['it is not ready', of({ ...WELL, Ready: 'False' }), 'False NodeNotHealthy * Node.Ready: Condition is False'],
    [
      'its disk is full',
      of({ ...WELL, DiskPressure: 'True' }),
      'False NodeNotHealthy * Node.DiskPressure: Condition is True',
    ],
    [
      'it is not heard of',
      of({ ...WELL, Ready: 'Unknown' }),
      'Unknown NodeHealthyUnknown * Node.Ready: Condition is Unknown',
    ],
    [
      'bad outweighs unknown',
      of({ ...WELL, Ready: 'Unknown', PIDPressure: 'True' }),
      'False NodeNotHealthy * Node.PIDPressure: Condition is True',
    ],
    [
      'it said nothing yet',
      { metadata: { name: 'n' } },
      `Unknown NodeHealthyUnknown ${['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => `* Node.${type}: Condition not yet reported`).join('\n')}`,
    ],
  ];
  for (const [story, subject, expected] of rows) {
    it(`${story}: ${expected}`, () => {
      const { status, reason, message } = describeHealth(subject);
      assert.equal([status, reason, message].filter((part) => part !== '').join(' '), expected);
    });
  }
});
