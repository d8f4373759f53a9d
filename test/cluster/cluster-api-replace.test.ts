/**
 * A Machine that is replaced on the real Cluster API core, because core's own health check finds it ill or because our manager
 * does: its Mac is wiped, and another Machine takes its place.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createIds } from '../../src/base/ids.ts';
import { createSystemRandom } from '../../src/base/random.ts';
import { CLUSTER_API_LABELS, type Machine } from '../../src/kube/types/cluster-api.ts';
import type { Cluster } from './bench/cluster.ts';
import { installKinds, sharedCluster } from './bench.ts';
import { CLUSTER_NAME } from './cluster-api/fleet-objects.ts';
import { createLabFleets, type LabFleets, MAC_MS } from './cluster-api/lab-fleets.ts';
import { type LabScene, openLab } from './cluster-api/lab-scene.ts';
import { skipWithoutLab } from './cluster-api/mac-lab.ts';
import { createStory } from './cluster-api/story.ts';
import { conditionOf } from './cluster-api/view.ts';

describe('a Machine that is ill', { timeout: 240_000, skip: skipWithoutLab() }, () => {
  const { step, play } = createStory();
  let cluster: Cluster;
  let scene: LabScene;
  let fleets: LabFleets;
  before(async () => {
    cluster = await sharedCluster('cluster-api');
    await installKinds(cluster);
    scene = await openLab(cluster, { macs: 2, fleets: ['builders'] });
    fleets = createLabFleets(scene);
  });
  after(async () => {
    await scene?.stop();
    await cluster?.stop();
  });

  /** Both conditions stand on the Machine until it is gone. */
  const untilAsked = ({ metadata }: Machine) =>
    scene.view.until('core is asked to replace it', () => {
      const found = scene.view.machines.get(`${scene.namespace}/${metadata.name}`);
      const asked = ['HealthCheckSucceeded', 'OwnerRemediated'].map((type) => found && conditionOf(found, type));
      return asked.every((condition) => condition?.status === 'False') ? asked : undefined;
    });
  const untilReplaced = async ({ machine, host }: ReturnType<LabFleets['pairOf']>): Promise<void> => {
    const { view, namespace } = scene;
    const { name } = machine.metadata;
    await view.until('Machine, machine and Node are gone', () => {
      const key = `${namespace}/${name}`;
      return ![view.machines.get(key), view.infraMachines.get(key), view.nodes.get(name)].some(Boolean);
    });
    await view.until('another is up', () => fleets.upOf('builders').length === 1, MAC_MS);
    // Its successor may have taken it in the same moment as it became free.
    await view.until('the Mac was wiped once, and is free or another took it', () => {
      const now = view.hosts.get(host.metadata.name);
      const isWiped = now?.spec.wipes === host.spec.wipes + 1;
      return (
        isWiped && (now.spec.claimRef === undefined ? now.status?.state === 'free' : now.spec.claimRef.name !== name)
      );
    });
  };

  step('is one of builders, which is Available alone (004-6)', async () => {
    await fleets.wish('builders');
    await fleets.untilAvailable(['builders']);
  });

  step("by core's own MachineHealthCheck is replaced, and its Mac is wiped", async () => {
    const { namespace } = scene;
    const pair = fleets.pairOf('builders');
    await scene.apply([
      {
        apiVersion: 'cluster.x-k8s.io/v1beta2',
        kind: 'MachineHealthCheck',
        metadata: { namespace, name: 'broken' },
        spec: {
          clusterName: CLUSTER_NAME,
          selector: { matchLabels: { [CLUSTER_API_LABELS.clusterName]: CLUSTER_NAME } },
          checks: { unhealthyNodeConditions: [{ type: 'Ready', status: 'Unknown', timeoutSeconds: 300 }] },
        },
      },
    ]);
    // What a person does who does not want to wait for the five minutes.
    await scene.kubectl('annotate', 'machine', pair.machine.metadata.name, 'cluster.x-k8s.io/remediate-machine=');
    const asked = await untilAsked(pair.machine);
    assert.equal(asked[0]?.reason, 'HasRemediateAnnotation');
    await untilReplaced(pair);
  });

  step('by our manager, because its Mac was given back under it, is replaced in the same way (R22)', async () => {
    const pair = fleets.pairOf('builders');
    const release = { intentID: createIds(createSystemRandom()).uuid(), reason: 'Investigating', by: 'ann' };
    const patch = JSON.stringify({ spec: { release } });
    await scene.kubectl('patch', 'machost', pair.host.metadata.name, '--type=merge', '-p', patch);
    const asked = await untilAsked(pair.machine);
    assert.match(asked.map((condition) => condition?.message).join(), /The Mac was given back/);
    await untilReplaced(pair);
  });

  it('makes room for another', (t) => play((name, run) => t.test(name, run)));
});
