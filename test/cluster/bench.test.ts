/** The bench itself: that it starts, answers and ends, and that nothing is left however it ends. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it, type TestContext } from 'node:test';
import { neverAborted } from '../../src/base/abort.ts';
import { createSystemClock, sleep } from '../../src/base/clock.ts';
import { createIds } from '../../src/base/ids.ts';
import { createSystemRandom } from '../../src/base/random.ts';
import { chooseFreePort } from '../../tools/processes/ports.ts';
import type { Cluster } from './bench/cluster.ts';
import { installKinds, startCluster } from './bench.ts';

const HOLDER = join(import.meta.dirname, 'bench', 'holder.ts');
const GONE_MS = 15_000;
const clock = createSystemClock();
/** Whoever keeps the directories of other tests must not make these fail. */
const env = { ...process.env, MACFLEET_KEEP: '' };
const quiet = { print: () => undefined };

const createTempDir = (context: TestContext): string => {
  const dir = mkdtempSync(join(tmpdir(), 'macfleet-bench-test-'));
  context.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
};

/** Simulated Macs of other tests have whole scripts on their command lines. */
const PS_MAX_BYTES = 64 * 1_048_576;

/** Processes that have `text` on their command line. One that has ended and waits for its parent does not count. */
const processesWith = (text: string): readonly string[] =>
  execFileSync('ps', ['-A', '-ww', '-o', 'stat=', '-o', 'args='], { encoding: 'utf8', maxBuffer: PS_MAX_BYTES })
    .split('\n')
    .filter((line) => line.includes(text) && !line.startsWith('Z') && !line.includes('holder.ts'));

/** Without the shells that watch over them. */
const serversIn = (dir: string): readonly string[] => processesWith(dir).filter((line) => !line.includes('sh -c'));

const until = async (what: string, isSo: () => boolean): Promise<void> => {
  const deadlineMs = clock.elapsed() + GONE_MS;
  while (!isSo()) {
    assert.ok(clock.elapsed() < deadlineMs, `waited ${GONE_MS} ms for ${what}`);
    await sleep(clock, 50, neverAborted());
  }
};

describe('a cluster of etcd and API server', () => {
  let cluster: Cluster;
  const printed: string[] = [];
  before(async () => {
    cluster = await startCluster({ parts: 'api' }, { env, print: (text) => printed.push(text) });
  });
  after(() => cluster.stop());

  it('answers our client and kubectl, and says how long it took', async ({ signal }) => {
    const client = await cluster.client();
    assert.equal(await client.getRaw('/readyz', { signal }), 'ok');
    const { code, stdout } = await cluster.kubectl(['version', '-o', 'json']);
    assert.equal(code, 0);
    assert.match(stdout, /"serverVersion"/);
    assert.match(printed.join(''), /^cluster: api [\d.]+ s\n$/);
  });

  it('knows a user made on the spot, and allows nothing to one without a role', async () => {
    const kubeconfig = await cluster.kubeconfigFor({ name: 'ada', groups: ['readers'] });
    const who = await cluster.kubectl(['auth', 'whoami', '-o', 'json'], { kubeconfig });
    assert.match(who.stdout, /"username": "ada"/);
    assert.match(who.stdout, /"readers"/);
    const secrets = await cluster.kubectl(['get', 'secrets'], { kubeconfig });
    assert.equal(secrets.code, 1);
    assert.match(secrets.stderr, /User "ada" cannot list resource "secrets"/);
  });

  it('serves our kinds once they are installed, which may be repeated', async () => {
    await installKinds(cluster);
    await installKinds(cluster);
    const { code, stdout } = await cluster.kubectl(['get', 'machosts', '-o', 'name']);
    assert.deepEqual({ code, stdout }, { code: 0, stdout: '' });
  });

  it('passes input to a command, and gives its exit code', async () => {
    const input = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'from-input' } });
    assert.equal((await cluster.kubectl(['create', '-f', '-'], { input })).code, 0);
    assert.equal((await cluster.kubectl(['create', '-f', '-'], { input })).code, 1);
    assert.equal((await cluster.run('no-such-program', [])).code, 127);
  });

  it('ends a command that takes too long', async () => {
    const mark = `marked-by=${createIds(createSystemRandom()).suffix(8)}`;
    const args = ['get', 'namespaces', '--watch', '--selector', mark];
    await assert.rejects(cluster.kubectl(args, { timeoutMs: 1_000 }), { code: 'CommandTimedOut' });
    await until('kubectl to be gone', () => processesWith(mark).length === 0);
  });
});

describe('the end of a cluster', () => {
  it('takes its processes and its directory with it', async (context) => {
    const tempDir = createTempDir(context);
    const cluster = await startCluster({ parts: 'api' }, { env, tempDir, ...quiet });
    assert.equal(serversIn(cluster.dir).length, 2);
    await cluster.stop();
    assert.deepEqual(processesWith(cluster.dir), []);
    assert.deepEqual(readdirSync(tempDir), []);
  });

  const rows = [
    { story: 'is killed', what: 'cluster', end: 'waits', signal: 'SIGKILL' },
    { story: 'is interrupted', what: 'stand-in', end: 'waits', signal: 'SIGINT' },
    { story: 'throws', what: 'stand-in', end: 'throws' },
    { story: 'just ends', what: 'cluster', end: 'returns' },
  ] as const;
  for (const row of rows) {
    it(`comes by itself when the process that started it ${row.story}`, async (context) => {
      const tempDir = createTempDir(context);
      const holder = spawn(process.execPath, [HOLDER, tempDir, row.what, row.end], {
        env,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      context.after(() => holder.kill('SIGKILL'));
      const gone = once(holder, 'exit');
      const [dir] = await Promise.race([once(createInterface(holder.stdout), 'line'), gone]);
      assert.ok(String(dir).startsWith(tempDir), 'the holder ended before its cluster ran');
      if ('signal' in row) {
        await until('two processes to run', () => serversIn(dir).length === 2);
        holder.kill(row.signal);
      }
      await gone;
      await until('the processes to end', () => processesWith(dir).length === 0);
      await until('the directory to go', () => !existsSync(dir));
    });
  }
});

describe('a start that fails leaves nothing behind', () => {
  /** Programs that do as the script says. */
  const createPrograms = (tempDir: string, script: string): string => {
    const dir = join(tempDir, 'programs');
    mkdirSync(dir);
    for (const name of ['etcd', 'kube-apiserver', 'kubectl']) {
      writeFileSync(join(dir, name), `#!/bin/sh\n${script}\n`);
      chmodSync(join(dir, name), 0o755);
    }
    return dir;
  };
  const rows = [
    {
      story: 'a process dies',
      script: 'echo the disk is on fire >&2; exit 3',
      error: { code: 'ClusterProcessDied', message: /etcd ended with exit code 3.*\n {2}the disk is on fire/ },
    },
    {
      story: 'a process is killed',
      script: 'kill -9 $$',
      error: { code: 'ClusterProcessDied', message: /etcd was ended by SIGKILL/ },
    },
    {
      story: 'a process never gets ready',
      script: 'echo thinking; exec sleep 1000',
      error: { code: 'ClusterNotReady', message: /for etcd to be healthy.*\n {2}thinking/ },
    },
    {
      story: 'every port that is chosen is taken',
      script: 'echo listen: address already in use >&2; exit 1',
      error: { code: 'PortTaken' },
    },
  ];
  for (const { story, script, error } of rows) {
    it(`when ${story}`, async (context) => {
      const tempDir = createTempDir(context);
      const env = { MACFLEET_CLUSTER_BIN: createPrograms(tempDir, script) };
      const start = startCluster({ parts: 'api' }, { env, tempDir, readyMs: 1_000, ...quiet });
      await assert.rejects(start, { kind: 'unavailable', ...error });
      assert.deepEqual(readdirSync(tempDir), ['programs']);
      // The watcher of a process that died by itself ends when it hears so.
      await until('the last watcher to end', () => processesWith(tempDir).length === 0);
    });
  }

  it('when the programs were never built, and says how to build them', async (context) => {
    const tempDir = createTempDir(context);
    const start = startCluster({ parts: 'api' }, { env: { XDG_CACHE_HOME: tempDir }, tempDir, ...quiet });
    await assert.rejects(start, { kind: 'unavailable', hint: /npm run cluster:build/ });
    assert.deepEqual(readdirSync(tempDir), []);
  });

  it('except with MACFLEET_KEEP=1: the directory with the logs, and its path printed', async (context) => {
    const tempDir = createTempDir(context);
    const env = { MACFLEET_CLUSTER_BIN: createPrograms(tempDir, 'echo out of luck; exit 3'), MACFLEET_KEEP: '1' };
    const printed: string[] = [];
    const print = (text: string): void => void printed.push(text);
    await assert.rejects(startCluster({ parts: 'api' }, { env, tempDir, print }), { code: 'ClusterProcessDied' });
    const [, dir = ''] = /^cluster: kept (.*)\n$/.exec(printed.join('')) ?? [];
    assert.ok(existsSync(join(dir, 'logs', 'etcd.log')));
  });
});

describe('a port that somebody took in between', () => {
  it('is given up for another', async (context) => {
    const tempDir = createTempDir(context);
    const somebody = createServer().listen(0, '127.0.0.1');
    await once(somebody, 'listening');
    context.after(() => somebody.close());
    const address = somebody.address();
    assert.ok(address !== null && typeof address === 'object');
    let asked = 0;
    const choosePort = async (): Promise<number> => {
      asked += 1;
      // The first for etcd, and the first for the API server.
      return asked === 1 || asked === 3 ? address.port : chooseFreePort();
    };
    const cluster = await startCluster({ parts: 'api' }, { env, tempDir, choosePort, ...quiet });
    assert.equal(asked, 4);
    await cluster.stop();
    assert.deepEqual(processesWith(cluster.dir), []);
  });
});
