/** Where a manager process can be asked how it is: metrics and probes, each under its own address or both under one. */

import type { BindAddress } from '../base/flags/flag-values.ts';
import type { Logger } from '../base/logger.ts';
import { type HealthChecks, startHealthServer } from '../kube/manager/health-server.ts';
import type { RuntimeMetrics } from '../kube/manager/metrics.ts';

export interface HealthAddresses {
  readonly metrics: BindAddress | 'off';
  readonly probes: BindAddress | 'off';
}

export interface HealthDeps {
  readonly metrics: Pick<RuntimeMetrics, 'registry'>;
  readonly notReadyBecause: () => string | undefined;
  readonly logger: Logger;
}

/** Served until it is disposed of; nothing is when the second address fails. */
export const serveHealth = async (
  addresses: HealthAddresses,
  { metrics: { registry }, notReadyBecause, logger }: HealthDeps,
): Promise<AsyncDisposableStack> => {
  await using closing = new AsyncDisposableStack();
  const metrics = async () => ({ contentType: registry.contentType, text: await registry.metrics() });
  const probes = { isAlive: () => true, notReadyBecause };
  const serve = async (what: string, address: BindAddress | 'off', checks: HealthChecks): Promise<void> => {
    if (address === 'off') return;
    const { port, close } = await startHealthServer(address, checks);
    closing.defer(close);
    logger.info(`${what} served`, { host: address.host, port });
  };
  if (isSame(addresses)) await serve('Metrics and probes', addresses.metrics, { ...probes, metrics });
  else {
    await serve('Metrics', addresses.metrics, { metrics });
    await serve('Probes', addresses.probes, probes);
  }
  return closing.move();
};

/** Two free ports are two. */
const isSame = ({ metrics, probes }: HealthAddresses): boolean =>
  metrics !== 'off' &&
  probes !== 'off' &&
  metrics.port !== 0 &&
  metrics.port === probes.port &&
  metrics.host === probes.host;
