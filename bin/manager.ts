/**
 * The provider as a process of its own, on any cluster: `node bin/manager.ts --kubeconfig <file> --scaleway` works on a
 * Scaleway project, `--simulated-macs 3` on Macs that exist only in this process.
 */
import './require-node.js';
import { createSystemClock } from '../src/base/clock.ts';
import { cancelled } from '../src/base/errors.ts';
import { createIds } from '../src/base/ids.ts';
import { createLogger } from '../src/base/logger.ts';
import { createSystemRandom } from '../src/base/random.ts';
import { reportFailure } from '../src/cli/report-failure.ts';
import { LEASE_NAMES } from '../src/kinds/names.ts';
import { connectCluster } from '../src/kube/client/connect.ts';
import { createKubeClient } from '../src/kube/client/create-client.ts';
import { createHostIo } from '../src/kube/client/login/host-io.ts';
import { loadInCluster, loadKubeconfig } from '../src/kube/client/login/load-cluster.ts';
import { startHealthServer } from '../src/kube/manager/health-server.ts';
import { createLeaderLease } from '../src/kube/manager/leader-lease.ts';
import { createRuntimeMetrics } from '../src/kube/manager/metrics.ts';
import { createManager } from '../src/provider/create-manager.ts';
import { parseManagerFlags } from '../src/world/manager-flags.ts';
import { openProvider } from '../src/world/manager-ports.ts';

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

const run = async (closing: AsyncDisposableStack): Promise<void> => {
  const { flags, work } = parseManagerFlags(args);
  const { signal, env } = io;
  const [clock, random, host] = [createSystemClock(), createSystemRandom(), createHostIo()];
  const logger = createLogger({ clock, level: 'info', destination: { write: io.stdout } });
  const { KUBERNETES_SERVICE_HOST: serviceHost, KUBERNETES_SERVICE_PORT: servicePort } = env;
  const config =
    flags.kubeconfig === undefined
      ? await loadInCluster({ serviceHost, servicePort }, host)
      : await loadKubeconfig({ path: flags.kubeconfig }, host);
  const metrics = createRuntimeMetrics();
  const onResponse = (info: { method: string; host: string; status: number | undefined }): void =>
    metrics.requested({ method: info.method, host: info.host, code: String(info.status ?? '<error>') });
  const deps = { host, clock, random, logger };
  const cluster = await connectCluster(config, { ...deps, onResponse });
  closing.defer(cluster.close);
  // Renewals never queue behind other requests.
  const leaseClient = createKubeClient({ transport: cluster.transport, clock, random, logger });
  const lease = createLeaderLease({
    ...{ client: leaseClient, clock, random, logger, identity: createIds(random).uuid() },
    lease: { namespace: flags.leaseNamespace, name: LEASE_NAMES.manager },
  });
  const common = { ...deps, client: cluster.client, metrics, env, namespace: flags.namespace };
  const provider = await openProvider(work, common, signal);
  closing.defer(provider.close);
  const manager = createManager({ ...provider.ports, lease, metrics });
  const health = await startHealthServer(
    { host: '127.0.0.1', port: flags.healthPort },
    {
      isAlive: () => true,
      notReadyBecause: manager.notReadyBecause,
      metrics: async () => ({ contentType: metrics.registry.contentType, text: await metrics.registry.metrics() }),
    },
  );
  closing.defer(health.close);
  logger.info('Health and metrics are served', { port: health.port });
  await manager.run(signal);
};

const closing = new AsyncDisposableStack();
try {
  await run(closing);
} catch (error) {
  process.exitCode = reportFailure({ args, io }, error);
} finally {
  stopping.abort();
  await closing.disposeAsync();
}
