/** bin/runners.ts as a process of its own, over HTTPS and HTTP: a pool gets its runners, and a dispatcher is asked. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createSystemClock } from '../src/base/clock.ts';
import { silentLogger } from '../src/base/logger.ts';
import { createSystemRandom } from '../src/base/random.ts';
import { runCli } from '../src/cli/run-cli.ts';
import { RUNNER_POOLS } from '../src/kinds/runner-pool.ts';
import { connectCluster } from '../src/kube/client/connect.ts';
import { createHostIo } from '../src/kube/client/login/host-io.ts';
import { loadKubeconfig } from '../src/kube/client/login/load-cluster.ts';
import { NAMESPACES, PODS } from '../src/kube/types/core.ts';
import { poolWith } from '../src/runners/testing/runner-pods.ts';

const RUNNERS = join(import.meta.dirname, '..', 'bin', 'runners.ts');
const data = mkdtempSync(join(tmpdir(), 'macfleet-runners-'));
after(() => rmSync(data, { recursive: true, force: true }));

const startCluster = async (signal: AbortSignal) => {
  const started = Promise.withResolvers<void>();
  let stdout = '';
  const io = {
    stdout: (text: string) => {
      stdout += text;
      if (/kubeconfig:/.test(stdout)) started.resolve();
    },
    ...{ stderr: () => undefined, env: {}, signal },
  };
  const args = ['up', '--provider', 'elsewhere', '--machines', '1', '--data', data];
  const ended = runCli({ args, version: '0', io });
  await Promise.race([started.promise, ended]);
  return { ended, kubeconfig: join(data, 'kubeconfig') };
};

/** Knows the drain handshake, wants two runners, and keeps what it was shown. */
const startDispatcher = async () => {
  const shown = new Set<string>();
  const server = createServer((request, response) => {
    shown.add(`${request.headers.authorization} ${request.url}`);
    response.writeHead(200, { 'tuist-runners-protocol': '2' }).end('{"fleet":"ci","queued":2}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return { shown, url: `http://127.0.0.1:${port}`, close: () => void server.close() };
};

const openClient = async (kubeconfig: string) => {
  const host = createHostIo();
  const deps = { host, clock: createSystemClock(), random: createSystemRandom(), logger: silentLogger };
  return connectCluster(await loadKubeconfig({ path: kubeconfig }, host), deps);
};

describe('the runners process', () => {
  it('scales a pool by what the dispatcher says, and ends cleanly', { timeout: 60_000 }, async (context) => {
    const { signal } = context;
    const stopping = new AbortController();
    const cluster = await startCluster(AbortSignal.any([signal, stopping.signal]));
    context.after(async () => {
      stopping.abort();
      await cluster.ended;
    });
    const dispatcher = await startDispatcher();
    context.after(dispatcher.close);
    const { client, close } = await openClient(cluster.kubeconfig);
    context.after(close);
    writeFileSync(join(data, 'token'), 'the token\n');
    await client.create(NAMESPACES, { metadata: { name: 'tuist-runners' } }, { signal });
    const autoscaling = { enabled: true, maxReplicas: 5, minWarmPoolFloor: 1 };
    const { uid: _uid, ...metadata } = poolWith().metadata;
    await client.create(RUNNER_POOLS, { ...poolWith({ autoscaling }), metadata }, { signal });
    const flags = [
      ...['--kubeconfig', cluster.kubeconfig, '--dispatch-token-file', join(data, 'token')],
      ...['--dispatch-url', `${dispatcher.url}/dispatch`, '--sessions-url', dispatcher.url],
      ...['--scaling-signals-url', `${dispatcher.url}/signals`],
      ...['--metrics-bind-address', '0', '--health-probe-bind-address', '0'],
    ];
    const runners = spawn(process.execPath, [RUNNERS, ...flags], { stdio: 'ignore', signal });
    const gone = once(runners, 'exit');
    const { metadata: listed } = await client.list(PODS, { namespace: 'tuist-runners', signal });
    const seen = new Set<string>();
    const watching = {
      namespace: 'tuist-runners',
      resourceVersion: listed.resourceVersion,
      timeoutSeconds: 50,
      signal,
    };
    for await (const event of client.watch(PODS, watching)) {
      if (event.type === 'ADDED') seen.add(event.object.metadata.name);
      if (seen.size === 3) break;
    }
    assert.ok([...seen].every((name) => /^ci-runner-[0-9a-f]{8}$/.test(name)));
    assert.ok(dispatcher.shown.has('Bearer the token /signals?fleet=ci'));
    runners.kill('SIGTERM');
    assert.deepEqual(await gone, [0, null]);
  });
});
