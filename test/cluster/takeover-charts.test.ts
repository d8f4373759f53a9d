/**
 * docs/compatibility.md, executed: from a release of the Go original to a release of ours and back, from its chart of May and then from that of August,
 * on the real Cluster API core and on a Mac with real bash. The original is what it leaves behind: its charts, its objects, its Lease.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { neverAborted } from '../../src/base/abort.ts';
import { FINALIZERS } from '../../src/kinds/labels.ts';
import type { MacHost } from '../../src/kinds/mac-host.ts';
import { MACHINES } from '../../src/kinds/machine.ts';
import { CHART } from './chart/chart-scene.ts';
import { MAC_MS } from './cluster-api/lab-fleets.ts';
import { skipWithoutLab } from './cluster-api/mac-lab.ts';
import { createStory } from './cluster-api/story.ts';
import { installOurKinds } from './kinds/install-eras.ts';
import { eventually } from './kube/scene.ts';
import { leadAsOriginal, ORIGINAL_CONDITIONS, type OriginalLeader, readLease } from './takeover/original.ts';
import { CLUSTER, ORIGINAL } from './takeover/original-release.ts';
import { NAMESPACE, openTakeoverScene, type TakeoverScene } from './takeover/takeover-scene.ts';

const signal = neverAborted();
/** Longer than its Lease lasts. */
const RENEWALS = 6;
/** Of one Mac: account, token, binding and password. */
const ORIGINALS = 4;

const rollOf = ({ spec, status }: MacHost) => [spec.epoch, status?.configHash];

describe('a release of the Go original', { timeout: 420_000, skip: skipWithoutLab() }, () => {
  const { step, play } = createStory();
  let at: TakeoverScene;
  let original: OriginalLeader | undefined;
  let rolled: ReturnType<typeof rollOf>;
  /** As the original left it. */
  let was: Awaited<ReturnType<TakeoverScene['look']>>;
  before(async () => {
    at = await openTakeoverScene();
  });
  after(async () => {
    await original?.letGo().catch(() => undefined);
    await at?.scene.close();
  });

  const lead = async (): Promise<OriginalLeader> => {
    const { client } = at.scene;
    const holder = async () => (await readLease(client, NAMESPACE)).spec?.holderIdentity;
    await eventually('the Lease is nobody', async () => (await holder()) === '', MAC_MS);
    original = await leadAsOriginal(client, NAMESPACE);
    return original;
  };

  step('of May has a Mac that works', async () => {
    await at.becomeOriginal('May');
    await at.work();
    was = await at.look();
  });

  step(
    'R28 of May is taken up by ours as the page says: nothing is done to a Machine or its Mac but one roll',
    async () => {
      await at.follow('take-over', { TUIST_CHART: at.charts.May, SHELLS: 'scalewayapplesiliconclusters' });
      await at.untilOurs();
      await at.untilAvailable();
      assert.ok(at.isNodeReady());
      assert.deepEqual(await at.look(), was);
    },
  );

  step('R29 of May is back by a rollback, and no Machine, no Mac and no kubeconfig is disturbed', async () => {
    await at.follow('hand-back', { TUIST_CHART: at.charts.May, REVISION: '2' });
    assert.deepEqual(await at.look(), was);
  });

  step('M30 is rolled back further than its own CRDs allow, because ours do', async () => {
    const { scene } = at;
    const { stderr, code } = await scene.tryHelm('rollback', ORIGINAL, '1');
    assert.match(stderr, /adoptPoolPrefix: Required value/);
    assert.notEqual(code, 0);
    await installOurKinds({ ...scene, signal }, () => at.applyKinds(CHART));
    await scene.helm('rollback', ORIGINAL, '1');
    assert.deepEqual(await at.look(), was);
  });

  step('R27 of August is left alone by our manager for as long as the original renews its Lease', async () => {
    const { scene, charts, view } = at;
    await at.applyKinds(charts.August);
    await scene.helm('upgrade', ORIGINAL, charts.August, '--reset-values');
    const ready = '{"status":{"ready":true}}';
    await scene.kubectl('patch', 'tcl', CLUSTER, '--subresource=status', '--type=merge', '-p', ready);
    await at.becomeOriginal('August');
    was = await at.look();
    assert.deepEqual([await at.shellOf(), await at.originalsLeft()], ['TuistCluster', ORIGINALS]);
    const leader = await lead();
    await at.follow('take-over', { TUIST_CHART: charts.August, SHELLS: 'tuistclusters' });
    const before = leader.renewals();
    await eventually('a Lease would have ended', () => leader.renewals() >= before + RENEWALS);
    assert.deepEqual(await at.look(), was);
    assert.deepEqual(view.macs(), []);
  });

  step('R28 of August is taken over once the original lets go: on record, rolled once, nothing else', async () => {
    await original?.letGo();
    const host = await at.untilOurs();
    assert.deepEqual([host.spec.takenOver, host.spec.claimRef?.name], [true, at.machineName()]);
    await at.untilAvailable();
    assert.ok(at.isNodeReady());
    assert.equal(await at.shellOf(), 'ScalewayAppleSiliconCluster');
    assert.deepEqual(await at.look(), was);
    rolled = rollOf(host);
  });

  step('R28 loses the tokens and rights that the original gave its Mac, which goes on without them', async () => {
    // Whoever starts looks at once; one that runs, once a minute.
    await at.scene.kubectl('delete', 'pods', '-l', 'app.kubernetes.io/component=manager');
    await eventually('all four are gone', async () => (await at.originalsLeft()) === 0, MAC_MS);
    await at.work('without-the-token');
    assert.deepEqual(at.view.macs().map(rollOf), [rolled]);
    assert.deepEqual(await at.look(), was);
  });

  step('is upgraded without its fleets like before, and touches none of ours', async () => {
    await at.scene.helm('upgrade', ORIGINAL, at.charts.August, '--reuse-values', '--set', 'server.word=second');
    assert.deepEqual(await at.look(), was);
  });

  step(
    'R29 of August is back: the original finds its Lease free and what it needs, and may write as it does',
    async () => {
      const { client } = at.scene;
      await at.follow('hand-back', { TUIST_CHART: at.charts.August, REVISION: await at.lastRevisionWithFleets() });
      assert.equal(await at.shellOf(), 'TuistCluster');
      const leader = await lead();
      const key = { namespace: NAMESPACE, name: at.machineName() };
      const status = { phase: 'Ready', ready: true, conditions: ORIGINAL_CONDITIONS };
      const found = await client.get(MACHINES, key, { signal });
      assert.deepEqual(found.metadata.finalizers?.includes(FINALIZERS.machine), true);
      assert.deepEqual([found.status?.phase, found.status?.ready], ['Ready', true]);
      await client.patch(MACHINES, key, { type: 'merge', body: { status } }, { subresource: 'status', signal });
      await eventually('it leads', () => leader.renewals() > 1);
      assert.ok(at.isNodeReady());
      assert.deepEqual(await at.look(), was);
    },
  );

  it('is taken over and handed back, and its Mac works all the time', (t) => play((name, run) => t.test(name, run)));
});
