/**
 * The chart as a platform team installs it: a real cluster with Cluster API core, a Linux Node on which Pods of the image run under the rights that
 * the chart gives them, a Scaleway project whose Macs run real bash, and a dispatcher of jobs. All of it outlives every release.
 */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { neverAborted } from '../../../src/base/abort.ts';
import { createSystemClock } from '../../../src/base/clock.ts';
import { createSystemRandom } from '../../../src/base/random.ts';
import type { KubeClient } from '../../../src/kube/client/client.ts';
import { createFleetKeys } from '../../../src/provider/identity/fleet-keys.ts';
import { PROJECT_ON_MAC } from '../../../src/sim/mac/bash/mac-root.ts';
import { type ImageNode, openImageNode } from '../../image/image-node.ts';
import type { Cluster, CommandResult } from '../bench/cluster.ts';
import { startCluster } from '../bench.ts';
import { type FleetView, openFleetView } from '../cluster-api/fleet-view.ts';
import { type MacLab, openMacLab } from '../cluster-api/mac-lab.ts';

export const NAMESPACE = 'macfleet-system';
export const RUNNERS_NAMESPACE = 'tuist-runners';
export const RELEASE = 'macfleet';
/** As its values call it. */
const REPOSITORY = 'macfleet';
export const RUNNER_IMAGE = 'ghcr.io/acme/runner:1';

export const PROJECT = join(import.meta.dirname, '..', '..', '..');
export const CHART = process.env['MACFLEET_TRY_CHART'] ?? join(PROJECT, 'charts', 'macfleet');

export interface ChartScene {
  readonly cluster: Cluster;
  /** The administrator's. */
  readonly client: KubeClient;
  readonly node: ImageNode;
  readonly lab: MacLab;
  /** Of the namespace of the release. Its kinds come with the chart. */
  openView(): Promise<FleetView>;
  /** In the namespace of the release; rejects when it fails. */
  helm(...args: readonly string[]): Promise<string>;
  tryHelm(...args: readonly string[]): Promise<CommandResult>;
  kubectl(...args: readonly string[]): Promise<string>;
  /** A file with these values. */
  writeValues(name: string, values: object): string;
  /** What connects a release to the lab. */
  labValues(): Promise<LabValues>;
  close(): Promise<void>;
}

export type Values = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export interface LabValues extends Values {
  readonly manager: { readonly leaseProfile: string; readonly extraArgs: readonly string[] };
  readonly macosFleet: Readonly<Record<string, unknown>>;
}

const HELM_MS = 170_000;
const SPEED = 10;
const GUEST = `export SIM_SPEED=${SPEED} NODE_COMPILE_CACHE=/tmp/sim-guest; exec /host/node ${PROJECT_ON_MAC}/src/sim/dispatch/guest/main.ts`;

export const openChartScene = async (): Promise<ChartScene> => {
  const cluster = await startCluster({ parts: 'cluster-api', auditNamespaces: [NAMESPACE, RUNNERS_NAMESPACE] });
  const closing = new AsyncDisposableStack();
  closing.defer(cluster.stop);
  const client = await cluster.client();
  const lab = await openMacLab({ images: { '*': {}, [RUNNER_IMAGE]: { script: GUEST, bootMs: 50 } } });
  closing.defer(lab.close);
  const node = await openImageNode(cluster, { name: 'linux', repository: REPOSITORY });
  closing.defer(node.close);
  const run = async (binary: string, args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await cluster.run(binary, args, { timeoutMs: HELM_MS });
    if (code !== 0) throw new Error(`${binary} ${args.join(' ')}\n${stdout}${stderr}\n${node.logOf('').slice(-8_000)}`);
    return stdout;
  };
  const within = ['--namespace', NAMESPACE];
  return {
    ...{ cluster, client, node, lab },
    openView: async () => {
      const view = await openFleetView({ client, namespace: NAMESPACE, projectId: lab.cloud.projectId });
      closing.defer(async () => view.close());
      return view;
    },
    helm: (...args) => run('helm', [...args, ...within]),
    tryHelm: (...args) => cluster.run('helm', [...args, ...within], { timeoutMs: HELM_MS }),
    kubectl: (...args) => run('kubectl', [...args, ...within]),
    writeValues: (name, values) => {
      const path = join(cluster.dir, `${name}.json`);
      writeFileSync(path, JSON.stringify(values));
      return path;
    },
    labValues: () => connect(cluster, lab, node.root),
    close: () => closing.disposeAsync(),
  };
};

/** Where the image has what is put on Macs. Its own would run on a Mac alone: simulated ones get what stands for it. */
const ON_MACS: Readonly<Record<string, string>> = {
  'tart-tarball-path': 'opt/tart/tart.tar.gz',
  'tartkubelet-runtime-path': 'opt/tart-kubelet/node-darwin-arm64.gz',
  'tartkubelet-bundle-path': 'opt/tart-kubelet/tart-kubelet.mjs',
};

const connect = async (cluster: Cluster, lab: MacLab, root: string): Promise<LabValues> => {
  const flags = await lab.flags();
  mkdirSync(join(root, 'opt', 'tart'), { recursive: true });
  for (const [flag, path] of Object.entries(ON_MACS)) copyFileSync(flags[flag] ?? '', join(root, path));
  const { SCW_API_URL: apiUrl, SCW_ACCESS_KEY: accessKey, SCW_SECRET_KEY: secretKey } = lab.environments.first;
  const { projectId } = lab.cloud;
  return {
    image: { repository: REPOSITORY },
    manager: {
      leaseProfile: 'fast',
      // A Mac's life is too long for a test.
      extraArgs: [`--ssh-port=${flags['ssh-port']}`, '--host-times=fast'],
    },
    macosFleet: {
      apiServerURL: cluster.server,
      scaleway: { apiUrl, credentials: { accessKey, secretKey, projectId } },
    },
  };
};

/** A Mac that was installed before its fleet had a key is wiped before it is of use (F41). */
export const makeFleetKeys = async ({ client, lab }: ChartScene, fleets: readonly string[]): Promise<void> => {
  const person = lab.cloud.as('a person');
  const keys = createFleetKeys({
    ...{ client, namespace: NAMESPACE, random: createSystemRandom(), clock: createSystemClock() },
    register: async ({ fleet: name, publicKey }) => person.addSshKey({ name, publicKey }).id,
  });
  for (const fleet of fleets) await keys.privateKeyOf(fleet, neverAborted());
};
