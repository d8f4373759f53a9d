/**
 * Three fleets on the real Cluster API core, on Macs with real bash behind real SSH: from a server in the pool to a Node that
 * the Mac joined by itself, from nothing but what lies on its disk.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { neverAborted } from '../../src/base/abort.ts';
import { CERTIFICATE_SIGNING_REQUESTS } from '../../src/kube/types/certificates.ts';
import { SECRETS } from '../../src/kube/types/core.ts';
import type { Cluster } from './bench/cluster.ts';
import { installKinds, sharedCluster } from './bench.ts';
import { onMacsOf } from './cluster-api/fleet-objects.ts';
import { createLabFleets, type LabFleets, MAC_MS } from './cluster-api/lab-fleets.ts';
import { type LabScene, openLab, type Role } from './cluster-api/lab-scene.ts';
import { skipWithoutLab } from './cluster-api/mac-lab.ts';
import { createStory } from './cluster-api/story.ts';
import { isTrue } from './cluster-api/view.ts';
import { eventually } from './kube/scene.ts';

const ROLES: readonly Role[] = ['macos', 'runners', 'builders'];
const signal = neverAborted();

describe('fleets on Macs with real bash', { timeout: 240_000, skip: skipWithoutLab() }, () => {
  const { step, play } = createStory();
  let cluster: Cluster;
  let scene: LabScene;
  let fleets: LabFleets;
  before(async () => {
    cluster = await sharedCluster('cluster-api');
    await installKinds(cluster);
    scene = await openLab(cluster, { macs: 3, fleets: ROLES });
    fleets = createLabFleets(scene);
  });
  after(async () => {
    await scene?.stop();
    await cluster?.stop();
  });

  const readKubeconfig = () =>
    scene.client.get(SECRETS, { namespace: scene.namespace, name: 'office-kubeconfig' }, { signal });

  step('reach their cluster by a kubeconfig that the manager made for core (004-1)', async () => {
    const { view, namespace } = scene;
    await view.until('core is connected', () =>
      view.clusters.list().some((found) => isTrue(found, 'RemoteConnectionProbe')),
    );
    const { ownerReferences } = (await readKubeconfig()).metadata;
    assert.deepEqual(
      ownerReferences?.map(({ kind }) => kind),
      ['ScalewayAppleSiliconControlPlane'],
    );
    const asCore = `--as=system:serviceaccount:${namespace}:capi-remote`;
    assert.match((await cluster.kubectl(['auth', 'can-i', 'delete', 'nodes', asCore])).stdout, /^yes/);
    assert.match((await cluster.kubectl(['auth', 'can-i', 'get', 'secrets', asCore])).stdout, /^no/);
  });

  step('macos alone is Available (004-6): its Mac joined from what lies on its disk (004-2, 004-7)', async () => {
    const { view, client, lab } = scene;
    await fleets.wish('macos');
    await fleets.untilAvailable(['macos']);
    const { machine, host } = fleets.pairOf('macos');
    const node = view.nodes.get(machine.metadata.name);
    const providerId = `scw-applesilicon://fr-par-1/${host.metadata.name}`;
    assert.deepEqual([machine.spec.providerID, node?.spec?.providerID], [providerId, providerId]);
    const onDisk = lab.macs.mac(host.metadata.name).files.readText('/etc/tart-kubelet/kubeconfig') ?? '';
    const [, tokenId] = /token: "?([a-z0-9]{6})\./.exec(onDisk) ?? [];
    const { items } = await client.list(CERTIFICATE_SIGNING_REQUESTS, { signal });
    const [request, ...others] = items.filter(({ spec }) => spec.username === `system:bootstrap:${tokenId}`);
    assert.deepEqual(
      [request?.status?.conditions?.map(({ type, reason }) => `${type} ${reason}`), others],
      [['Approved MacOfTheFleet'], []],
    );
    assert.equal(request?.spec.expirationSeconds, 3_600, 'its certificate lives an hour at most');
  });

  step('all three are Available, each on a Mac of its own (004-6)', async () => {
    await fleets.wish('runners');
    await fleets.wish('builders');
    await fleets.untilAvailable(ROLES);
    const pairs = ROLES.map((role) => fleets.pairOf(role));
    assert.equal(new Set(pairs.map(({ host }) => host.metadata.name)).size, ROLES.length);
    const nodes = pairs.map(({ machine }) => scene.view.nodes.get(machine.metadata.name));
    assert.deepEqual(
      nodes.map((node) => node?.metadata.labels?.['tuist.dev/fleet']),
      ROLES.map(fleets.nameOf),
    );
  });

  step('macOS work runs on them as an ordinary Deployment, in a VM whose log is shown', async () => {
    const labels = { app: 'xcode' };
    const { containers, ...place } = onMacsOf(fleets.nameOf('macos'));
    const command = ['/bin/sh', '-c', 'echo at work; sleep 100000'];
    const spec = {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { ...place, containers: containers.map((container) => ({ ...container, command })) },
      },
    };
    const metadata = { namespace: scene.namespace, name: 'xcode' };
    await scene.apply([{ apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec }]);
    await scene.kubectl('rollout', 'status', 'deployment/xcode', '--timeout=60s');
    const [pod] = scene.view.pods.list();
    assert.equal(pod?.spec.nodeName, fleets.pairOf('macos').machine.metadata.name);
    assert.match(pod?.status?.containerStatuses?.[0]?.containerID ?? '', /^tart:\/\/pod-xcode-/);
    // With a certificate that the manager approved for the address of the Mac.
    await eventually('what it printed', async () => (await scene.kubectl('logs', 'deployment/xcode')) === 'at work\n');
  });

  step('they stay in reach of core when its token is revoked and its kubeconfig renewed (004-1)', async () => {
    const { view } = scene;
    const before = await readKubeconfig();
    // Tokens of an account that was made anew are worth nothing.
    await scene.kubectl('delete', 'serviceaccount', 'capi-remote');
    await scene.kubectl('create', 'serviceaccount', 'capi-remote');
    const expired = 'macfleet.tuist.dev/expires-at=2026-01-01T00:00:00Z';
    await scene.kubectl('annotate', 'secret', 'office-kubeconfig', '--overwrite', expired);
    await scene.kubectl('annotate', 'sascp', 'office', 'example.com/look=now');
    await eventually('the Secret has another token', async () => {
      return (await readKubeconfig()).data?.['value'] !== before.data?.['value'];
    });
    const old = join(cluster.dir, `${scene.namespace}-old.kubeconfig`);
    writeFileSync(old, Buffer.from(before.data?.['value'] ?? '', 'base64'), { mode: 0o600 });
    await eventually('the old token is refused', async () => {
      return /Unauthorized/.test((await cluster.kubectl(['get', 'nodes'], { kubeconfig: old })).stderr);
    });
    const { name } = fleets.pairOf('macos').machine.metadata;
    await scene.kubectl('label', 'machine', name, 'node.cluster.x-k8s.io/after=rotation');
    const isReached = () => view.nodes.get(name)?.metadata.labels?.['node.cluster.x-k8s.io/after'] === 'rotation';
    await view.until('core has reached the Node', isReached, MAC_MS);
  });

  step('a Mac is let go by the detach recipe without a touch: held, its Machine gone (001-2)', async () => {
    const { view, lab } = scene;
    const { machine, host } = fleets.pairOf('builders');
    const { name } = machine.metadata;
    const writes = () => lab.cloud.audit().filter(({ serverId }) => serverId === host.metadata.name).length;
    const before = writes();
    await scene.kubectl('annotate', 'samm', name, 'cluster.x-k8s.io/paused=');
    const merge = ['--type=merge', '-p'];
    await scene.kubectl('patch', 'samm', name, '--subresource=status', ...merge, '{"status":{"serverID":""}}');
    await scene.kubectl('patch', 'samm', name, ...merge, '{"spec":{"providerID":null}}');
    const hostNow = () => view.hosts.get(host.metadata.name);
    await view.until('the Mac is held', () => hostNow()?.spec.hold?.reason === 'Detached');
    await scene.kubectl('delete', 'machine', name, '--timeout=60s');
    assert.deepEqual([hostNow()?.status?.state, writes()], ['held', before]);
    assert.equal(lab.cloud.server(host.metadata.name)?.name, name, 'its name at Scaleway is as it was');
  });

  step('a Mac whose machine vanished while nobody looked is kept as it is: held, not wiped (R15, 004-8)', async () => {
    const { view, lab, managers } = scene;
    const { machine, host } = fleets.pairOf('macos');
    const { name } = machine.metadata;
    await managers.stop('manager');
    const before = lab.cloud.audit().length;
    await scene.kubectl('patch', 'samm', name, '--type=merge', '-p', '{"metadata":{"finalizers":null}}');
    await scene.kubectl('delete', 'samm', name, '--timeout=30s');
    await scene.startManager('manager');
    const hostNow = () => view.hosts.get(host.metadata.name);
    await view.until('the Mac is held', () => hostNow()?.spec.hold?.reason === 'OwnerVanished');
    const written = lab.cloud.audit().slice(before);
    assert.deepEqual(
      written.filter(({ serverId }) => serverId === host.metadata.name),
      [],
    );
  });

  it('go step by step', (t) => play((name, run) => t.test(name, run)));
});
