/**
 * Fleets on the real Cluster API whose Macs run real bash: a namespace, a lab of Macs, and managers as processes that can be
 * killed, frozen and started again. The manager gives Macs and core their identities itself; nobody helps it.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { neverAborted } from '../../../src/base/abort.ts';
import { createSystemClock } from '../../../src/base/clock.ts';
import { createIds } from '../../../src/base/ids.ts';
import { createSystemRandom } from '../../../src/base/random.ts';
import type { KubeClient } from '../../../src/kube/client/client.ts';
import { createFleetKeys } from '../../../src/provider/identity/fleet-keys.ts';
import type { Cluster } from '../bench/cluster.ts';
import { createServers, type Servers } from '../bench/servers.ts';
import { renderBindings, renderCluster, renderOwnIdentities } from './fleet-objects.ts';
import { applyTo, type ManagerLine, parseLog } from './fleet-scene.ts';
import { type FleetView, openFleetView } from './fleet-view.ts';
import { type MacLab, openMacLab } from './mac-lab.ts';

export type Role = 'macos' | 'runners' | 'builders';

/** Nodes share the cluster with other tests. */
export const fleetNameOf = (namespace: string, role: Role): string => `${namespace}-${role}`;

export interface LabScene {
  readonly cluster: Cluster;
  /** The administrator's. */
  readonly client: KubeClient;
  readonly namespace: string;
  /** Where the manager has its lease and its Secrets. */
  readonly home: string;
  readonly lab: MacLab;
  readonly view: FleetView;
  apply(objects: readonly object[]): Promise<void>;
  /** In the namespace; rejects when it fails. */
  kubectl(...args: readonly string[]): Promise<string>;
  /** A manager under this name. */
  startManager(name: string, key?: 'first' | 'second'): Promise<void>;
  readonly managers: Pick<Servers, 'stop' | 'signal' | 'checkAlive'>;
  managerLog(name: string): readonly ManagerLine[];
  stop(): Promise<void>;
}

export interface LabSceneOptions {
  /** Drawn unless given. */
  readonly namespace?: string;
  /** One that somebody else opened, and closes. */
  readonly lab?: MacLab;
  /** Where the manager has its lease and its Secrets; with the fleets unless said. */
  readonly home?: string;
}

const MANAGER = join(import.meta.dirname, '..', '..', '..', 'bin', 'manager.ts');
const READY_MS = 30_000;

/** Without a manager yet, and without Macs. */
export const openLabScene = async (cluster: Cluster, options: LabSceneOptions = {}): Promise<LabScene> => {
  const namespace = options.namespace ?? `lab-${createIds(createSystemRandom()).suffix(6)}`;
  const home = options.home ?? namespace;
  const places = [...new Set([namespace, home])];
  const lab = options.lab ?? (await openMacLab());
  const client = await cluster.client();
  const user = `${namespace}-manager`;
  const apply = (objects: readonly object[]) => applyTo(cluster, objects);
  await apply(places.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })));
  for (const place of places) {
    await apply([
      ...renderBindings(place, { manager: user, remote: `${namespace}-nobody` }),
      ...renderOwnIdentities(place, user),
    ]);
  }
  const view = await openFleetView({ client, namespace, projectId: lab.cloud.projectId });
  const dir = join(cluster.dir, namespace);
  mkdirSync(dir);
  const servers = createServers(dir, READY_MS);
  const kubeconfig = await cluster.kubeconfigFor({ name: user });
  await servers.until('the API server to know the rights of the manager', () => hasRights(cluster, home, user));
  return {
    ...{ cluster, client, namespace, home, lab, apply, managers: servers },
    view: {
      ...view,
      until: (...asked) =>
        view.until(...asked).catch((error: unknown) => {
          servers.checkAlive();
          throw error;
        }),
    },
    kubectl: async (...args) => {
      const { code, stdout, stderr } = await cluster.kubectl([...args, '-n', namespace]);
      if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
      return stdout;
    },
    startManager: async (name, key = 'first') => {
      const flags = { ...flagsFor(namespace, home), kubeconfig, ...(await lab.flags()) };
      const words = Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, value]);
      const args = [MANAGER, '--scaleway', ...words];
      servers.start({ name, path: process.execPath, args, env: lab.environments[key] });
    },
    managerLog: (name) => parseLog(readFileSync(join(dir, `${name}.log`), 'utf8')),
    stop: async () => {
      await servers.stopAll();
      view.close();
      if (options.lab === undefined) await lab.close();
    },
  };
};

/** With its Cluster, so many Macs that know the keys of the fleets, and one manager. */
export const openLab = async (
  cluster: Cluster,
  { macs, fleets, ...options }: LabSceneOptions & { readonly macs: number; readonly fleets: readonly Role[] },
): Promise<LabScene> => {
  const scene = await openLabScene(cluster, options);
  const { client, namespace, home, lab } = scene;
  // A Mac that was installed before its fleet had a key is wiped before it is of use (F41).
  const person = lab.cloud.as('a person');
  const keys = createFleetKeys({
    ...{ client, namespace: home, random: createSystemRandom(), clock: createSystemClock() },
    register: async ({ fleet: name, publicKey }) => person.addSshKey({ name, publicKey }).id,
  });
  for (const role of fleets) await keys.privateKeyOf(fleetNameOf(namespace, role), neverAborted());
  await lab.addMacs(macs);
  await scene.apply(renderCluster(namespace));
  await scene.startManager('manager');
  return scene;
};

/** The last of each kind of binding that it was given. */
const hasRights = async (cluster: Cluster, namespace: string, user: string): Promise<boolean> => {
  const canI = (...what: readonly string[]) => cluster.kubectl(['auth', 'can-i', ...what, '--as', user]);
  const answers = await Promise.all([
    canI('get', 'namespaces'),
    canI('create', 'secrets', '-n', 'kube-system'),
    canI('create', 'secrets', '-n', namespace),
  ]);
  return answers.every(({ code }) => code === 0);
};

const flagsFor = (namespace: string, home: string) => ({
  ...{ namespace, 'secrets-namespace': home, 'lease-namespace': home, 'lease-profile': 'fast' },
  // A Mac's life is too long for a test.
  'host-times': 'fast',
  ...{ 'metrics-bind-address': '127.0.0.1:0', 'health-probe-bind-address': '0' },
});
