/** The Machines of a fleet come and go under real core, on Macs with real bash: by another template, and during a bootstrap. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { FINALIZERS } from '../../src/kinds/labels.ts';
import { SETTINGS_FILE } from '../../src/sim/tart/program/disk-home.ts';
import type { Cluster } from './bench/cluster.ts';
import { installKinds, sharedCluster } from './bench.ts';
import { onMacsOf } from './cluster-api/fleet-objects.ts';
import { FLEET_TABLE, parseFleetTable } from './cluster-api/fleet-table.ts';
import { createLabFleets, type LabFleets, MAC_MS } from './cluster-api/lab-fleets.ts';
import { type LabScene, openLab } from './cluster-api/lab-scene.ts';
import { skipWithoutLab } from './cluster-api/mac-lab.ts';
import { createStory } from './cluster-api/story.ts';
import { conditionOf } from './cluster-api/view.ts';

describe('a fleet that changes', { timeout: 240_000, skip: skipWithoutLab() }, () => {
  const { step, play } = createStory();
  let cluster: Cluster;
  let scene: LabScene;
  let fleets: LabFleets;
  before(async () => {
    cluster = await sharedCluster('cluster-api');
    await installKinds(cluster);
    scene = await openLab(cluster, { macs: 2, fleets: ['runners'] });
    fleets = createLabFleets(scene);
  });
  after(async () => {
    await scene?.stop();
    await cluster?.stop();
  });

  const strandedPod = () => scene.view.pods.get(`${scene.namespace}/stranded`);
  /** One that is being deleted, and whose agent does not let it go: its VM cannot be removed (F93). */
  const strandPod = async (): Promise<void> => {
    const { namespace, view, lab } = scene;
    const labels = { 'cluster.x-k8s.io/drain': 'skip' };
    const metadata = { namespace, name: 'stranded', labels };
    const spec = { ...onMacsOf(fleets.nameOf('runners')), terminationGracePeriodSeconds: 1 };
    await scene.apply([{ apiVersion: 'v1', kind: 'Pod', metadata, spec }]);
    await view.until('it runs', () => strandedPod()?.status?.phase === 'Running');
    const mac = lab.macs.mac(fleets.pairOf('runners').host.metadata.name);
    const faults = JSON.stringify({ vmFaults: { '*': { deleteRefused: true } } });
    await mac.exec({ shell: 'bash', line: `printf %s '${faults}' >~/.tart/${SETTINGS_FILE}` });
    // By somebody who does not want to wait for it: nothing but its finalizer keeps it.
    await scene.kubectl('delete', 'pod', 'stranded', '--wait=false', '--force', '--grace-period=0');
    await view.until('it is being deleted', () => strandedPod()?.metadata.deletionTimestamp);
  };
  const untilFree = (host: string, wipes: number) =>
    scene.view.until('its Mac was wiped and is free', () => {
      const now = scene.view.hosts.get(host);
      return now?.status?.state === 'free' && now.spec.wipes === wipes;
    });

  const untilBootstraps = () =>
    scene.view.until('a bootstrap is under way', () =>
      scene.view
        .macs()
        .find((host) => host.status?.state === 'preparing' && conditionOf(host, 'Ready')?.message === 'bootstrapping'),
    );

  step('is Available: runners, alone (004-6)', async () => {
    await fleets.wish('runners');
    await fleets.untilAvailable(['runners']);
    await strandPod();
  });

  step('is rolled by another template: first the new Machine, then the old one goes and its Mac is wiped', async () => {
    const { view, namespace } = scene;
    const { machine, host } = fleets.pairOf('runners');
    const { name } = machine.metadata;
    await fleets.wish('runners', { template: '2' });
    const next = await view.until(
      'the new Machine is up',
      () => fleets.upOf('runners').find(({ metadata }) => metadata.name !== name),
      MAC_MS,
    );
    assert.deepEqual(strandedPod()?.metadata.finalizers, [FINALIZERS.pod], 'nobody lets it go yet');
    const { annotations } = view.infraMachines.get(`${namespace}/${next.metadata.name}`)?.metadata ?? {};
    assert.equal(annotations?.['cluster.x-k8s.io/cloned-from-name'], `${fleets.nameOf('runners')}-2`);
    await view.until('the old one and its Node are gone', () => {
      const key = `${namespace}/${name}`;
      return ![view.machines.get(key), view.infraMachines.get(key), view.nodes.get(name)].some(Boolean);
    });
    await untilFree(host.metadata.name, host.spec.wipes + 1);
    await view.until('the Pod that no agent lets go any more is gone (003-4)', () => strandedPod() === undefined);
  });

  step('tells during a bootstrap what each Mac does, since when, and what it waits for', async () => {
    const free = scene.view.macs().filter(({ status }) => status?.state === 'free');
    // A bootstrap that does not end while we look.
    for (const { metadata } of free) scene.lab.macs.mac(metadata.name).trouble.breakNext('', 'hang');
    await fleets.wish('runners', { replicas: 2, template: '2' });
    const host = await untilBootstraps();
    const machine = host.spec.claimRef?.name ?? '';
    const table = parseFleetTable(await scene.kubectl(...FLEET_TABLE));
    const told = [...table.hosts, ...table.machines].filter(({ NAME = '' }) =>
      [host.metadata.name, machine].some((name) => NAME.endsWith(`/${name}`)),
    );
    assert.deepEqual(
      told.map((row) => [row['STATE'] ?? row['PHASE'], row['WAITS FOR']]),
      [
        ['preparing', 'bootstrapping'],
        ['Bootstrapping', 'The host is preparing.'],
      ],
    );
    for (const row of told) assert.match(row['SINCE'] ?? '', /^\d+s$/);
  });

  step('leaves nothing of a Machine that is deleted during its bootstrap but a Mac that is wiped again', async () => {
    const { view, lab, namespace } = scene;
    const host = await untilBootstraps();
    const machine = host.spec.claimRef?.name ?? '';
    await fleets.wish('runners', { template: '2' });
    await view.until('the Machine is gone', () => view.machines.get(`${namespace}/${machine}`) === undefined);
    await untilFree(host.metadata.name, host.spec.wipes + 1);
    assert.equal(view.nodes.get(machine), undefined);
    const wipes = lab.cloud
      .audit()
      .filter(
        ({ verb, serverId, outcome }) =>
          `${verb} ${serverId} ${outcome}` === `reinstall ${host.metadata.name} accepted`,
      );
    assert.equal(wipes.length, host.spec.wipes + 1);
    assert.equal(fleets.upOf('runners').length, 1, 'the other Machine of the fleet works on');
  });

  it('goes on', (t) => play((name, run) => t.test(name, run)));
});
