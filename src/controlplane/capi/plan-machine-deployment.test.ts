import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CORE_LABELS, type MachineDeployment, type MachineSet } from './machine-kinds.ts';
import { hashTemplate } from './machine-set-template.ts';
import { findUnsupported, planMachineDeployment, sumReplicas } from './plan-machine-deployment.ts';
import { renderDeployment } from './testing/fleet-objects.ts';

const deploymentOf = (replicas: number): MachineDeployment => {
  const deployment = renderDeployment(replicas);
  return { ...deployment, metadata: { ...deployment.metadata, uid: 'uid-d' } };
};

/** `new 2/1`: wants two Machines, one is available. */
const setOf = (text: string): MachineSet => {
  const [name = '', counts = ''] = text.split(' ');
  const [replicas = 0, availableReplicas = 0] = counts.split('/').map(Number);
  const hash = name === 'new' ? hashTemplate(deploymentOf(3)) : name;
  return {
    metadata: { name, labels: { [CORE_LABELS.templateHash]: hash } },
    spec: { ...renderDeployment(replicas).spec },
    status: { replicas, availableReplicas },
  };
};

const rows: readonly {
  readonly story: string;
  readonly replicas: number;
  readonly sets: readonly string[];
  readonly expected: string;
}[] = [
  { story: 'a first set', replicas: 3, sets: [], expected: 'create 3' },
  { story: 'nothing to do', replicas: 3, sets: ['new 3/0'], expected: '' },
  { story: 'growing', replicas: 5, sets: ['new 3/3'], expected: 'new→5' },
  { story: 'shrinking', replicas: 1, sets: ['new 3/3'], expected: 'new→1' },
  { story: 'another template starts with one more than wanted', replicas: 3, sets: ['old 3/3'], expected: 'create 1' },
  { story: 'it waits for the new Machine', replicas: 3, sets: ['new 1/0', 'old 3/3'], expected: '' },
  { story: 'then an old one goes', replicas: 3, sets: ['new 1/1', 'old 3/3'], expected: 'old→2' },
  { story: 'and makes room for the next', replicas: 3, sets: ['new 1/1', 'old 2/2'], expected: 'new→2' },
  { story: 'a new one that is not available holds all up', replicas: 3, sets: ['new 1/0', 'old 3/1'], expected: '' },
  {
    story: 'old ones that are not available go first',
    replicas: 3,
    sets: ['new 1/1', 'a 1/1', 'b 2/1'],
    expected: 'b→1',
  },
  { story: 'the last old one goes', replicas: 3, sets: ['new 3/3', 'old 1/1'], expected: 'old→0' },
  { story: 'an empty old set is deleted', replicas: 3, sets: ['new 3/3', 'old 0/0'], expected: 'delete old' },
  { story: 'a new set already begun keeps its Machines', replicas: 3, sets: ['new 2/2', 'old 3/3'], expected: 'old→1' },
];

describe('a deployment and its sets', () => {
  for (const { story, replicas, sets, expected } of rows) {
    it(`${story}: ${expected || 'rest'}`, () => {
      const plan = planMachineDeployment(deploymentOf(replicas), sets.map(setOf));
      const told = [
        ...(plan.create === undefined ? [] : [`create ${plan.create.spec.replicas}`]),
        ...plan.scale.map(({ set, replicas: wanted }) => `${set.metadata.name}→${wanted}`),
        ...plan.remove.map(({ metadata }) => `delete ${metadata.name}`),
      ];
      assert.equal(told.join(', '), expected);
    });
  }

  it('knows a template again whatever the order of its fields, and tells another one apart', () => {
    const { spec, ...rest } = deploymentOf(3);
    const { infrastructureRef, bootstrap, ...others } = spec.template.spec;
    const turned = { ...rest, spec: { ...spec, template: { spec: { infrastructureRef, ...others, bootstrap } } } };
    assert.equal(hashTemplate(turned), hashTemplate(deploymentOf(3)));
    assert.notEqual(hashTemplate(renderDeployment(3, 'other')), hashTemplate(deploymentOf(3)));
  });

  it('names its set after the template and labels the Machines as its own', () => {
    const created = planMachineDeployment(deploymentOf(3), []).create;
    const hash = hashTemplate(deploymentOf(3));
    assert.equal(created?.metadata.name, `macs-${hash}`);
    const own = { pool: 'macs', 'cluster.x-k8s.io/deployment-name': 'macs', 'machine-template-hash': hash };
    assert.deepEqual(created?.spec.selector.matchLabels, own);
    assert.deepEqual(created?.spec.template.metadata?.labels, {
      ...own,
      'node-restriction.kubernetes.io/macfleet-fleet': 'demo',
    });
    assert.equal(created?.metadata.ownerReferences?.[0]?.uid, 'uid-d');
  });

  it('counts the Machines of all its sets', () => {
    const withCounts = (name: string, upToDateReplicas: number): MachineSet => ({
      ...setOf(`${name} 2/1`),
      status: { replicas: 2, readyReplicas: 1, availableReplicas: 1, upToDateReplicas },
    });
    assert.deepEqual(sumReplicas([withCounts('new', 2), withCounts('old', 0)]), {
      replicas: 4,
      readyReplicas: 2,
      availableReplicas: 2,
      upToDateReplicas: 2,
    });
  });

  const onDelete = (replicas: number): MachineDeployment => {
    const deployment = deploymentOf(replicas);
    return { ...deployment, spec: { ...deployment.spec, rollout: { strategy: { type: 'OnDelete' } } } };
  };
  const deletions: readonly (readonly [string, readonly string[], Readonly<Record<string, number>>, string])[] = [
    ['a new template replaces nobody', ['old 3/3'], { old: 3 }, 'create 0'],
    [
      'a Machine that somebody deleted comes back in the present set',
      ['new 0/0', 'old 3/3'],
      { old: 2 },
      'new→1, old→2',
    ],
    ['and so does the last', ['new 2/2', 'old 1/1'], { old: 0 }, 'new→3, old→0'],
    ['a smaller wish takes from the old', ['new 1/1', 'old 3/3'], { old: 3 }, 'new→0'],
  ];
  for (const [story, sets, living, expected] of deletions) {
    it(`on delete: ${story}`, () => {
      const plan = planMachineDeployment(onDelete(3), sets.map(setOf), ({ metadata }) => living[metadata.name] ?? 0);
      const told = [
        ...(plan.create === undefined ? [] : [`create ${plan.create.spec.replicas}`]),
        ...plan.scale.map(({ set, replicas }) => `${set.metadata.name}→${replicas}`),
      ];
      assert.equal(told.join(', '), expected);
    });
  }

  it('passes labels and rules of deletion on to the present set, without another one', () => {
    const deployment = deploymentOf(3);
    const current = planMachineDeployment(deployment, []).create;
    assert.ok(current);
    assert.equal(planMachineDeployment(deployment, [current]).sync, undefined);
    const template = { ...deployment.spec.template, metadata: { labels: { pool: 'macs', more: 'yes' } } };
    const changed = { ...deployment, spec: { ...deployment.spec, template, deletion: { order: 'Oldest' as const } } };
    const { create, sync } = planMachineDeployment(changed, [current]);
    assert.equal(create, undefined);
    assert.equal(sync?.spec.template?.metadata?.labels?.['more'], 'yes');
    assert.deepEqual(sync?.spec.deletion, { order: 'Oldest' });
  });

  it('names what it does not honour', () => {
    const deployment = deploymentOf(1);
    const asking = { ...deployment, spec: { ...deployment.spec, rollout: { after: '2026-01-01T00:00:00Z' } } };
    assert.deepEqual(findUnsupported(asking), ['spec.rollout.after']);
    assert.deepEqual(findUnsupported(deployment), []);
  });
});
