import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CORE_LABELS, type MachineDeployment, type MachineSet } from './machine-kinds.ts';
import { hashTemplate, planMachineDeployment, sumReplicas } from './plan-machine-deployment.ts';
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
  { story: 'old ones that are not available go first', replicas: 3, sets: ['new 1/0', 'old 3/1'], expected: 'old→1' },
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
    const { infrastructureRef, bootstrap, clusterName } = spec.template.spec;
    const turned = { ...rest, spec: { ...spec, template: { spec: { infrastructureRef, clusterName, bootstrap } } } };
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

  it('counts only the Machines of the present template as up to date', () => {
    const withCounts = (name: string, upToDateReplicas: number): MachineSet => ({
      ...setOf(`${name} 2/1`),
      status: { replicas: 2, readyReplicas: 1, availableReplicas: 1, upToDateReplicas },
    });
    assert.deepEqual(sumReplicas(deploymentOf(3), [withCounts('new', 2), withCounts('old', 2)]), {
      replicas: 4,
      readyReplicas: 2,
      availableReplicas: 2,
      upToDateReplicas: 2,
    });
  });
});
