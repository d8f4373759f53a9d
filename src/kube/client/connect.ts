/** From a cluster's configuration to a client that can call it: the one entry for whoever composes a process. */
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Random } from '../../base/random.ts';
import type { ResponseInfo } from './call.ts';
import type { KubeClient } from './client.ts';
import { createKubeClient, type KubeClientOptions } from './create-client.ts';
import type { HostIo } from './login/host-io.ts';
import { createCredentialsSource, readPem } from './login/load-credentials.ts';
import type { ClusterConfig } from './login/select-context.ts';
import type { Transport } from './transport.ts';
import { createUndiciTransport } from './undici-transport.ts';

export interface ConnectDeps {
  readonly host: HostIo;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly onResponse?: (info: ResponseInfo) => void;
  readonly options?: Partial<KubeClientOptions>;
}

export interface ClusterConnection {
  readonly client: KubeClient;
  /** For a second client beside the first, with limits of its own. */
  readonly transport: Transport;
  /** Ends every request under way. */
  close(): Promise<void>;
}

/** Opens no connection yet: the first call does. */
export const connectCluster = async (config: ClusterConfig, deps: ConnectDeps): Promise<ClusterConnection> => {
  const { host, clock, logger, options } = deps;
  const { source, server, serverName, verifyServer } = config;
  warnIfUnverified(config, logger);
  const caPem = config.ca && (await readPem(config.ca, host)).reveal();
  const transport = createUndiciTransport({
    server,
    source,
    verifyServer,
    credentials: createCredentialsSource(config, { host, clock, logger, caPem }),
    ...(caPem === undefined ? {} : { caPem }),
    ...(serverName === undefined ? {} : { serverName }),
  });
  const client = createKubeClient({ ...deps, transport, options: { host: new URL(server).host, ...options } });
  return { client, transport, close: () => transport.close() };
};

export const warnIfUnverified = ({ server, verifyServer }: ClusterConfig, logger: Logger): void => {
  if (verifyServer === 'no') logger.warn('Not verifying who the API server is (insecure-skip-tls-verify)', { server });
};
