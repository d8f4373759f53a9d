import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { request } from 'undici';
import { createSystemClock } from '../base/clock.ts';
import { createLogger } from '../base/logger.ts';
import { createRuntimeMetrics } from '../kube/manager/metrics.ts';
import { serveHealth } from './manager-health.ts';

const LOOPBACK = { host: '127.0.0.1', port: 0 };

const stage = () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  const logger = createLogger({ clock: createSystemClock(), level: 'info', destination });
  const ports = (): readonly string[] => lines.map((line) => /"port":(\d+)/.exec(line)?.[1] ?? '');
  return { deps: { logger, metrics: createRuntimeMetrics(), notReadyBecause: () => undefined }, ports };
};

const statusOf = async (port: string | undefined, path: string): Promise<number> => {
  const { statusCode, body } = await request(`http://127.0.0.1:${port}${path}`, { reset: true });
  await body.dump();
  return statusCode;
};

describe('a manager can be asked how it is', () => {
  it('under two addresses, each for its own', async () => {
    const { deps, ports } = stage();
    await using _ = await serveHealth({ metrics: LOOPBACK, probes: LOOPBACK }, deps);
    const [metrics, probes] = ports();
    const asked = [metrics, probes].flatMap((port) =>
      ['/metrics', '/healthz', '/readyz'].map((path) => ({ port, path })),
    );
    const statuses = await Promise.all(asked.map(({ port, path }) => statusOf(port, path)));
    assert.deepEqual(statuses, [200, 404, 404, 404, 200, 200]);
  });

  it('under one address, when both are the same', async () => {
    const { deps, ports } = stage();
    const free = await serveHealth({ metrics: LOOPBACK, probes: 'off' }, deps);
    const address = { host: '127.0.0.1', port: Number(ports()[0]) };
    await free.disposeAsync();
    await using _ = await serveHealth({ metrics: address, probes: address }, deps);
    const statuses = await Promise.all(['/metrics', '/readyz'].map((path) => statusOf(`${address.port}`, path)));
    assert.deepEqual(statuses, [200, 200]);
  });

  it('nowhere, when it is told so', async () => {
    const { deps, ports } = stage();
    await using _ = await serveHealth({ metrics: 'off', probes: 'off' }, deps);
    assert.deepEqual(ports(), []);
  });

  it('not at all, when one of the two addresses is taken', async () => {
    const { deps, ports } = stage();
    await using _ = await serveHealth({ metrics: LOOPBACK, probes: 'off' }, deps);
    const taken = { host: '127.0.0.1', port: Number(ports()[0]) };
    await assert.rejects(serveHealth({ metrics: LOOPBACK, probes: taken }, deps), { code: 'HealthPortUnavailable' });
    await assert.rejects(statusOf(ports()[1], '/metrics'), /ECONNREFUSED/);
  });
});
