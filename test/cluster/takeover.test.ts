/**
 * docs/compatibility.md, executed: from a release of the Go original to a release of ours and back, from its chart of May and then from that of August,
 * on the real Cluster API core and on a Mac with real bash. The original is what it leaves behind: its charts, its objects, its Lease.
 */
import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { neverAborted } from '../../src/base/abort.ts';
import { FINALIZERS, LABELS } from '../../src/kinds/labels.ts';
import type { MacHost } from '../../src/kinds/mac-host.ts';
import { MACHINES } from '../../src/kinds/machine.ts';
import { CLUSTER_API_RESOURCES } from '../../src/kube/types/cluster-api.ts';
import { isOnItsOwn } from '../../src/provider/fleet/retire-originals.ts';
import { readRecipes } from '../recipes/recipes.ts';
import { installDefinitions } from './bench.ts';
import { CHART, type ChartScene, makeFleetKeys, openChartScene } from './chart/chart-scene.ts';
import { onMacsOf } from './cluster-api/fleet-objects.ts';
import { applyTo } from './cluster-api/fleet-scene.ts';
import type { FleetView } from './cluster-api/fleet-view.ts';
import { MAC_MS } from './cluster-api/lab-fleets.ts';
import { skipWithoutLab } from './cluster-api/mac-lab.ts';
import { createStory } from './cluster-api/story.ts';
import { isTrue } from './cluster-api/view.ts';
import type { Era } from './kinds/go-definitions.ts';
import { installGoKinds, installOurKinds } from './kinds/install-eras.ts';
import { eventually } from './kube/scene.ts';
import { lookAround } from './takeover/look-around.ts';
import {
  forgetOurs,
  leadAsOriginal,
  ORIGINAL_CONDITIONS,
  type OriginalLeader,
  renderOriginals,
  workAsOriginal,
} from './takeover/original.ts';
import {
  CLUSTER,
  EXTERNAL_SECRETS,
  FULLNAME,
  fillFromVault,
  ORIGINAL,
  prepareAsOriginal,
  writeOriginalChart,
} from './takeover/original-release.ts';

const signal = neverAborted();
/** The original's release and ours are in one. */
const NAMESPACE = 'tuist';
const FLEET = `${FULLNAME}-macos-fleet`;
const FLEETS = [FLEET, `${FULLNAME}-runners-fleet`, `${FULLNAME}-builders-fleet`];
/** Longer than its Lease lasts. */
const RENEWALS = 6;
/** Of one Mac: account, token, binding and password. */
const ORIGINALS = 4;
/** A Pod that is at work from the first day to the last. */
const ALL_THE_TIME = 'all-the-time';
const RECIPE_MS = 170_000;

const rollOf = ({ spec, status }: MacHost) => [spec.epoch, status?.configHash];

describe('a release of the Go original', { timeout: 420_000, skip: skipWithoutLab() }, () => {
  const { step, play } = createStory();
  let scene: ChartScene;
  let view: FleetView;
  let charts: Readonly<Record<Era, string>>;
  let original: OriginalLeader | undefined;
  let rolled: ReturnType<typeof rollOf>;
  /** As the original left it. */
  let was: Awaited<ReturnType<typeof look>>;
  before(async () => {
    scene = await openChartScene(NAMESPACE);
    const { cluster, lab } = scene;
    charts = { May: writeOriginalChart(cluster.dir, 'May'), August: writeOriginalChart(cluster.dir, 'August') };
    mkdirSync(join(cluster.dir, 'charts'));
    symlinkSync(CHART, join(cluster.dir, 'charts', 'macfleet'));
    await applyTo(cluster, [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } }, EXTERNAL_SECRETS]);
    await installDefinitions(cluster);
    await makeFleetKeys(scene, [FLEET]);
    await lab.addMacs(1);
    // A revision from before pools had prefixes (seed 004).
    await scene.helm('install', ORIGINAL, charts.May, '--skip-crds', '--set', 'runnersFleet.adoptPoolPrefix=');
    await fillFromVault(scene);
    await scene.helm('upgrade', ORIGINAL, charts.May);
    view = await scene.openView();
    await prepareAsOriginal(scene, () =>
      view.until('its Mac has joined', () => nodeName() !== undefined && view.nodes.size > 1, MAC_MS),
    );
    await becomeOriginal('May');
    await work(ALL_THE_TIME);
    was = await look();
  });
  after(async () => {
    await original?.letGo().catch(() => undefined);
    await scene?.close();
  });

  /** As whoever upgrades does. */
  const applyKinds = async (chart: string): Promise<void> => {
    const crds = join(chart, 'crds');
    await scene.kubectl('apply', '--server-side', '--force-conflicts', '--field-manager=helm', '-f', crds);
  };
  const look = () => lookAround(scene, view, ALL_THE_TIME);
  const nodeName = () => view.machines.list()[0]?.status?.nodeRef?.name;
  const machineName = () => view.machines.list()[0]?.metadata.name ?? '';
  const work = async (name: string): Promise<void> => {
    const spec = { ...onMacsOf(FLEET), nodeSelector: { [LABELS.fleet]: FLEET } };
    await applyTo(scene.cluster, [{ apiVersion: 'v1', kind: 'Pod', metadata: { namespace: NAMESPACE, name }, spec }]);
    const isRunning = () => view.pods.get(`${NAMESPACE}/${name}`)?.status?.phase === 'Running';
    await view.until(`${name} runs`, isRunning, MAC_MS);
  };
  /** Kinds, status and the Mac's identity are the original's, and nothing of ours is left that tells otherwise. */
  const becomeOriginal = async (era: Era): Promise<void> => {
    const { cluster, client, lab } = scene;
    const [host] = view.macs();
    await installGoKinds({ cluster, client, signal }, era);
    await forgetOurs(client, NAMESPACE);
    await applyTo(cluster, renderOriginals(NAMESPACE, machineName(), `${FULLNAME}-tart-kubelet`));
    const mac = lab.macs.mac(host?.metadata.name ?? '');
    await workAsOriginal({ cluster, client, namespace: NAMESPACE }, machineName(), mac);
  };
  /** As a person types it, beside our charts. */
  const follow = async (recipe: string, variables: Readonly<Record<string, string>>): Promise<void> => {
    const { cluster, node } = scene;
    const lines = readRecipes('compatibility.md').get(recipe) ?? [];
    const script = [`cd '${cluster.dir}'`, ...lines].join('\n');
    const { code, stdout, stderr } = await cluster.script(script, { env: variables, timeoutMs: RECIPE_MS });
    assert.equal(code, 0, `${recipe}: ${stdout}${stderr}\n${node.logOf('').slice(-8_000)}`);
  };
  const writeValues = async (): Promise<void> => {
    const lab = await scene.labValues();
    const values = {
      ...lab,
      ...{ fullnameOverride: FULLNAME, takeover: { enabled: true }, server: { appUrl: 'https://ci.example.com' } },
      capi: { remoteKubeconfig: { externalSecrets: { enabled: true } } },
      macosFleet: { ...lab['macosFleet'], enabled: true, replicas: 1 },
      runnersFleet: {
        ...{ enabled: true, hostCount: 0 },
        pools: [{ name: 'ci', runnerImage: 'ghcr.io/tuist/tuist-runner:1', dispatchLabel: 'tuist-macos' }],
      },
      runnersController: { leaseProfile: 'fast' },
      buildersFleet: { enabled: true },
    };
    // JSON is YAML.
    writeFileSync(join(scene.cluster.dir, 'values.yaml'), JSON.stringify(values));
  };
  const untilAvailable = () =>
    view.until(
      'all fleets are Available',
      () => FLEETS.every((name) => isTrue(view.deployments.get(`${NAMESPACE}/${name}`) ?? {}, 'Available')),
      MAC_MS,
    );
  const isReadyNode = (): boolean => {
    const { conditions = [] } = view.nodes.get(machineName())?.status ?? {};
    return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
  };
  const untilOurs = () =>
    view.until('its Mac has our configuration and an identity of its own', () => view.macs().find(isOnItsOwn), MAC_MS);
  const shellOf = async (): Promise<string | undefined> => {
    const key = { namespace: NAMESPACE, name: CLUSTER };
    return (await scene.client.get(CLUSTER_API_RESOURCES.clusters, key, { signal })).spec?.infrastructureRef?.kind;
  };

  step(
    'R28 of May is taken up by ours as the page says: nothing is done to a Machine or a Mac but one roll',
    async () => {
      await writeValues();
      await follow('take-over', { TUIST_CHART: charts.May, SHELLS: 'scalewayapplesiliconclusters' });
      await untilOurs();
      await untilAvailable();
      assert.ok(isReadyNode());
      assert.deepEqual(await look(), was);
    },
  );

  step('R29 of May is back by a rollback, and no Machine, no Mac and no kubeconfig is disturbed', async () => {
    await follow('hand-back', { TUIST_CHART: charts.May, REVISION: '2' });
    assert.deepEqual(await look(), was);
  });

  step('M30 is rolled back further than its own CRDs allow, because ours do', async () => {
    const { stderr, code } = await scene.tryHelm('rollback', ORIGINAL, '1');
    assert.match(stderr, /adoptPoolPrefix: Required value/);
    assert.notEqual(code, 0);
    const { cluster, client } = scene;
    await installOurKinds({ cluster, client, signal }, () => applyKinds(CHART));
    await scene.helm('rollback', ORIGINAL, '1');
    assert.deepEqual(await look(), was);
  });

  step('R27 of August is left alone by our manager for as long as the original renews its Lease', async () => {
    await applyKinds(charts.August);
    await scene.helm('upgrade', ORIGINAL, charts.August);
    await scene.kubectl(
      'patch',
      'tcl',
      CLUSTER,
      '--subresource=status',
      '--type=merge',
      '-p',
      '{"status":{"ready":true}}',
    );
    await becomeOriginal('August');
    was = await look();
    original = await leadAsOriginal(scene.client, NAMESPACE);
    assert.equal(await shellOf(), 'TuistCluster');
    await follow('take-over', { TUIST_CHART: charts.August, SHELLS: 'tuistclusters' });
    const before = original.renewals();
    await eventually('a Lease would have ended', () => (original?.renewals() ?? 0) >= before + RENEWALS);
    assert.deepEqual(await look(), was);
    assert.deepEqual(view.macs(), []);
  });

  step(
    'R28 of August is taken over once the original lets go: on record, rolled once, and nothing else is done',
    async () => {
      await original?.letGo();
      const host = await untilOurs();
      assert.deepEqual([host.spec.takenOver, host.spec.claimRef?.name], [true, machineName()]);
      await untilAvailable();
      assert.ok(isReadyNode());
      assert.deepEqual(await look(), was);
      assert.equal(await shellOf(), 'ScalewayAppleSiliconCluster');
      rolled = rollOf(host);
    },
  );

  const originalsLeft = async (): Promise<readonly string[]> => {
    const name = `tart-kubelet-${machineName()}`;
    const names = [`serviceaccount/${name}`, `clusterrolebinding/${name}`, `secret/${name}-token`];
    const found = await scene.kubectl(
      ...['get', ...names, `secret/${machineName()}-bootstrap`, '--ignore-not-found', '--output=name'],
    );
    return found.split('\n').filter((line) => line !== '');
  };

  step('R28 loses the tokens and rights that the original gave its Mac, which goes on without them', async () => {
    // Whoever starts looks at once; one that runs, once a minute.
    assert.equal((await originalsLeft()).length, ORIGINALS);
    await scene.kubectl('delete', 'pods', '-l', 'app.kubernetes.io/component=manager');
    await eventually('all four are gone', async () => (await originalsLeft()).length === 0, MAC_MS);
    await work('without-the-token');
    assert.deepEqual(view.macs().map(rollOf), [rolled]);
    assert.deepEqual(await look(), was);
  });

  step('is upgraded without its fleets like before, and touches none of ours', async () => {
    await scene.helm('upgrade', ORIGINAL, charts.August, '--reuse-values', '--set', 'server.word=second');
    assert.deepEqual(await look(), was);
  });

  step(
    'R29 of August is back: the original finds its Lease free and all that it needs, and may write as it does',
    async () => {
      const { client } = scene;
      // May: 1, 2, without fleets, back twice or thrice; August begins with the last but three.
      await follow('hand-back', { TUIST_CHART: charts.August, REVISION: await lastWithFleets() });
      assert.equal(await shellOf(), 'TuistCluster');
      original = await leadAsOriginal(client, NAMESPACE);
      const key = { namespace: NAMESPACE, name: machineName() };
      const status = { phase: 'Ready', ready: true, conditions: ORIGINAL_CONDITIONS };
      const found = await client.get(MACHINES, key, { signal });
      assert.deepEqual(found.metadata.finalizers?.includes(FINALIZERS.machine), true);
      assert.deepEqual([found.status?.phase, found.status?.ready], ['Ready', true]);
      await client.patch(MACHINES, key, { type: 'merge', body: { status } }, { subresource: 'status', signal });
      await eventually('it leads', () => (original?.renewals() ?? 0) > 1);
      assert.ok(isReadyNode());
      assert.deepEqual(await look(), was);
    },
  );

  const lastWithFleets = async (): Promise<string> => {
    const history: readonly { readonly revision: number }[] = JSON.parse(
      await scene.helm('history', ORIGINAL, '-o', 'json'),
    );
    for (const { revision } of history.toReversed()) {
      const manifest = await scene.helm('get', 'manifest', ORIGINAL, '--revision', `${revision}`);
      if (manifest.includes('kind: MachineDeployment')) return `${revision}`;
    }
    throw new Error('no revision has fleets');
  };

  it('is taken over and handed back, and its Mac works all the time', (t) => play((name, run) => t.test(name, run)));
});
