/** bin/manager.ts on a Scaleway project that it only reaches over HTTP, with its API key in a mounted Secret. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, describe, it, type TestContext } from 'node:test';
import { request } from 'undici';
import { neverAborted } from '../src/base/abort.ts';
import { createSystemClock } from '../src/base/clock.ts';
import { isRecord } from '../src/base/json.ts';
import { createLogger } from '../src/base/logger.ts';
import { createSeededRandom } from '../src/base/random.ts';
import { runCli } from '../src/cli/run-cli.ts';
import { MAC_HOSTS } from '../src/kinds/mac-host.ts';
import type { KubeClient } from '../src/kube/client/client.ts';
import { connectCluster } from '../src/kube/client/connect.ts';
import { createHostIo } from '../src/kube/client/login/host-io.ts';
import { loadKubeconfig } from '../src/kube/client/login/load-cluster.ts';
import { CONFIG_MAPS, SECRETS } from '../src/kube/types/core.ts';
import { CLUSTER_INFO } from '../src/provider/roles.ts';
import { SIMULATED_KEY } from '../src/scaleway/port/simulated-key.ts';
import { serveCloud } from '../src/sim/cloud/serve-cloud.ts';
import { createSimCloud, type SimCloud } from '../src/sim/cloud/sim-cloud.ts';
import { until } from '../tools/cluster/testing/stage.ts';

const MANAGER = join(import.meta.dirname, '..', 'bin', 'manager.ts');
const data = mkdtempSync(join(tmpdir(), 'macfleet-manager-scaleway-'));
after(() => rmSync(data, { recursive: true, force: true }));

/** A cluster with a fleet of one Mac that waits for its provider. */
const startCluster = async (context: TestContext): Promise<string> => {
  const stop = new AbortController();
  const started = Promise.withResolvers<void>();
  const io = {
    stdout: (text: string) => (/kubeconfig:/.test(text) ? started.resolve() : undefined),
    stderr: () => undefined,
    env: {},
    signal: stop.signal,
  };
  const args = ['up', '--provider', 'elsewhere', '--machines', '1', '--data', data];
  const ended = runCli({ args, version: '0', io });
  context.after(async () => {
    stop.abort();
    await ended;
  });
  await started.promise;
  return join(data, 'kubeconfig');
};

/** Over HTTP. The last server is shown with a status that nobody knows. */
const startCloud = async (context: TestContext) => {
  const clock = createSystemClock();
  const cloud = createSimCloud({ clock, random: createSeededRandom(1), apiKeys: [SIMULATED_KEY] });
  const strange = ['tuist-pool-1', 'tuist-pool-2'].map((name) => cloud.addServer({ name })).at(-1);
  assert.ok(strange !== undefined);
  const serve: SimCloud['serve'] = (asked) => {
    const answer = cloud.serve(asked);
    if (answer === undefined || !/\/servers\?/.test(asked.target)) return answer;
    const shown: unknown = JSON.parse(answer.body, (_, value) =>
      isRecord(value) && value['id'] === strange.id ? { ...value, status: 'melting' } : value,
    );
    return { ...answer, body: JSON.stringify(shown) };
  };
  const served = await serveCloud({ clock, cloud: { ...cloud, serve } });
  context.after(async () => {
    await served.close();
    cloud.stop();
  });
  return { cloud, apiUrl: served.apiUrl };
};

const mountSecret = (projectId: string): string => {
  const folder = join(data, 'secret');
  mkdirSync(folder);
  const keys = {
    'access-key': SIMULATED_KEY.accessKey,
    'secret-key': SIMULATED_KEY.secretKey,
    'project-id': projectId,
  };
  for (const [name, value] of Object.entries(keys)) writeFileSync(join(folder, name), `${value}\n`);
  return folder;
};

/** Small ones in the place of what a release of the manager brings. */
const writeArtefacts = (): readonly string[] => {
  const names = ['tart-tarball', 'tartkubelet-runtime', 'tartkubelet-bundle'];
  return names.map((name) => {
    const path = join(data, name);
    writeFileSync(path, `the ${name}\n`);
    return `--${name}-path=${path}`;
  });
};

const startManager = async (context: TestContext, flags: readonly string[], apiUrl: string) => {
  const env = { HOME: data, PATH: process.env['PATH'], SCW_API_URL: apiUrl };
  const listening = ['--metrics-bind-address', '127.0.0.1:0', '--health-probe-bind-address', '0'];
  const args = [MANAGER, ...flags, '--default-adopt-pool-prefix', 'tuist-pool-', ...listening];
  const manager = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env });
  const gone = once(manager, 'exit');
  const said: string[] = [];
  createInterface({ input: manager.stdout }).on('line', (line) => said.push(line));
  context.after(async () => {
    manager.kill('SIGTERM');
    await gone;
  });
  const portOf = (): string | undefined => /"port":(\d+)/.exec(said.join('\n'))?.[1];
  await until('the manager serves its metrics', () => portOf() !== undefined);
  return {
    log: () => said.join('\n'),
    metrics: async () => (await request(`http://127.0.0.1:${portOf()}/metrics`)).body.text(),
    stop: async (): Promise<unknown> => {
      manager.kill('SIGTERM');
      return (await gone)[0];
    },
  };
};

/** Does something on the cluster, as its administrator. */
const onCluster = async <T>(kubeconfig: string, act: (client: KubeClient) => Promise<T>): Promise<T> => {
  const [clock, host] = [createSystemClock(), createHostIo()];
  const logger = createLogger({ clock, level: 'error', destination: { write: () => undefined } });
  const config = await loadKubeconfig({ path: kubeconfig }, host);
  const cluster = await connectCluster(config, { host, clock, random: createSeededRandom(1), logger });
  try {
    return await act(cluster.client);
  } finally {
    await cluster.close();
  }
};

/** The names of all Macs on record. */
const readRecords = (kubeconfig: string): Promise<readonly string[]> =>
  onCluster(kubeconfig, async (client) => {
    const { items } = await client.list(MAC_HOSTS, { signal: neverAborted() });
    return items.map(({ metadata }) => metadata.name).toSorted();
  });

/** As kubeadm does. */
const sayPublicServer = (kubeconfig: string, server: string): Promise<unknown> =>
  onCluster(kubeconfig, (client) => {
    const data = { kubeconfig: `clusters: [{name: "", cluster: {server: ${server}}}]` };
    return client.create(CONFIG_MAPS, { metadata: CLUSTER_INFO, data }, { signal: neverAborted() });
  });

/** By which Cluster API core reaches the cluster. */
const readCoreKubeconfig = (kubeconfig: string): Promise<string> =>
  onCluster(kubeconfig, async (client) => {
    const { items } = await client.list(SECRETS, { signal: neverAborted() });
    const found = items.find(({ metadata }) => metadata.name === 'demo-kubeconfig');
    return Buffer.from(found?.data?.['value'] ?? '', 'base64').toString();
  });

describe('the manager process on a Scaleway project', () => {
  it('puts its Macs on record, and counts its calls and what is strange', { timeout: 60_000 }, async (context) => {
    const { cloud, apiUrl } = await startCloud(context);
    const kubeconfig = await startCluster(context);
    await sayPublicServer(kubeconfig, 'https://macfleet.test');
    const flags = [
      ...['--kubeconfig', kubeconfig, '--scaleway', '--scaleway-credentials', mountSecret(cloud.projectId)],
      ...writeArtefacts(),
      ...['--node-identity-cluster-role', 'another'],
    ];
    const manager = await startManager(context, flags, apiUrl);
    await until('the Macs are on record', async () => (await readRecords(kubeconfig)).length === 2);
    assert.deepEqual(
      await readRecords(kubeconfig),
      cloud
        .servers()
        .map(({ id }) => id)
        .toSorted(),
    );
    const [listed] = cloud.otherCalls().entries;
    assert.deepEqual([listed?.verb, listed?.outcome, listed?.principal], ['list', 'accepted', SIMULATED_KEY.accessKey]);
    const counted = await manager.metrics();
    assert.match(counted, /^macfleet_scaleway_servers\{zone="fr-par-1"\} 2$/m);
    assert.match(counted, /^macfleet_scaleway_strange_servers\{zone="fr-par-1",lacks="status"\} 1$/m);
    assert.match(counted, /^macfleet_scaleway_strange_servers\{zone="fr-par-1",lacks="id"\} 0$/m);
    assert.match(counted, /^macfleet_scaleway_calls_total\{verb="listServers",outcome="ok"\} \d+$/m);
    assert.match(manager.log(), new RegExp(`"apiUrl":"${apiUrl}"`));
    assert.doesNotMatch(manager.log(), new RegExp(SIMULATED_KEY.secretKey));
    await until('core has its kubeconfig', async () => (await readCoreKubeconfig(kubeconfig)) !== '');
    assert.match(await readCoreKubeconfig(kubeconfig), /server: https:\/\/macfleet\.test\n/);
    assert.match(manager.log(), /--node-identity-cluster-role has no effect/);
    assert.equal(await manager.stop(), 0);
  });
});
