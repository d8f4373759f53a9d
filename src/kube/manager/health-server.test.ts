import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { request } from 'undici';
import { startHealthServer } from './health-server.ts';

const ADDRESS = { host: '127.0.0.1', port: 0 };
const CHECKS = {
  isAlive: () => true,
  notReadyBecause: () => 'waiting for the first list of nodes',
  metrics: async () => ({ contentType: 'text/plain; version=0.0.4', text: 'up 1\n' }),
};

const ask = async (port: number, path: string): Promise<string> => {
  const { statusCode, body } = await request(`http://127.0.0.1:${port}${path}`, { reset: true });
  return `${statusCode} ${await body.text()}`;
};

describe('health server', () => {
  it('answers where probes and Prometheus look', async () => {
    const server = await startHealthServer(ADDRESS, CHECKS);
    assert.equal(await ask(server.port, '/healthz'), '200 ok');
    assert.equal(await ask(server.port, '/readyz'), '503 not ready: waiting for the first list of nodes');
    assert.equal(await ask(server.port, '/metrics?x=1'), '200 up 1\n');
    assert.equal(await ask(server.port, '/secrets'), '404 not found');
    await server.close();
  });

  it('serves only what it is given, and on every interface when none is named', async () => {
    const server = await startHealthServer({ host: '', port: 0 }, { metrics: CHECKS.metrics });
    assert.equal(await ask(server.port, '/metrics'), '200 up 1\n');
    for (const path of ['/healthz', '/readyz']) assert.equal(await ask(server.port, path), '404 not found');
    await server.close();
  });

  it('answers 500 instead of dying when the metrics cannot be made', async () => {
    const server = await startHealthServer(ADDRESS, {
      ...CHECKS,
      metrics: () => Promise.reject(new Error('no metrics')),
    });
    assert.equal(await ask(server.port, '/metrics'), '500 no metrics');
    await server.close();
  });

  it('says which port is taken', async () => {
    const server = await startHealthServer(ADDRESS, CHECKS);
    await assert.rejects(startHealthServer({ host: '127.0.0.1', port: server.port }, CHECKS), {
      kind: 'unavailable',
      code: 'HealthPortUnavailable',
    });
    await server.close();
  });
});
