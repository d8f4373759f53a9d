/** The life of one fleet on the real Cluster API core: from a MachineDeployment to Nodes that run Jobs, and back. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { SCRIPT_ANNOTATION } from '../../src/sim/node/pod-script.ts';
import type { Cluster } from './bench/cluster.ts';
import { installKinds, sharedCluster } from './bench.ts';
import { CLUSTER_NAME, NODE_MARKS, renderDeployment, renderJob } from './cluster-api/fleet-objects.ts';
import { type FleetScene, openFleet } from './cluster-api/fleet-scene.ts';
import { createStory } from './cluster-api/story.ts';
import { isTrue, isUp } from './cluster-api/view.ts';

describe('a fleet on the real Cluster API', { timeout: 240_000 }, () => {
  const { step, play } = createStory();
  let cluster: Cluster;
  let fleet: FleetScene;
  before(async () => {
    cluster = await sharedCluster('cluster-api');
    await installKinds(cluster);
    fleet = await openFleet(cluster, { macs: 3 });
  });
  after(async () => {
    await fleet?.stop();
    await cluster?.stop();
  });

  step('has a Cluster that core finds provisioned, initialized, available and reachable', async () => {
    const { view } = fleet;
    const cluster = await view.until('all four conditions are True', () =>
      view.clusters
        .list()
        .find((found) =>
          ['InfrastructureReady', 'ControlPlaneInitialized', 'ControlPlaneAvailable', 'RemoteConnectionProbe'].every(
            (type) => isTrue(found, type),
          ),
        ),
    );
    assert.deepEqual(cluster.status?.initialization, {
      infrastructureProvisioned: true,
      controlPlaneInitialized: true,
    });
    for (const shell of [...view.infraClusters.list(), ...view.controlPlanes.list()]) {
      const [owner] = shell.metadata.ownerReferences ?? [];
      assert.deepEqual([owner?.kind, owner?.uid, owner?.controller], ['Cluster', cluster.metadata.uid, undefined]);
    }
  });

  step(
    'gets a machine of ours cloned from the template for each Machine, by the version that the contract label names',
    async () => {
      const { view, namespace } = fleet;
      await fleet.apply(renderDeployment(namespace, 1));
      const first = await view.until('a machine was cloned', () => view.infraMachines.list()[0]);
      assert.deepEqual(
        first.metadata.ownerReferences?.map(({ kind, controller }) => [kind, controller]),
        [['MachineSet', undefined]],
        'core clones before it creates the Machine',
      );
      const machine = await view.until('the Machine exists', () => view.machines.list()[0]);
      const infra = await view.until('the clone belongs to it', () =>
        view.infraMachines.list().find(({ metadata }) => metadata.ownerReferences?.[0]?.kind === 'Machine'),
      );
      const { labels, annotations, ownerReferences } = infra.metadata;
      assert.equal(infra.metadata.name, machine.metadata.name);
      const [owner, ...others] = ownerReferences ?? [];
      assert.deepEqual(
        [owner?.kind, owner?.uid, owner?.controller, others],
        ['Machine', machine.metadata.uid, true, []],
      );
      assert.equal(labels?.['cluster.x-k8s.io/cluster-name'], CLUSTER_NAME);
      assert.equal(labels?.['cluster.x-k8s.io/deployment-name'], namespace);
      assert.equal(annotations?.['cluster.x-k8s.io/cloned-from-name'], namespace);
      assert.equal(
        annotations?.['cluster.x-k8s.io/cloned-from-groupkind'],
        'ScalewayAppleSiliconMachineTemplate.infrastructure.cluster.x-k8s.io',
      );
      assert.equal(infra.spec.fleetName, namespace);
    },
  );

  step('runs: the Machine is bound to the Node of its Mac, which joined by its own certificate', async () => {
    const { view, approver, managerLog } = fleet;
    const machine = await view.until('the Machine runs and is ready', () => view.machines.list().find(isUp));
    const { name } = machine.metadata;
    const node = view.nodes.get(name);
    const [host] = view.macs().filter(({ spec }) => spec.claimRef?.name === name);
    assert.equal(machine.status?.nodeRef?.name, name);
    assert.equal(node?.spec?.providerID, `scw-applesilicon://fr-par-1/${host?.metadata.name}`);
    assert.equal(machine.spec.providerID, node?.spec?.providerID);
    assert.deepEqual(
      ['NodeReady', 'NodeHealthy', 'InfrastructureReady', 'BootstrapConfigReady'].filter(
        (type) => !isTrue(machine, type),
      ),
      [],
    );
    assert.deepEqual(approver.approved, [name]);
    const asManager = ['auth', 'can-i', 'create', 'nodes', `--as=${fleet.namespace}-manager`];
    assert.match((await cluster.kubectl(asManager)).stdout, /^no/, 'nobody but the Node itself could have created it');
    const problems = managerLog().filter(({ level }) => level === 'error');
    assert.deepEqual(problems, []);
  });

  step(
    'has Nodes that carry what core copies from the Machine: the fleet that a Node cannot give itself, and a taint',
    async () => {
      const { view, namespace } = fleet;
      const { label, taint } = NODE_MARKS;
      const node = await view.until('core has marked the Node', () =>
        view.nodes.list().find(({ metadata, spec }) => {
          const isOurs = metadata.labels?.['node-restriction.kubernetes.io/macfleet-fleet'] === namespace;
          return isOurs && spec?.taints?.some(({ key }) => key === taint.key);
        }),
      );
      assert.equal(node.metadata.labels?.[label.key], label.value);
      assert.deepEqual(node.spec?.taints?.map(({ key, effect }) => `${key}:${effect}`).sort(), [
        'example.com/new:PreferNoSchedule',
        'tuist.dev/macos:NoSchedule',
      ]);
      assert.equal(node.metadata.annotations?.['cluster.x-k8s.io/cluster-namespace'], namespace);
    },
  );

  step('is Available, as a whole and to core', async () => {
    const { view } = fleet;
    await view.until('MachineDeployment and Cluster are Available, and its Mac is well', () => {
      const all = [...view.deployments.list(), ...view.clusters.list()];
      const joined = view.macs().filter(({ status }) => status?.state === 'joined');
      return all.every((object) => isTrue(object, 'Available')) && joined.some((host) => isTrue(host, 'Ready'));
    });
    // Core writes its conditions first, and what it counted in a request of its own.
    await view.until('its MachineDeployment counts one Mac that is ready, available and up to date', () => {
      const [deployment] = view.deployments.list();
      const { replicas, readyReplicas, availableReplicas, upToDateReplicas } = deployment?.status ?? {};
      return [replicas, readyReplicas, availableReplicas, upToDateReplicas].every((count) => count === 1);
    });
  });

  step('reads well in clusterctl describe: our kinds stand in the tree, and nothing is wrong', async () => {
    const { view, namespace } = fleet;
    await view.until('the Machine is up to date', () =>
      view.machines.list().every((found) => isTrue(found, 'UpToDate')),
    );
    const args = [
      'describe',
      'cluster',
      CLUSTER_NAME,
      '--namespace',
      namespace,
      '--show-conditions',
      'all',
      '--color=false',
    ];
    const { code, stdout, stderr } = await cluster.run('clusterctl', [...args, '--echo', '--grouping=false']);
    assert.equal(code, 0, stderr);
    const shown = (kind: string, name: string): boolean => new RegExp(`${kind} ${namespace}/${name}`).test(stdout);
    const missing = [
      ['Cluster', CLUSTER_NAME],
      ['ScalewayAppleSiliconCluster', CLUSTER_NAME],
      ['ScalewayAppleSiliconControlPlane', CLUSTER_NAME],
      ['ScalewayAppleSiliconMachine', namespace],
    ].filter(([kind = '', name = '']) => !shown(kind, name));
    assert.deepEqual(missing, [], stdout);
    assert.match(stdout, /Provisioned +True +Provisioned/);
    const negative = /Paused|Deleting|Updating|RollingOut|Remediating|Scaling(Up|Down)/;
    const wrong = stdout.split('\n').filter((line) => /\bFalse\b|\bUnknown\b/.test(line) && !negative.test(line));
    assert.deepEqual(wrong, []);
  });

  step('runs a Job: scheduled by the real scheduler, ended by the agent, counted by the real controller', async () => {
    const { view, namespace } = fleet;
    await fleet.apply([renderJob(namespace, { startMs: 50, runMs: 300 })]);
    const pod = await view.until('the Pod succeeded', () =>
      view.pods.list().find(({ status }) => status?.phase === 'Succeeded'),
    );
    assert.equal(pod.spec.nodeName, view.machines.list()[0]?.metadata.name);
    assert.match(pod.metadata.annotations?.[SCRIPT_ANNOTATION] ?? '', /runMs/);
    const waited = await cluster.kubectl([
      'wait',
      'job/hello',
      '-n',
      namespace,
      '--for=condition=Complete',
      '--timeout=20s',
    ]);
    assert.equal(waited.code, 0, waited.stderr);
  });

  step(
    '002-2 grows, and shrinks by the Machine that was marked for it: its Node goes, its Mac is wiped, renamed and free again',
    async () => {
      const { view, namespace } = fleet;
      const [first] = view.machines.list();
      const marked = first?.metadata.name ?? '';
      const [mac] = view.macs().filter(({ spec }) => spec.claimRef?.name === marked);
      await scale(fleet, 2);
      await view.until('two Machines are ready', () => view.machines.list().filter(isUp).length === 2);
      // A Pod on the Node, even one that has ended, would be evicted first, and core looks again only after 20 s.
      assert.equal((await cluster.kubectl(['delete', 'job', 'hello', '-n', namespace])).code, 0);
      const annotate = ['annotate', 'machine', marked, '-n', namespace, 'cluster.x-k8s.io/delete-machine='];
      assert.equal((await cluster.kubectl(annotate)).code, 0);
      await scale(fleet, 1);
      await view.until('only the other is left', () => {
        const names = view.machines.list().map(({ metadata }) => metadata.name);
        return names.length === 1 && !names.includes(marked) && view.nodes.get(marked) === undefined;
      });
      assert.equal(view.infraMachines.get(`${namespace}/${marked}`), undefined);
      const before = mac?.spec.wipes ?? 0;
      const wiped = await view.until('its Mac was wiped and is free', () => {
        const host = view.hosts.get(mac?.metadata.name ?? '');
        const isBack = host?.status?.state === 'free' && NEW_POOL_NAME.test(host.status.server?.name ?? '');
        return isBack && host.spec.wipes === before + 1 ? host : undefined;
      });
      assert.equal(wiped.spec.claimRef, undefined);
    },
  );

  step('is gone after its Cluster was deleted: Machines, Nodes and shells, and every Mac is free', async () => {
    const { view, namespace } = fleet;
    const names = view.machines.list().map(({ metadata }) => metadata.name);
    const { code, stderr } = await cluster.kubectl([
      'delete',
      'cluster',
      CLUSTER_NAME,
      '-n',
      namespace,
      '--wait=false',
    ]);
    assert.equal(code, 0, stderr);
    await view.until('nothing is left', () => {
      const left = [
        view.clusters,
        view.deployments,
        view.machines,
        view.infraMachines,
        view.infraClusters,
        view.controlPlanes,
      ];
      return left.every((cache) => cache.size === 0) && names.every((name) => view.nodes.get(name) === undefined);
    });
    await view.until('all Macs are free', () => view.macs().every(({ status }) => status?.state === 'free'));
    assert.deepEqual(
      fleet.managerLog().filter(({ level }) => level === 'error'),
      [],
    );
  });

  it('lives from its first Mac to its last', (t) => play((name, run) => t.test(name, run)));
});

/** The prefix and a UUID, which no server has before its first return. */
const NEW_POOL_NAME = /^tuist-pool-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const scale = async ({ cluster, namespace }: FleetScene, replicas: number): Promise<void> => {
  const args = ['scale', 'machinedeployment', namespace, '-n', namespace, `--replicas=${replicas}`];
  const { code, stderr } = await cluster.kubectl(args);
  assert.equal(code, 0, stderr);
};
