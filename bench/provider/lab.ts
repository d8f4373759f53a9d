/**
 * Real processes around a manager: a cluster that wants Macs (`macfleet up` without its provider), a simulated Scaleway over
 * HTTP in this process, and managers on both. There is no Mac behind the servers' addresses: they are claimed and renamed.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSystemClock } from '../../src/base/clock.ts';
import { createSeededRandom } from '../../src/base/random.ts';
import { objectPath } from '../../src/kube/client/paths.ts';
import { CLUSTER_API_RESOURCES } from '../../src/kube/types/cluster-api.ts';
import { SIMULATED_KEY } from '../../src/scaleway/port/simulated-key.ts';
import { serveCloud } from '../../src/sim/cloud/serve-cloud.ts';
import { createSimCloud, type SimCloud } from '../../src/sim/cloud/sim-cloud.ts';
import { createRequests, type Requests } from '../control-plane/requests.ts';
import { rssMbOf } from '../control-plane/server.ts';
import { until } from '../control-plane/until.ts';
import { type Program, startMacfleet } from '../processes/program.ts';

export interface ManagerProcess {
  /** Whether it has said that it leads. */
  readonly leads: boolean;
  /** One that lost its lease ends by itself. */
  readonly isOver: boolean;
  rssMb(): number;
  /** At once, without a word to it. */
  kill(): Promise<void>;
}

export interface Lab {
  readonly cloud: SimCloud;
  readonly requests: Requests;
  /** Settles when it waits for the lease, or has it. */
  startManager(): Promise<ManagerProcess>;
  stop(): Promise<void>;
}

const PREFIX = 'tuist-pool-';
const CONNECTIONS = 16;
/** The one that `up` makes. */
const DEPLOYMENT = objectPath(CLUSTER_API_RESOURCES.machineDeployments, { namespace: 'default', name: 'macos' });

export interface LabOptions {
  /** So many are in the pool. */
  readonly macs: number;
  /** So many of them the MachineDeployment wants. */
  readonly wanted: number;
  readonly leaseProfile: 'normal' | 'fast';
}

export const openLab = async ({ macs, wanted, leaseProfile }: LabOptions): Promise<Lab> => {
  const data = mkdtempSync(join(tmpdir(), 'macfleet-bench-'));
  const clock = createSystemClock();
  const cloud = createSimCloud({ clock, random: createSeededRandom(1), apiKeys: [SIMULATED_KEY] });
  for (let at = 0; at < macs; at += 1) cloud.addServer({ name: `${PREFIX}${at}` });
  const served = await serveCloud({ clock, cloud });
  const up = startMacfleet(['up', '--provider', 'elsewhere', '--machines', '1', '--data', data]);
  await up.until(/kubeconfig:/);
  const kubeconfig = join(data, 'kubeconfig');
  const requests = await createRequests(kubeconfig, CONNECTIONS);
  // It is there a moment after the API.
  await until('the MachineDeployment', () =>
    requests.send('GET', DEPLOYMENT).then(
      () => true,
      () => false,
    ),
  );
  await requests.send('PATCH', DEPLOYMENT, JSON.stringify({ spec: { replicas: wanted } }));
  const flags = [...managerFlags({ data, kubeconfig }), '--lease-profile', leaseProfile];
  const env = { HOME: data, PATH: process.env['PATH'], ...served.environment };
  const managers: Program[] = [];
  return {
    cloud,
    requests,
    startManager: async () => {
      const manager = startMacfleet(['manager', ...flags], env);
      managers.push(manager);
      await manager.until(/"port":/);
      return {
        get leads() {
          return manager.said(/Leader lease acquired/);
        },
        get isOver() {
          return manager.isOver();
        },
        rssMb: () => rssMbOf(manager.pid),
        kill: () => manager.end('SIGKILL'),
      };
    },
    stop: async () => {
      await Promise.all(managers.map((manager) => manager.end('SIGKILL')));
      await requests.close();
      await up.end('SIGINT');
      await served.close();
      cloud.stop();
      rmSync(data, { recursive: true, force: true });
    },
  };
};

const managerFlags = ({ data, kubeconfig }: { readonly data: string; readonly kubeconfig: string }) => [
  ...['--kubeconfig', kubeconfig, '--scaleway', '--default-adopt-pool-prefix', PREFIX],
  ...['--api-server-url', 'https://macfleet.test', '--orphan-reclaim-claim-name-prefix', 'tuist-'],
  ...['--metrics-bind-address', '127.0.0.1:0', '--health-probe-bind-address', '0'],
  ...['tart-tarball', 'tartkubelet-runtime', 'tartkubelet-bundle'].map((name) => {
    const path = join(data, name);
    writeFileSync(path, `the ${name}\n`);
    return `--${name}-path=${path}`;
  }),
];
