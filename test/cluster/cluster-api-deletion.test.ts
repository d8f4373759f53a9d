/**
 * Somebody deletes the namespace of a living fleet, or our kind of machines, on the real Kubernetes and Cluster API core, with
 * two managers that share a project: nobody asked for a release, so nothing is wiped (R18).
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { MACHINES } from '../../src/kinds/machine.ts';
import type { Cluster } from './bench/cluster.ts';
import { installKinds, startCluster } from './bench.ts';
import { createLabFleets, MAC_MS } from './cluster-api/lab-fleets.ts';
import { type LabScene, openLab } from './cluster-api/lab-scene.ts';
import { skipWithoutLab } from './cluster-api/mac-lab.ts';
import { createStory } from './cluster-api/story.ts';
import { isUp } from './cluster-api/view.ts';
import { eventually } from './kube/scene.ts';

const DEFINITION = `${MACHINES.plural}.${MACHINES.group}`;

describe('a fleet whose ground is deleted', { timeout: 240_000, skip: skipWithoutLab() }, () => {
  const { step, play } = createStory();
  let cluster: Cluster;
  let first: LabScene;
  let second: LabScene;
  before(async () => {
    // One of its own: without the kind no other test could go on.
    cluster = await startCluster({ parts: 'cluster-api' });
    await installKinds(cluster);
    first = await openLab(cluster, { macs: 1, fleets: ['macos'], home: 'macfleet-first' });
    await untilUp(first);
    second = await openLab(cluster, { macs: 1, fleets: ['macos'], home: 'macfleet-second', lab: first.lab });
    await untilUp(second);
  });
  after(async () => {
    await second?.stop();
    await first?.stop();
    await cluster?.stop();
  });

  const untilUp = async (scene: LabScene): Promise<void> => {
    await createLabFleets(scene).wish('macos');
    await scene.view.until('the Machine is ready', () => scene.view.machines.list().some(isUp), MAC_MS);
  };
  const macOf = ({ view, namespace }: LabScene) => {
    const [host] = view.macs().filter(({ spec }) => spec.claimRef?.namespace === namespace);
    assert.ok(host !== undefined, 'it has a Mac');
    return host;
  };
  /** The Mac of the scene is held, as its condition says why, and nobody wrote to any server since. */
  const assertHeld = async (scene: LabScene, writes: number): Promise<void> => {
    const { view, lab } = scene;
    const { name } = macOf(scene).metadata;
    await view.until('its Mac is held', () => view.hosts.get(name)?.status?.state === 'held', MAC_MS);
    assert.equal(view.hosts.get(name)?.spec.hold?.reason, 'NamespaceTerminating');
    assert.equal(view.hosts.get(name)?.spec.release, undefined);
    assert.deepEqual(
      lab.cloud
        .audit()
        .slice(writes)
        .map(({ verb, serverId, argument }) => `${verb} ${serverId} ${argument}`),
      [],
      'nothing was written to Scaleway',
    );
    assert.equal(lab.cloud.server(name)?.wipes, 0);
  };
  const isGone = async (...what: readonly string[]): Promise<boolean> =>
    /NotFound/.test((await cluster.kubectl(['get', ...what])).stderr);

  step('R18 a namespace that is deleted with all in it goes, and its Mac is held, not wiped', async () => {
    const writes = first.lab.cloud.audit().length;
    const other = macOf(second).metadata.name;
    const { code, stderr } = await cluster.kubectl(['delete', 'namespace', first.namespace, '--wait=false']);
    assert.equal(code, 0, stderr);
    await assertHeld(first, writes);
    await eventually('the namespace is gone', () => isGone('namespace', first.namespace), MAC_MS);
    assert.equal(second.view.hosts.get(other)?.status?.state, 'joined', 'the Mac of the other manager works on');
    first.managers.checkAlive();
  });

  step('R18 so it is when the kind of machines is deleted', async () => {
    const writes = second.lab.cloud.audit().length;
    const { code, stderr } = await cluster.kubectl(['delete', 'crd', DEFINITION, '--wait=false']);
    assert.equal(code, 0, stderr);
    await assertHeld(second, writes);
    await eventually('the kind is gone', () => isGone('crd', DEFINITION), MAC_MS);
    second.managers.checkAlive();
  });

  it('keeps its Macs as they are', (t) => play((name, run) => t.test(name, run)));
});
