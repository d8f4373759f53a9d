/** What every process of controllers opens: its log, its cluster, and the lease under which it leads. */
import { createSystemClock } from '../src/base/clock.ts';
import { createIds } from '../src/base/ids.ts';
import { createLogger } from '../src/base/logger.ts';
import { createSystemRandom } from '../src/base/random.ts';
import type { CliIo } from '../src/cli/io.ts';
import { GROWTH_BYTES, startIdleCollection } from '../src/controlplane/idle-collection.ts';
import { createSystemHeap } from '../src/controlplane/system-heap.ts';
import { connectCluster } from '../src/kube/client/connect.ts';
import { createKubeClient } from '../src/kube/client/create-client.ts';
import { createHostIo } from '../src/kube/client/login/host-io.ts';
import { loadInCluster, loadKubeconfig } from '../src/kube/client/login/load-cluster.ts';
import { createLeaderLease } from '../src/kube/manager/leader-lease.ts';
import { createRuntimeMetrics } from '../src/kube/manager/metrics.ts';
import type { LeaseFlags } from '../src/world/manager-flags.ts';
import { refuseRival } from '../src/world/manager-rival.ts';

export interface ControllerFlags {
  readonly kubeconfig: string | undefined;
  readonly notes: readonly string[];
  readonly lease: LeaseFlags | undefined;
}

export interface Leading {
  readonly leaseName: string;
  /** Where the lease is unless said, for a process outside of the cluster; inside it is beside its own Pod. */
  readonly homeNamespace: string;
  /** Whether a live lease of this name elsewhere stops the start (R27). */
  readonly rivals: 'refused' | 'welcome';
}

export const openController = async (
  { env, stdout, signal }: Pick<CliIo, 'env' | 'stdout' | 'signal'>,
  { kubeconfig, notes, lease: asked }: ControllerFlags,
  { leading, closing }: { readonly leading: Leading; readonly closing: AsyncDisposableStack },
) => {
  const [clock, random, host] = [createSystemClock(), createSystemRandom(), createHostIo()];
  const logger = createLogger({ clock, level: 'info', destination: { write: stdout } });
  for (const note of notes) logger.warn(note);
  const { KUBERNETES_SERVICE_HOST: serviceHost, KUBERNETES_SERVICE_PORT: servicePort } = env;
  const config =
    kubeconfig === undefined
      ? await loadInCluster({ serviceHost, servicePort }, host)
      : await loadKubeconfig({ path: kubeconfig }, host);
  const metrics = createRuntimeMetrics();
  const onResponse = (info: { method: string; host: string; status: number | undefined }): void =>
    metrics.requested({ method: info.method, host: info.host, code: String(info.status ?? '<error>') });
  const deps = { host, clock, random, logger };
  const cluster = await connectCluster(config, { ...deps, onResponse });
  closing.defer(cluster.close);
  closing.defer(startIdleCollection(clock, createSystemHeap(), GROWTH_BYTES.controller));
  const ids = createIds(random);
  const opened = { ...deps, ids, config, metrics, client: cluster.client };
  if (asked === undefined) return { ...opened, lease: undefined };
  // Renewals never queue behind other requests.
  const client = createKubeClient({ transport: cluster.transport, clock, random, logger });
  const home = (kubeconfig === undefined ? config.namespace : undefined) ?? leading.homeNamespace;
  const key = { namespace: asked.namespace ?? home, name: leading.leaseName };
  if (leading.rivals === 'refused') await refuseRival({ client, clock, logger }, key, signal);
  const lease = createLeaderLease({
    ...{ client, clock, random, logger, identity: ids.uuid(), lease: key },
    ...(asked.times === undefined ? {} : { times: asked.times }),
  });
  return { ...opened, lease };
};
