import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { parseCidr } from '../../../base/cidr.ts';
import { createSystemClock } from '../../../base/clock.ts';
import { createLoggerTo } from '../../../base/logger.ts';
import { cacheAnswer, DEFAULT_SOURCES, findLocalAddress, isAllowed, metricsPortOf } from './forwarder.ts';
import { createMetricsForwards } from './metrics-server.ts';

interface Answer {
  readonly status: number;
  readonly body: string;
}

const ask = (port: number, path: string, method = 'GET'): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, method, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
    });
    asked.once('error', reject);
    asked.end();
  });

const BRIDGE = { address: '127.0.0.3', cidr: '127.0.0.3/8' };

/** The VM listens at one loopback address, the Mac at another, both at the same port; the Mac's bridge is a third. */
const createBench = async (
  t: TestContext,
  change: { readonly sources?: readonly string[]; readonly fails?: true } = {},
) => {
  const seen: string[] = [];
  const from = new Set<string | undefined>();
  const vm = createServer((asked, answer) => {
    seen.push(`${asked.method} ${asked.url}`);
    from.add(asked.socket.remoteAddress);
    answer.writeHead(200, { 'content-type': 'text/plain', 'x-secret': 'no' }).end('up 1\n');
  });
  await new Promise<void>((resolve) => vm.listen(0, '127.0.0.2', resolve));
  const { port } = vm.address() as AddressInfo;
  let resolved = 0;
  const lines: string[] = [];
  const openForward = createMetricsForwards({
    ...{
      clock: createSystemClock(),
      ownAddresses: () => [BRIDGE],
      mapAddress: (host) => host.replace('192.168.64.5', '127.0.0.2'),
    },
    logger: createLoggerTo((_, message, fields) => lines.push(`${message} ${JSON.stringify(fields)}`)),
    sources: change.sources?.map(parseCidr) ?? DEFAULT_SOURCES,
  });
  const forwarder = await openForward({
    ...{ host: '127.0.0.1', port },
    upstream: async () => {
      resolved += 1;
      if (change.fails) throw new Error('tart ip: /Users/m1/secret');
      return '192.168.64.5';
    },
  });
  t.after(async () => {
    await forwarder.close();
    vm.closeAllConnections();
    vm.close();
  });
  return { port, seen, from, forwarder, openForward, resolved: () => resolved };
};

describe('the metrics forwarder', () => {
  it('§9.6-1 passes /metrics on, and looks the VM up once', async (t) => {
    const bench = await createBench(t);
    for (let at = 0; at < 5; at += 1)
      assert.deepEqual(await ask(bench.port, '/metrics?a=b'), { status: 200, body: 'up 1\n' });
    assert.deepEqual(new Set(bench.seen), new Set(['GET /metrics?a=b']));
    assert.equal(bench.resolved(), 1);
  });

  it('§7-16 asks from the bridge that the VM is on, or macOS finds no way to it', async (t) => {
    const bench = await createBench(t);
    assert.equal((await ask(bench.port, '/metrics')).status, 200);
    assert.deepEqual([...bench.from], [BRIDGE.address]);
  });

  it('§9.6-1 knows no other path', async (t) => {
    const bench = await createBench(t);
    for (const path of ['/', '/Metrics', '/metrics/extra', '/metrics/'])
      assert.equal((await ask(bench.port, path)).status, 404, path);
    assert.deepEqual(bench.seen, []);
  });

  it('§9.6-1 only reads', async (t) => {
    const bench = await createBench(t);
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH'])
      assert.equal((await ask(bench.port, '/metrics', method)).status, 405, method);
    assert.equal((await ask(bench.port, '/metrics', 'HEAD')).status, 200);
    assert.deepEqual(bench.seen, ['HEAD /metrics']);
  });

  it('§9.6-1 tells nobody why a VM cannot be reached', async (t) => {
    const { port } = await createBench(t, { fails: true });
    const { status, body } = await ask(port, '/metrics');
    assert.equal(status, 502);
    assert.doesNotMatch(body, /secret|tart/);
  });

  it('§9.6-1 answers only those who may ask', async (t) => {
    const outside = await createBench(t, { sources: ['10.0.0.0/8'] });
    assert.equal((await ask(outside.port, '/metrics')).status, 403);
    assert.deepEqual(outside.seen, []);
    const inside = await createBench(t, { sources: ['127.0.0.1/32'] });
    assert.equal((await ask(inside.port, '/metrics')).status, 200);
  });

  it('§9.6-1 may be stopped twice', async (t) => {
    const { forwarder, port } = await createBench(t);
    await Promise.all([forwarder.close(), forwarder.close()]);
    await assert.rejects(ask(port, '/metrics'), /ECONNREFUSED/);
  });

  it('says so when its port is taken', async (t) => {
    const { openForward, port } = await createBench(t);
    await assert.rejects(
      openForward({ host: '127.0.0.1', port, upstream: async () => '' }),
      /cannot be passed on at 127.0.0.1/,
    );
  });
});

describe('the port of a Pod’s metrics', () => {
  const rows: readonly [scrape: string | undefined, port: string | undefined, expected: number | undefined][] = [
    ['true', '9090', 9_090],
    ['true', '65535', 65_535],
    ['true', '65536', undefined],
    ['true', '0', undefined],
    ['true', 'http', undefined],
    ['true', undefined, undefined],
    ['false', '9090', undefined],
    [undefined, '9090', undefined],
  ];
  for (const [scrape, port, expected] of rows) {
    it(`scrape ${scrape}, port ${port}: ${expected}`, () => {
      const annotations = {
        ...(scrape && { 'prometheus.io/scrape': scrape }),
        ...(port && { 'prometheus.io/port': port }),
      };
      assert.equal(metricsPortOf({ metadata: { name: 'p', annotations }, spec: { containers: [] } }), expected);
    });
  }
});

describe('who may ask', () => {
  const rows: readonly [address: string, allowed: boolean][] = [
    ...['10.1.2.3', '172.31.0.1', '192.168.64.9', '100.100.1.1', '169.254.1.1', '127.0.0.1'].map(
      (at) => [at, true] as [string, boolean],
    ),
    ...['fd00::1', 'fe80::1', '::1', '::ffff:10.0.0.1'].map((at) => [at, true] as [string, boolean]),
    ...['8.8.8.8', '172.32.0.1', '100.128.0.1', '2001:db8::1', '::ffff:8.8.8.8'].map(
      (at) => [at, false] as [string, boolean],
    ),
  ];
  for (const [address, allowed] of rows)
    it(`§9.6-2 ${address}: ${allowed}`, () => assert.equal(isAllowed(address, DEFAULT_SOURCES), allowed));
  it('nobody whose address is not known', () => assert.equal(isAllowed(undefined, DEFAULT_SOURCES), false));
});

describe('the address of a VM', () => {
  it('§9.6-3 is asked for again after half a minute, and a failure is not kept', async () => {
    let nowMs = 0;
    const answers = [() => 'a', () => assert.fail('away'), () => 'b'];
    const resolve = cacheAnswer(
      async () => answers.shift()?.() ?? 'c',
      () => nowMs,
    );
    const { signal } = new AbortController();
    assert.equal(await resolve(signal), 'a');
    nowMs = 29_999;
    assert.equal(await resolve(signal), 'a');
    nowMs = 30_000;
    await assert.rejects(resolve(signal), /away/);
    assert.equal(await resolve(signal), 'b');
  });

  const own = [
    { address: '127.0.0.1', cidr: '127.0.0.1/8' },
    { address: '192.168.64.1', cidr: '192.168.64.1/24' },
    { address: 'fe80::1', cidr: null },
  ];
  const rows: readonly [story: string, target: string, address: string | undefined][] = [
    ['a VM is reached from the bridge that it is on', '192.168.64.7', '192.168.64.1'],
    ['loopback from loopback', '127.0.0.9', '127.0.0.1'],
    ['another network from wherever', '10.0.0.1', undefined],
    ['a name from wherever', 'vm.local', undefined],
  ];
  for (const [story, target, address] of rows)
    it(`§9.6-4 ${story}`, () => assert.equal(findLocalAddress(target, own), address));
});
