/** The runners controller as a process of its own: `./macfleet runners --dispatch-url … --sessions-url …`. */
import './require-node.js';
import { createSystemClock } from '../src/base/clock.ts';
import { FleetError } from '../src/base/errors.ts';
import { createIds } from '../src/base/ids.ts';
import { createLogger } from '../src/base/logger.ts';
import { createSystemRandom } from '../src/base/random.ts';
import { Secret } from '../src/base/secret.ts';
import { startIdleCollection } from '../src/controlplane/idle-collection.ts';
import { createSystemHeap } from '../src/controlplane/system-heap.ts';
import { createDispatcher } from '../src/dispatch/adapter/create-dispatcher.ts';
import { createHttpDispatchTransport } from '../src/dispatch/adapter/http-transport.ts';
import { LEASE_NAMES } from '../src/kinds/names.ts';
import { connectCluster } from '../src/kube/client/connect.ts';
import { createKubeClient } from '../src/kube/client/create-client.ts';
import { createHostIo } from '../src/kube/client/login/host-io.ts';
import { loadInCluster, loadKubeconfig } from '../src/kube/client/login/load-cluster.ts';
import { createLeaderLease } from '../src/kube/manager/leader-lease.ts';
import { createRuntimeMetrics } from '../src/kube/manager/metrics.ts';
import { createRunners } from '../src/runners/create-runners.ts';
import { serveHealth } from '../src/world/manager-health.ts';
import { refuseRival } from '../src/world/manager-rival.ts';
import { parseRunnersFlags } from '../src/world/runners-flags.ts';
import { openProcess, runToEnd } from './process-io.ts';

const program = openProcess();
const { args, io } = program;

const run = async (closing: AsyncDisposableStack): Promise<void> => {
  const { signal, env } = io;
  const flags = parseRunnersFlags(args, env);
  const [clock, random, host] = [createSystemClock(), createSystemRandom(), createHostIo()];
  const logger = createLogger({ clock, level: 'info', destination: { write: io.stdout } });
  for (const note of flags.notes) logger.warn(note);
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
  const home = (flags.kubeconfig === undefined ? config.namespace : undefined) ?? flags.namespace;
  const leaseKey = { namespace: flags.lease?.namespace ?? home, name: LEASE_NAMES.runners };
  const ids = createIds(random);
  const lease =
    flags.lease &&
    createLeaderLease({
      ...{ client: leaseClient, clock, random, logger, identity: ids.uuid(), lease: leaseKey },
      ...(flags.lease.times === undefined ? {} : { times: flags.lease.times }),
    });
  if (lease !== undefined) await refuseRival({ client: leaseClient, clock, logger }, leaseKey, signal);
  const http = createHttpDispatchTransport();
  closing.defer(http.close);
  const { sessionsUrl, scalingUrl, tokenFile, namespace, guests } = flags;
  const token = async (): Promise<Secret<string>> => {
    const text = (await host.readText(tokenFile))?.trim() ?? '';
    if (text !== '') return new Secret(text);
    throw new FleetError('denied', {
      code: 'NoDispatchToken',
      message: `there is no token in ${tokenFile}`,
      hint: 'Mount the token of the ServiceAccount, or name its file with --dispatch-token-file.',
    });
  };
  const manager = createRunners({
    ...{ client: cluster.client, clock, random, ids, logger, namespace, guests, metrics },
    dispatcher: createDispatcher({ transport: http.send, clock, token, scalingUrl, sessionsUrl }),
    sessions: sessionsUrl === undefined ? 'none' : 'reported',
    signals: scalingUrl === undefined ? 'none' : 'asked',
    ...(lease === undefined ? {} : { lease }),
  });
  const { notReadyBecause } = manager;
  closing.defer(startIdleCollection(clock, createSystemHeap()));
  closing.use(await serveHealth(flags, { metrics, notReadyBecause, logger }));
  await manager.run(signal);
};

await runToEnd(program, run);
