/**
 * The provider as a process of its own, on any cluster: `node bin/manager.ts --kubeconfig <file> --simulated-macs 3`. Until
 * the Scaleway and SSH adapters exist it works on simulated Macs only, and says so.
 */
import './require-node.js';
import { Command, Option } from 'commander';
import { createSystemClock } from '../src/base/clock.ts';
import { cancelled, FleetError } from '../src/base/errors.ts';
import { createIds } from '../src/base/ids.ts';
import { createLogger } from '../src/base/logger.ts';
import { createSystemRandom } from '../src/base/random.ts';
import { reportFailure } from '../src/cli/run-cli.ts';
import { LEASE_NAMES } from '../src/kinds/names.ts';
import { connectCluster } from '../src/kube/client/connect.ts';
import { createKubeClient } from '../src/kube/client/create-client.ts';
import { createHostIo } from '../src/kube/client/login/host-io.ts';
import { loadInCluster, loadKubeconfig } from '../src/kube/client/login/load-cluster.ts';
import { startHealthServer } from '../src/kube/manager/health-server.ts';
import { createLeaderLease } from '../src/kube/manager/leader-lease.ts';
import { createRuntimeMetrics } from '../src/kube/manager/metrics.ts';
import { createManager } from '../src/provider/create-manager.ts';
import { createNodeLogins } from '../src/world/node-login.ts';
import { createSimulatedPorts, startSimulation } from '../src/world/simulated-provider.ts';

interface Flags {
  readonly kubeconfig?: string;
  readonly namespace?: string;
  readonly simulatedMacs: string;
  readonly simulatedProject?: string;
  readonly joinKubeconfig?: string;
  readonly speedUp: string;
  readonly leaseNamespace: string;
  readonly healthPort: string;
}

const args = process.argv.slice(2);
const stopping = new AbortController();
const io = {
  stdout: (text: string) => process.stdout.write(text),
  stderr: (text: string) => process.stderr.write(text),
  env: process.env,
  signal: stopping.signal,
};
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => stopping.abort(cancelled(`stopped by ${name}`)));
}

const flags = new Command('manager')
  .description('the Cluster API provider for Mac fleets')
  .option('--kubeconfig <file>', 'the cluster to work on; without it the one this process runs in')
  .option('--namespace <namespace>', 'work for the Clusters and Machines of this namespace only')
  .addOption(new Option('--simulated-macs <count>', 'work on so many simulated Macs').makeOptionMandatory())
  .option('--simulated-project <id>', 'the Scaleway project they are in; managers of one cluster have one each')
  .option('--join-kubeconfig <file>', 'what Macs join with: holds a bootstrap token; without it they speak as we do')
  .option('--speed-up <factor>', 'how much faster than life they are', '100')
  .option('--lease-namespace <namespace>', 'where the leader lease is', 'kube-system')
  .option('--health-port <port>', 'port of /healthz, /readyz and /metrics; 0 takes a free one', '8081')
  .parse(args, { from: 'user' })
  .opts<Flags>();

const parseNumber = (text: string, name: string): number => {
  const value = Number(text);
  if (text.trim() !== '' && Number.isInteger(value) && value >= 0) return value;
  throw new FleetError('invalid', { code: 'BadNumber', message: `"${text}" is no number for ${name}` });
};

const run = async (): Promise<void> => {
  const { signal } = stopping;
  const [clock, random, host] = [createSystemClock(), createSystemRandom(), createHostIo()];
  const logger = createLogger({ clock, level: 'info', destination: { write: io.stdout } });
  const { KUBERNETES_SERVICE_HOST: serviceHost, KUBERNETES_SERVICE_PORT: servicePort } = process.env;
  const config =
    flags.kubeconfig === undefined
      ? await loadInCluster({ serviceHost, servicePort }, host)
      : await loadKubeconfig({ path: flags.kubeconfig }, host);
  const metrics = createRuntimeMetrics();
  const onResponse = (info: { method: string; host: string; status: number | undefined }): void =>
    metrics.requested({ method: info.method, host: info.host, code: String(info.status ?? '<error>') });
  const cluster = await connectCluster(config, { host, clock, random, logger, onResponse });
  const speedUp = parseNumber(flags.speedUp, '--speed-up');
  const macs = parseNumber(flags.simulatedMacs, '--simulated-macs');
  logger.warn('Working on simulated Macs: no real Mac and no real account is touched', { macs, speedUp });
  const common = { clock, random, logger, speedUp };
  const { joinKubeconfig, namespace, simulatedProject: projectId } = flags;
  const logins =
    joinKubeconfig === undefined ? undefined : createNodeLogins(joinKubeconfig, { host, clock, random, logger });
  const clientForNode = logins?.clientForNode ?? (() => cluster.client);
  const simulated = { ...common, macs, clientForNode, ...(projectId === undefined ? {} : { projectId }) };
  const simulation = startSimulation(simulated, signal);
  // Renewals never queue behind other requests.
  const leaseClient = createKubeClient({ transport: cluster.transport, clock, random, logger });
  const lease = createLeaderLease({
    ...{ client: leaseClient, clock, random, logger, identity: createIds(random).uuid() },
    lease: { namespace: flags.leaseNamespace, name: LEASE_NAMES.manager },
  });
  const chosen = { ...(logins && { join: logins.join }), ...(namespace === undefined ? {} : { namespace }) };
  const ports = await createSimulatedPorts({ ...common, ...chosen, client: cluster.client }, simulation, signal);
  const manager = createManager({ ...ports, lease, metrics });
  const health = await startHealthServer(
    { host: '127.0.0.1', port: parseNumber(flags.healthPort, '--health-port') },
    {
      isAlive: () => true,
      notReadyBecause: manager.notReadyBecause,
      metrics: async () => ({ contentType: metrics.registry.contentType, text: await metrics.registry.metrics() }),
    },
  );
  logger.info('Health and metrics are served', { port: health.port });
  try {
    await manager.run(signal);
  } finally {
    stopping.abort();
    await simulation.stop();
    await logins?.close();
    await health.close();
    await cluster.close();
  }
};

try {
  await run();
} catch (error) {
  process.exitCode = reportFailure({ args, io }, error);
}
