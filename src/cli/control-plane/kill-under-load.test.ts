/** `kill -9` while several clients write: what they were told is there after the next start. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { neverAborted } from '../../base/abort.ts';
import { createSystemClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { createSystemRandom } from '../../base/random.ts';
import { connectCluster } from '../../kube/client/connect.ts';
import { createHostIo } from '../../kube/client/login/host-io.ts';
import { loadKubeconfig } from '../../kube/client/login/load-cluster.ts';
import { DEFAULT_RETRY_POLICY } from '../../kube/client/retry.ts';
import { NODES } from '../../kube/types/core.ts';

const BIN = join(import.meta.dirname, '..', '..', '..', 'bin', 'macfleet.ts');
const KILLS = Number(process.env['MACFLEET_KILLS'] ?? 5);
const WRITERS = 8;
const WRITES_BEFORE_KILL = 40;
const signal = neverAborted();

const data = mkdtempSync(join(tmpdir(), 'macfleet-killed-'));
after(() => rmSync(data, { recursive: true, force: true }));

const start = async () => {
  const child = spawn(process.execPath, [BIN, 'control-plane', '--data', data], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  for await (const chunk of child.stdout) {
    said += String(chunk);
    if (said.includes('kubeconfig: ')) break;
  }
  const host = createHostIo();
  const config = await loadKubeconfig({ path: join(data, 'kubeconfig') }, host);
  const deps = { host, clock: createSystemClock(), random: createSystemRandom(), logger: silentLogger };
  const { client, close } = await connectCluster(config, {
    ...deps,
    options: { retry: { ...DEFAULT_RETRY_POLICY, triesMax: 1 } },
  });
  const kill = async (): Promise<void> => {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    await close();
  };
  return { client, kill };
};

type Running = Awaited<ReturnType<typeof start>>;

/** Writes until it is killed; returns what was acknowledged: names and their versions. */
const writeUntilKilled = async ({ client, kill }: Running, round: number): Promise<ReadonlyMap<string, number>> => {
  const acknowledged = new Map<string, number>();
  const enough = Promise.withResolvers<void>();
  const write = async (writer: number): Promise<void> => {
    for (let at = 1; ; at += 1) {
      const name = `n${round}-${writer}-${at}`;
      const { metadata } = await client.create(NODES, { metadata: { name } }, { signal });
      acknowledged.set(name, Number(metadata.resourceVersion));
      if (acknowledged.size >= WRITES_BEFORE_KILL) enough.resolve();
    }
  };
  const writers = Promise.allSettled(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  await Promise.race([enough.promise, writers]);
  await kill();
  await writers;
  return acknowledged;
};

test(`what was acknowledged to ${WRITERS} writers is there after kill -9, ${KILLS} times over`, async () => {
  let running = await start();
  const all = new Map<string, number>();
  for (let round = 1; round <= KILLS; round += 1) {
    const acknowledged = await writeUntilKilled(running, round);
    assert.ok(acknowledged.size >= WRITES_BEFORE_KILL, `only ${acknowledged.size} writes were acknowledged`);
    for (const [name, version] of acknowledged) all.set(name, version);
    running = await start();
    const { items, metadata } = await running.client.list(NODES, { signal });
    const found = new Set(items.map((item) => item.metadata.name));
    assert.deepEqual(
      [...all.keys()].filter((name) => !found.has(name)),
      [],
      'lost',
    );
    assert.ok(Number(metadata.resourceVersion) >= Math.max(...all.values()), 'versions never go back');
  }
  await running.kill();
});
