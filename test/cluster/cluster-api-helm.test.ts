/** A throwaway chart with a fleet and work for it: helm waits for what runs on the Mac, and for no wipe (002-5). */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Cluster } from './bench/cluster.ts';
import { installKinds, sharedCluster } from './bench.ts';
import { onMacsOf, renderFleet } from './cluster-api/fleet-objects.ts';
import { fleetNameOf, type LabScene, openLab } from './cluster-api/lab-scene.ts';
import { skipWithoutLab } from './cluster-api/mac-lab.ts';
import { createStory } from './cluster-api/story.ts';

describe('a chart with a fleet', { timeout: 240_000, skip: skipWithoutLab() }, () => {
  const { step, play } = createStory();
  let cluster: Cluster;
  let scene: LabScene;
  before(async () => {
    cluster = await sharedCluster('cluster-api');
    await installKinds(cluster);
    scene = await openLab(cluster, { macs: 2, fleets: ['macos'] });
    writeChart(cluster, scene.namespace);
  });
  after(async () => {
    await scene?.stop();
    await cluster?.stop();
  });

  const helm = async (...args: readonly string[]): Promise<void> => {
    const common = ['--namespace', scene.namespace, '--wait', '--timeout', '100s'];
    const { code, stderr } = await cluster.run('helm', [...args, ...common], { timeoutMs: 110_000 });
    assert.equal(code, 0, stderr);
  };
  const install = () => helm('install', 'ci', chartDir(cluster, scene.namespace));
  const podNode = () => scene.view.pods.list().find(({ status }) => status?.phase === 'Running')?.spec.nodeName;
  const states = () =>
    scene.view
      .macs()
      .map(({ status }) => status?.state)
      .toSorted();

  step('is installed when its work runs on a Mac that has joined', async () => {
    await install();
    assert.ok(podNode(), 'a Pod runs');
    assert.deepEqual(states(), ['free', 'joined']);
  });

  step('002-5 is gone, and there again on another Mac, while the wipe of the first never ends', async () => {
    const { view, lab } = scene;
    const first = podNode();
    const [host] = view.macs().filter(({ spec }) => spec.claimRef?.name === first);
    lab.cloud.setNextReinstall(host?.metadata.name ?? '', 'never-ends');
    await helm('uninstall', 'ci');
    assert.deepEqual([view.deployments.size, view.machines.size, view.infraMachines.size], [0, 0, 0]);
    await install();
    assert.notEqual(podNode(), first);
    assert.deepEqual(states(), ['joined', 'wiping']);
  });

  it('comes and goes', (t) => play((name, run) => t.test(name, run)));
});

const chartDir = ({ dir }: Cluster, namespace: string): string => join(dir, `${namespace}-chart`);

const writeChart = (cluster: Cluster, namespace: string): void => {
  const labels = { app: 'xcode' };
  const fleet = fleetNameOf(namespace, 'macos');
  const objects = [
    ...renderFleet({ namespace, fleet, replicas: 1, agent: 'tart-kubelet' }),
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { namespace, name: 'xcode' },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { ...onMacsOf(fleet), terminationGracePeriodSeconds: 1 } },
      },
    },
  ];
  const dir = chartDir(cluster, namespace);
  mkdirSync(join(dir, 'templates'), { recursive: true });
  writeFileSync(join(dir, 'Chart.yaml'), 'apiVersion: v2\nname: ci\nversion: 0.1.0\n');
  for (const [at, object] of objects.entries())
    writeFileSync(join(dir, 'templates', `${at}.yaml`), JSON.stringify(object));
};
