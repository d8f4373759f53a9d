/**
 * The provider as a process of its own, on any cluster: `./macfleet manager --kubeconfig <file> --scaleway` works on a
 * Scaleway project, `--simulated-macs 3` on Macs that exist only in this process.
 */
import './require-node.js';
import { createSystemClock } from '../src/base/clock.ts';
import { createIds } from '../src/base/ids.ts';
import { createLogger } from '../src/base/logger.ts';
import { createSystemRandom } from '../src/base/random.ts';
import { startIdleCollection } from '../src/controlplane/idle-collection.ts';
import { createSystemHeap } from '../src/controlplane/system-heap.ts';
import { LEASE_NAMES } from '../src/kinds/names.ts';
import { connectCluster } from '../src/kube/client/connect.ts';
import { createKubeClient } from '../src/kube/client/create-client.ts';
import { createHostIo } from '../src/kube/client/login/host-io.ts';
import { loadInCluster, loadKubeconfig } from '../src/kube/client/login/load-cluster.ts';
import { createLeaderLease } from '../src/kube/manager/leader-lease.ts';
import { createRuntimeMetrics } from '../src/kube/manager/metrics.ts';
import { createManager } from '../src/provider/create-manager.ts';
import { readClusterAccess } from '../src/world/cluster-access.ts';
import { parseManagerFlags } from '../src/world/manager-flags.ts';
import { serveHealth } from '../src/world/manager-health.ts';
import { openProvider } from '../src/world/manager-ports.ts';
import { refuseRival } from '../src/world/manager-rival.ts';
import { openProcess, runToEnd } from './process-io.ts';

const program = openProcess();
const { args, io } = program;

const run = async (closing: AsyncDisposableStack): Promise<void> => {
  const { signal, env } = io;
  const flags = parseManagerFlags(args, env);
  const [clock, random, host] = [createSystemClock(), createSystemRandom(), createHostIo()];
  const logger = createLogger({ clock, level: 'info', destination: { write: io.stdout } });
  for (const note of flags.notes) logger.warn(note);
  const { KUBERNETES_SERVICE_HOST: serviceHost, KUBERNETES_SERVICE_PORT: servicePort } = env;
  const runs = flags.kubeconfig === undefined ? 'in-cluster' : 'elsewhere';
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
  // Where the Go original has it: beside its own Pod.
  const homeNamespace = (runs === 'in-cluster' ? config.namespace : undefined) ?? 'kube-system';
  const leaseKey = { namespace: flags.lease?.namespace ?? homeNamespace, name: LEASE_NAMES.manager };
  const lease =
    flags.lease &&
    createLeaderLease({
      ...{ client: leaseClient, clock, random, logger, identity: createIds(random).uuid(), lease: leaseKey },
      ...(flags.lease.times === undefined ? {} : { times: flags.lease.times }),
    });
  // Managers of one namespace each may share a cluster.
  if (lease !== undefined && flags.fleet.namespace === undefined)
    await refuseRival({ client: leaseClient, clock, logger }, leaseKey, signal);
  const access = () => readClusterAccess({ config, apiServerUrl: flags.apiServerUrl, runs }, host);
  const common = { ...deps, client: cluster.client, metrics, env, rules: flags.fleet, access };
  const provider = await openProvider(flags.work, common, signal);
  closing.defer(provider.close);
  const manager = createManager({ ...provider.ports, metrics, ...(lease === undefined ? {} : { lease }) });
  const { notReadyBecause } = manager;
  closing.defer(startIdleCollection(clock, createSystemHeap()));
  closing.use(await serveHealth(flags, { metrics, notReadyBecause, logger }));
  await manager.run(signal);
};

await runToEnd(program, run);
