/** A release of the Go original with one fleet of one Mac that works, in its shape of May, and the means to take it further, over, and back. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { neverAborted } from '../../../src/base/abort.ts';
import { LABELS } from '../../../src/kinds/labels.ts';
import type { MacHost } from '../../../src/kinds/mac-host.ts';
import { CLUSTER_API_RESOURCES } from '../../../src/kube/types/cluster-api.ts';
import { isOnItsOwn } from '../../../src/provider/fleet/retire-originals.ts';
import { readRecipes } from '../../recipes/recipes.ts';
import { installDefinitions } from '../bench.ts';
import { CHART, type ChartScene, makeFleetKeys, openChartScene } from '../chart/chart-scene.ts';
import { onMacsOf } from '../cluster-api/fleet-objects.ts';
import { applyTo } from '../cluster-api/fleet-scene.ts';
import type { FleetView } from '../cluster-api/fleet-view.ts';
import { MAC_MS } from '../cluster-api/lab-fleets.ts';
import { isTrue } from '../cluster-api/view.ts';
import type { Era } from '../kinds/go-definitions.ts';
import { installGoKinds } from '../kinds/install-eras.ts';
import { lookAround } from './look-around.ts';
import { forgetOurs, renderOriginals, workAsOriginal } from './original.ts';
import {
  CLUSTER,
  EXTERNAL_SECRETS,
  FULLNAME,
  fillFromVault,
  ORIGINAL,
  prepareAsOriginal,
  writeOriginalChart,
} from './original-release.ts';

const signal = neverAborted();
/** The original's release and ours are in one, as the page has it. */
export const NAMESPACE = 'tuist';
const FLEET = `${FULLNAME}-macos-fleet`;
const FLEETS = [FLEET, `${FULLNAME}-runners-fleet`, `${FULLNAME}-builders-fleet`];
/** A Pod that is at work from the first day to the last. */
const ALL_THE_TIME = 'all-the-time';
const RECIPE_MS = 170_000;

export type TakeoverScene = Awaited<ReturnType<typeof openTakeoverScene>>;

export const openTakeoverScene = async () => {
  const scene = await openChartScene(NAMESPACE);
  try {
    return await openRelease(scene);
  } catch (error) {
    await scene.close();
    throw error;
  }
};

const openRelease = async (scene: ChartScene) => {
  const { cluster, lab } = scene;
  const charts = { May: writeOriginalChart(cluster.dir, 'May'), August: writeOriginalChart(cluster.dir, 'August') };
  mkdirSync(join(cluster.dir, 'charts'));
  symlinkSync(CHART, join(cluster.dir, 'charts', 'macfleet'));
  await applyTo(cluster, [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } }, EXTERNAL_SECRETS]);
  await installDefinitions(cluster);
  await makeFleetKeys(scene, [FLEET]);
  await lab.addMacs(1);
  // A revision from before pools had prefixes (seed 004).
  await scene.helm('install', ORIGINAL, charts.May, '--skip-crds', '--set', 'runnersFleet.adoptPoolPrefix=');
  await fillFromVault(scene);
  await scene.helm('upgrade', ORIGINAL, charts.May, '--skip-crds', '--reset-values');
  const view = await scene.openView();
  const nodeName = () => view.machines.list()[0]?.status?.nodeRef?.name;
  await prepareAsOriginal(scene, () => view.until('its Mac has joined', () => nodeName() !== undefined, MAC_MS));
  await writeValues(scene);
  return { scene, view, charts, ...actionsOn(scene, view) };
};

/** The original's values, as far as ours has them, and what connects a release to the lab. */
const writeValues = async (scene: ChartScene): Promise<void> => {
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

const actionsOn = (scene: ChartScene, view: FleetView) => {
  const { cluster, client, lab } = scene;
  const machineName = () => view.machines.list()[0]?.metadata.name ?? '';
  return {
    machineName,
    /** All that must not change. */
    look: () => lookAround(scene, view, ALL_THE_TIME),
    /** As whoever upgrades does. */
    applyKinds: async (chart: string): Promise<void> => {
      const crds = join(chart, 'crds');
      await scene.kubectl('apply', '--server-side', '--force-conflicts', '--field-manager=helm', '-f', crds);
      await scene.kubectl('wait', '--for=condition=Established', '--timeout=30s', '-f', crds);
    },
    work: async (name: string = ALL_THE_TIME): Promise<void> => {
      const spec = { ...onMacsOf(FLEET), nodeSelector: { [LABELS.fleet]: FLEET } };
      await applyTo(cluster, [{ apiVersion: 'v1', kind: 'Pod', metadata: { namespace: NAMESPACE, name }, spec }]);
      const isRunning = () => view.pods.get(`${NAMESPACE}/${name}`)?.status?.phase === 'Running';
      await view.until(`${name} runs`, isRunning, MAC_MS);
    },
    /** Kinds, status and the Mac's identity are the original's, and nothing of ours is left that tells otherwise. */
    becomeOriginal: async (era: Era): Promise<void> => {
      const [host] = view.macs();
      await installGoKinds({ cluster, client, signal }, era);
      await forgetOurs(client, NAMESPACE);
      await applyTo(cluster, renderOriginals(NAMESPACE, machineName(), `${FULLNAME}-tart-kubelet`));
      const mac = lab.macs.mac(host?.metadata.name ?? '');
      await workAsOriginal({ cluster, client, namespace: NAMESPACE }, machineName(), mac);
    },
    /** The page's own words, as a person types them beside our charts. */
    follow: async (recipe: string, variables: Readonly<Record<string, string>>): Promise<void> => {
      const lines = readRecipes('compatibility.md').get(recipe) ?? [];
      const script = [`cd '${cluster.dir}'`, ...lines].join('\n');
      const { code, stdout, stderr } = await cluster.script(script, { env: variables, timeoutMs: RECIPE_MS });
      if (code !== 0) throw new Error(`${recipe}: ${stdout}${stderr}\n${scene.node.logOf('').slice(-8_000)}`);
    },
    untilAvailable: () =>
      view.until(
        'all fleets are Available',
        () => FLEETS.every((name) => isTrue(view.deployments.get(`${NAMESPACE}/${name}`) ?? {}, 'Available')),
        MAC_MS,
      ),
    untilOurs: (): Promise<MacHost> =>
      view.until(
        'its Mac has our configuration and an identity of its own',
        () => view.macs().find(isOnItsOwn),
        MAC_MS,
      ),
    isNodeReady: (): boolean => {
      const { conditions = [] } = view.nodes.get(machineName())?.status ?? {};
      return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
    },
    shellOf: () => readShell(scene),
    originalsLeft: () => countOriginals(scene, machineName()),
    lastRevisionWithFleets: () => findRevision(scene),
  };
};

/** What the Cluster refers to. */
const readShell = async ({ client }: ChartScene): Promise<string | undefined> => {
  const key = { namespace: NAMESPACE, name: CLUSTER };
  return (await client.get(CLUSTER_API_RESOURCES.clusters, key, { signal })).spec?.infrastructureRef?.kind;
};

/** Of what the original made for a Mac, how much is still there: account, token, binding and password. */
const countOriginals = async (scene: ChartScene, machine: string): Promise<number> => {
  const name = `tart-kubelet-${machine}`;
  const made = [`serviceaccount/${name}`, `clusterrolebinding/${name}`, `secret/${name}-token`];
  const secret = `secret/${machine}-bootstrap`;
  const found = await scene.kubectl('get', ...made, secret, '--ignore-not-found', '--output=name');
  return found.split('\n').filter((line) => line !== '').length;
};

/** The last one of the original's release that has fleets. */
const findRevision = async (scene: ChartScene): Promise<string> => {
  const history: readonly { readonly revision: number }[] = JSON.parse(
    await scene.helm('history', ORIGINAL, '-o', 'json'),
  );
  for (const { revision } of history.toReversed()) {
    const manifest = await scene.helm('get', 'manifest', ORIGINAL, '--revision', `${revision}`);
    if (manifest.includes('kind: MachineDeployment')) return `${revision}`;
  }
  throw new Error('no revision has fleets');
};
