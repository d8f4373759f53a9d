/**
 * One fleet on the real Cluster API: a namespace, our manager as a process with our roles and no other, simulated Macs of
 * a simulated project of its own, and Nodes that joined by token and certificate.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createIds } from '../../../src/base/ids.ts';
import { createSystemRandom } from '../../../src/base/random.ts';
import { REMOTE_ACCOUNT } from '../../../src/install/bindings.ts';
import type { KubeClient } from '../../../src/kube/client/client.ts';
import type { Cluster } from '../bench/cluster.ts';
import { createServers, type Servers } from '../bench/servers.ts';
import {
  installedManagerIn,
  renderBindings,
  renderCluster,
  renderInstalledRights,
  renderRemoteKubeconfig,
} from './fleet-objects.ts';
import { type FleetView, openFleetView } from './fleet-view.ts';
import { type ManagerCounts, readCounts, untilCounts } from './manager-counts.ts';
import { type Approver, drawToken, renderJoinKubeconfig, renderTokenObjects, startApprover } from './node-access.ts';

export interface FleetScene {
  readonly cluster: Cluster;
  /** The administrator's. */
  readonly client: KubeClient;
  /** Also the name of the fleet, its MachineDeployment and its simulated project. */
  readonly namespace: string;
  readonly view: FleetView;
  readonly approver: Approver;
  apply(objects: readonly object[]): Promise<void>;
  /** What the manager has logged so far, one object per line. */
  managerLog(): readonly ManagerLine[];
  managerCounts(): Promise<ManagerCounts>;
  untilManager(fact: string, isSo: (counts: ManagerCounts) => boolean): Promise<void>;
  stop(): Promise<void>;
}

export interface ManagerLine {
  readonly level?: string;
  readonly message?: string;
  readonly port?: number;
}

const MANAGER = join(import.meta.dirname, '..', '..', '..', 'bin', 'manager.ts');
/** A wipe takes five to fifteen minutes of life. */
const SPEED_UP = 300;

export interface FleetOptions {
  readonly macs: number;
  /** `installed`: the manager has what an installation in this namespace gives it, and writes the kubeconfig of core itself. */
  readonly rights?: 'installed';
}

export const openFleet = async (cluster: Cluster, { macs, rights }: FleetOptions): Promise<FleetScene> => {
  const random = createSystemRandom();
  const namespace = `fleet-${createIds(random).suffix(6)}`;
  const client = await cluster.client();
  const manager = rights === 'installed' ? installedManagerIn(namespace) : `${namespace}-manager`;
  const users = { manager, remote: `${namespace}-remote` };
  const token = drawToken(namespace, random);
  const remote = await cluster.kubeconfigFor({ name: users.remote });
  await applyTo(cluster, [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }]);
  await applyTo(cluster, [
    ...(rights === 'installed'
      ? renderInstalledRights(namespace)
      : [...renderBindings(namespace, users), renderRemoteKubeconfig(namespace, readFileSync(remote, 'utf8'))]),
    ...renderTokenObjects(token),
    ...renderCluster(namespace),
  ]);
  const view = await openFleetView({ client, namespace, projectId: namespace });
  const isExpected = (nodeName: string): boolean =>
    view.macs().some(({ spec }) => spec.claimRef?.namespace === namespace && spec.claimRef.name === nodeName);
  const approver = startApprover({ client, token, isExpected });
  const dir = join(cluster.dir, namespace);
  mkdirSync(dir);
  const joinKubeconfig = join(dir, 'join.kubeconfig');
  writeFileSync(joinKubeconfig, renderJoinKubeconfig(cluster, token), { mode: 0o600 });
  const servers = createServers(dir, 30_000);
  const kubeconfig = await cluster.kubeconfigFor({ name: users.manager });
  startManager(servers, { namespace, macs, kubeconfig, joinKubeconfig, rights });
  const managerLog = () => parseLog(readFileSync(join(dir, 'manager.log'), 'utf8'));
  const metricsPort = (): number => managerLog().find(({ port }) => port !== undefined)?.port ?? 0;
  return {
    ...{ cluster, client, namespace, view, approver, managerLog },
    apply: (objects) => applyTo(cluster, objects),
    managerCounts: () => readCounts(metricsPort()),
    untilManager: (fact, isSo) => untilCounts(metricsPort(), fact, isSo),
    stop: async () => {
      await servers.stopAll();
      await approver.stop();
      view.close();
    },
  };
};

interface ManagerFlags {
  readonly namespace: string;
  readonly macs: number;
  readonly kubeconfig: string;
  readonly joinKubeconfig: string;
  readonly rights: FleetOptions['rights'];
}

const startManager = (servers: Servers, options: ManagerFlags): void => {
  const { namespace, macs, kubeconfig, joinKubeconfig, rights } = options;
  const flags = {
    ...(rights === 'installed' && { 'capi-remote-account': REMOTE_ACCOUNT, 'secrets-namespace': namespace }),
    ...{ kubeconfig, 'join-kubeconfig': joinKubeconfig },
    ...{ namespace, 'lease-namespace': namespace, 'simulated-project': namespace },
    ...{ 'simulated-macs': `${macs}`, 'speed-up': `${SPEED_UP}` },
    ...{ 'metrics-bind-address': '127.0.0.1:0', 'health-probe-bind-address': '0' },
  };
  const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
  servers.start({ name: 'manager', path: process.execPath, args: [MANAGER, ...args] });
};

export const applyTo = async (cluster: Cluster, items: readonly object[]): Promise<void> => {
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  const { code, stderr } = await cluster.kubectl(['apply', '-f', '-'], { input });
  if (code !== 0) throw new Error(`kubectl apply: ${stderr}`);
};

export const parseLog = (text: string): readonly ManagerLine[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as ManagerLine);
