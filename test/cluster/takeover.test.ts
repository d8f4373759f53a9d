/**
 * docs/compatibility.md, executed: from the Go original to this manager and back, on the real Cluster API core and on a Mac with
 * real bash. The original is what it leaves behind: its definitions, its objects, its Lease.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { neverAborted } from '../../src/base/abort.ts';
import { FINALIZERS } from '../../src/kinds/labels.ts';
import type { MacHost } from '../../src/kinds/mac-host.ts';
import { MACHINES } from '../../src/kinds/machine.ts';
import { isOnItsOwn } from '../../src/provider/fleet/retire-originals.ts';
import type { Cluster } from './bench/cluster.ts';
import { installKinds, startCluster } from './bench.ts';
import { onMacsOf, renderTakeoverRights } from './cluster-api/fleet-objects.ts';
import { createLabFleets, type LabFleets, MAC_MS } from './cluster-api/lab-fleets.ts';
import { type LabScene, openLab } from './cluster-api/lab-scene.ts';
import { skipWithoutLab } from './cluster-api/mac-lab.ts';
import { createStory } from './cluster-api/story.ts';
import { isTrue, isUp } from './cluster-api/view.ts';
import { installGoKinds, installOurKinds } from './kinds/install-eras.ts';
import { eventually } from './kube/scene.ts';
import {
  forgetOurs,
  leadAsOriginal,
  ORIGINAL_CONDITIONS,
  type OriginalLeader,
  readLease,
  renderOriginals,
  workAsOriginal,
} from './takeover/original.ts';

const signal = neverAborted();
/** Longer than its Lease lasts. */
const RENEWALS = 6;
/** Of one Mac: account, token, binding and password. */
const ORIGINALS = 4;
/** A Pod that is at work from the first day to the last. */
const ALL_THE_TIME = 'all-the-time';

const rollOf = ({ spec, status }: MacHost) => [spec.epoch, status?.configHash];

describe('a fleet of the Go original', { timeout: 240_000, skip: skipWithoutLab() }, () => {
  const { step, play } = createStory();
  let cluster: Cluster;
  let scene: LabScene;
  let fleets: LabFleets;
  let original: OriginalLeader;
  let rolled: ReturnType<typeof rollOf>;
  /** As the original left it. */
  let was: ReturnType<typeof look>;
  before(async () => {
    // Of its own: definitions are replaced in it.
    cluster = await startCluster({ parts: 'cluster-api' });
    await installKinds(cluster);
    scene = await openLab(cluster, { macs: 1, fleets: ['macos'] });
    fleets = createLabFleets(scene);
    await fleets.wish('macos');
    await fleets.untilAvailable(['macos']);
    const { machine, host } = fleets.pairOf('macos');
    const { client, namespace, home, lab } = scene;
    await stopManager('manager');
    await installGoKinds({ cluster, client, signal }, 'August');
    await forgetOurs(client, namespace);
    await scene.apply(renderOriginals(home, machine.metadata.name));
    const mac = lab.macs.mac(host.metadata.name);
    await workAsOriginal({ cluster, client, namespace: home }, machine.metadata.name, mac);
    await work(ALL_THE_TIME);
    was = look();
    original = await leadAsOriginal(client, home);
  });
  after(async () => {
    await original?.letGo().catch(() => undefined);
    await scene?.stop();
    await cluster?.stop();
  });

  const work = async (name: string): Promise<void> => {
    const { namespace, view } = scene;
    const spec = onMacsOf(fleets.nameOf('macos'));
    await scene.apply([{ apiVersion: 'v1', kind: 'Pod', metadata: { namespace, name }, spec }]);
    const isRunning = () => view.pods.get(`${namespace}/${name}`)?.status?.phase === 'Running';
    await view.until(`${name} runs`, isRunning, MAC_MS);
  };
  /** All that must not change when the manager does. */
  const look = () => {
    const { view, lab } = scene;
    const [machine] = view.machines.list().filter(isUp);
    const [infra] = view.infraMachines.list();
    const pod = view.pods.get(`${scene.namespace}/${ALL_THE_TIME}`);
    const name = machine?.metadata.name ?? '';
    return {
      name,
      machine: [machine?.metadata.uid, machine?.spec.providerID, machine?.status?.nodeRef?.name],
      infra: [infra?.metadata.uid, infra?.spec.providerID, infra?.status?.serverID, infra?.status?.addresses],
      node: view.nodes.get(name)?.metadata.uid,
      pod: [
        pod?.metadata.uid,
        pod?.status?.phase,
        pod?.status?.containerStatuses?.map(({ containerID }) => containerID),
      ],
      servers: lab.cloud.servers().map((server) => [server.id, server.name, server.wipes]),
      writes: lab.cloud.audit().length,
    };
  };
  /** As Kubernetes stops a Pod; settles when the Lease is nobody's. */
  const stopManager = async (name: string): Promise<void> => {
    scene.managers.signal(name, 'SIGTERM');
    await eventually(
      'its Lease is let go',
      async () => (await readLease(scene.client, scene.home)).spec?.holderIdentity === '',
    );
    await scene.managers.stop(name);
  };
  const isReadyNode = (): boolean => {
    const { conditions = [] } = scene.view.nodes.get(was.name)?.status ?? {};
    return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
  };
  const untilHost = (fact: string, isSo: (host: MacHost) => boolean) =>
    scene.view.until(fact, () => scene.view.macs().find(isSo), MAC_MS);

  const originalsLeft = async (): Promise<readonly string[]> => {
    const names = [`serviceaccount/tart-kubelet-${was.name}`, `clusterrolebinding/tart-kubelet-${was.name}`];
    const secrets = [`secret/tart-kubelet-${was.name}-token`, `secret/${was.name}-bootstrap`];
    const found = await scene.kubectl('get', ...names, ...secrets, '--ignore-not-found', '--output=name');
    return found.split('\n').filter((line) => line !== '');
  };

  step('R27 is left alone by our manager for as long as the original renews its Lease', async () => {
    await installOurKinds({ cluster, client: scene.client, signal });
    await scene.apply(renderTakeoverRights(scene.home, `${scene.namespace}-manager`));
    await scene.startManager('ours');
    await eventually('it runs', () => scene.managerLog('ours').some(({ port }) => port !== undefined));
    const before = original.renewals();
    await eventually('a Lease would have ended', () => original.renewals() >= before + RENEWALS);
    assert.deepEqual(look(), was);
    assert.deepEqual(scene.view.macs(), []);
  });

  step(
    'R28 is taken over once the original lets go: on record, rolled once, and nothing else is done to it',
    async () => {
      await original.letGo();
      const host = await untilHost('its Mac has our configuration and an identity of its own', isOnItsOwn);
      assert.deepEqual([host.spec.takenOver, host.spec.claimRef?.name], [true, was.name]);
      await scene.view.until(
        'the Machine is up and its Node ready',
        () => scene.view.machines.list().some(isUp) && isReadyNode(),
      );
      assert.deepEqual(look(), was);
      rolled = rollOf(host);
    },
  );

  step('R28 loses the tokens and rights that the original gave its Mac, which goes on without them', async () => {
    await stopManager('ours');
    // Whoever starts looks at once; one that runs, once a minute.
    assert.equal((await originalsLeft()).length, ORIGINALS);
    await scene.startManager('again');
    await eventually('all four are gone', async () => (await originalsLeft()).length === 0, MAC_MS);
    await work('without-the-token');
    assert.deepEqual(scene.view.macs().map(rollOf), [rolled]);
    assert.deepEqual(look(), was);
  });

  step('R29 goes back: the original finds its Lease free and all that it needs, and may write as it does', async () => {
    const { client, namespace, home } = scene;
    await stopManager('again');
    await installGoKinds({ cluster, client, signal }, 'August');
    original = await leadAsOriginal(client, home);
    const key = { namespace, name: was.name };
    const status = { phase: 'Ready', ready: true, conditions: ORIGINAL_CONDITIONS };
    const found = await client.get(MACHINES, key, { signal });
    assert.deepEqual(found.metadata.finalizers?.includes(FINALIZERS.machine), true);
    assert.deepEqual([found.status?.phase, found.status?.ready], ['Ready', true]);
    assert.deepEqual(
      ['Provisioned', 'Bootstrapped'].filter((type) => !isTrue(found, type)),
      [],
    );
    await client.patch(MACHINES, key, { type: 'merge', body: { status } }, { subresource: 'status', signal });
    await eventually('it leads', () => original.renewals() > 1);
    assert.ok(isReadyNode());
    assert.deepEqual(look(), was);
  });

  it('is taken over and handed back, and its Mac works all the time', (t) => play((name, run) => t.test(name, run)));
});
