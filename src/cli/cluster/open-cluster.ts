/** From the flags of a command to a client for the cluster that they mean. */
import { type Clock, createSystemClock } from '../../base/clock.ts';
import { createSystemRandom } from '../../base/random.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { connectCluster } from '../../kube/client/connect.ts';
import type { KubeClientOptions } from '../../kube/client/create-client.ts';
import { createHostIo } from '../../kube/client/login/host-io.ts';
import { loadKubeconfig } from '../../kube/client/login/load-cluster.ts';
import type { ClusterConfig } from '../../kube/client/login/select-context.ts';
import type { Transport } from '../../kube/client/transport.ts';
import type { CliIo } from '../io.ts';
import type { ClusterFlags } from './cluster-flags.ts';
import { createNoticeLogger } from './notice-logger.ts';

export interface OpenedCluster {
  readonly client: KubeClient;
  readonly transport: Transport;
  /** Names the cluster in messages: `context "prod" of /home/ada/.kube/config`. */
  readonly source: string;
  /** Of the flag, or of the context. */
  readonly namespace: string;
  readonly clock: Clock;
}

/** A person waits: a server that is not there is told soon, and few handshakes are made at once. */
const OPTIONS: Partial<KubeClientOptions> = {
  userAgent: 'macfleet-cli',
  fieldManager: 'macfleet-cli',
  timeoutMs: 20_000,
  requestsInFlightMax: 4,
  pageSize: 2_000,
  retry: { triesMax: 2, backoff: { initialMs: 200, factor: 2, maxMs: 1_000, minMs: 50 }, waitMaxMs: 5_000 },
};

/** Runs `work` on the cluster that is meant, and ends all connections after it. */
export const withCluster = async <T>(
  flags: ClusterFlags,
  io: CliIo,
  work: (cluster: OpenedCluster) => Promise<T>,
): Promise<T> => {
  const host = createHostIo();
  const config = await loadKubeconfig(choiceOf(flags, io), host);
  const [clock, random] = [createSystemClock(), createSystemRandom()];
  const logger = createNoticeLogger(io.stderr);
  const { client, transport, close } = await connectCluster(config, { host, clock, random, logger, options: OPTIONS });
  try {
    return await work({ client, transport, clock, source: config.source, namespace: namespaceOf(flags, config) });
  } finally {
    await close();
  }
};

const choiceOf = ({ kubeconfig, context }: ClusterFlags, { env }: CliIo) => ({
  ...(kubeconfig === undefined ? {} : { path: kubeconfig }),
  ...(context === undefined ? {} : { context }),
  ...(env['KUBECONFIG'] === undefined ? {} : { searchPath: env['KUBECONFIG'] }),
  ...(env['HOME'] === undefined ? {} : { homeDirectory: env['HOME'] }),
});

const namespaceOf = (flags: ClusterFlags, config: ClusterConfig): string =>
  flags.namespace ?? config.namespace ?? 'default';
