/**
 * A real Kubernetes for tests: etcd, kube-apiserver, kube-controller-manager, kube-scheduler and Cluster API core as
 * processes on the loopback. It ends with the process that started it, however that ends.
 */
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSystemClock } from '../../src/base/clock.ts';
import { FleetError } from '../../src/base/errors.ts';
import { type ClusterBinaries, findBinaries } from '../../tools/cluster/binaries.ts';
import type { BinaryName } from '../../tools/cluster/recipe.ts';
import { guardDirectory } from '../../tools/processes/guarded.ts';
import { type ChoosePort, chooseFreePort } from '../../tools/processes/ports.ts';
import type { Cluster, ClusterOptions, ClusterParts } from './bench/cluster.ts';
import { startClusterApi } from './bench/cluster-api.ts';
import {
  allowKubeletCalls,
  type Starting,
  startApiServer,
  startControllers,
  startEtcd,
  untilControllersWork,
} from './bench/kubernetes.ts';
import { ADMIN, adminKubeconfig, openCluster } from './bench/open-cluster.ts';
import { createPki, readPki, writePrivate } from './bench/pki.ts';
import { hasParts, readRecord, writeRecord } from './bench/record.ts';
import { createServers } from './bench/servers.ts';

export { installDefinitions, installKinds } from './bench/install-kinds.ts';

export interface BenchDeps {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where the cluster's directory is made. */
  readonly tempDir: string;
  /** How long each part may take to become ready. */
  readonly readyMs: number;
  readonly choosePort: ChoosePort;
  readonly print: (text: string) => void;
}

/** The directory of the cluster that `npm run test:cluster` started. */
export const SHARED_VARIABLE = 'MACFLEET_TEST_CLUSTER';

/** Of each part. Many times what it takes: a machine with one busy core gets there too. */
const READY_MS = 90_000;

const API = ['etcd', 'kube-apiserver', 'kubectl'] as const;
const KUBERNETES = [...API, 'kube-controller-manager', 'kube-scheduler'] as const;
const NEEDED: Readonly<Record<ClusterParts, readonly BinaryName[]>> = {
  api: API,
  kubernetes: KUBERNETES,
  'cluster-api': [...KUBERNETES, 'cluster-api-core'],
};

/** Starts a cluster of its own; call its `stop` in the end. A start that fails leaves nothing behind. */
export const startCluster = async (options: ClusterOptions, given: Partial<BenchDeps> = {}): Promise<Cluster> => {
  const deps: BenchDeps = { ...systemDeps(), ...given };
  const binaries = await findBinaries(deps.env, { need: NEEDED[options.parts] });
  const dir = mkdtempSync(join(deps.tempDir, 'macfleet-cluster-'));
  const remover = deps.env['MACFLEET_KEEP'] === '1' ? undefined : guardDirectory(dir);
  for (const folder of ['logs', 'home']) mkdirSync(join(dir, folder));
  const servers = createServers(join(dir, 'logs'), deps.readyMs);
  const stop = async (): Promise<void> => {
    await servers.stopAll();
    await remover?.stop();
    if (remover === undefined) deps.print(`cluster: kept ${dir}\n`);
  };
  try {
    const { choosePort, print } = deps;
    const program = (name: string): string => binaries.path(name);
    const starting = { dir, options, pki: createPki(dir), servers, choosePort, program };
    return await startParts(starting, { binaries, stop, print });
  } catch (error) {
    await stop();
    throw error;
  }
};

const systemDeps = (): BenchDeps => ({
  env: process.env,
  tempDir: tmpdir(),
  readyMs: READY_MS,
  choosePort: chooseFreePort,
  print: (text) => process.stdout.write(text),
});

interface Surroundings {
  readonly binaries: ClusterBinaries;
  readonly stop: () => Promise<void>;
  readonly print: (text: string) => void;
}

const startParts = async (starting: Starting, around: Surroundings): Promise<Cluster> => {
  const { dir, options, pki, servers } = starting;
  const { parts } = options;
  const clock = createSystemClock();
  const times: string[] = [];
  const startMs = clock.elapsed();
  const lap = (what: string): void => {
    times.push(`${what} ${((clock.elapsed() - startMs) / 1_000).toFixed(1)} s`);
  };
  const etcdUrl = await startEtcd(starting);
  const server = await startApiServer(starting, etcdUrl);
  writePrivate(adminKubeconfig(dir), pki.kubeconfig(server, ADMIN));
  const record = { parts, server, etcdUrl, binDir: around.binaries.dir };
  const cluster = openCluster({ dir, pki, record, stop: around.stop });
  const client = await cluster.client();
  await allowKubeletCalls(client);
  lap('api');
  if (hasParts(parts, 'kubernetes')) {
    startControllers(starting, server);
    await untilControllersWork(starting, client);
    lap('controllers');
  }
  if (hasParts(parts, 'cluster-api')) {
    await startClusterApi(starting, cluster, around.binaries.coreManifest);
    lap('cluster-api');
  }
  servers.checkAlive();
  writeRecord(dir, record);
  around.print(`cluster: ${times.join(', ')}\n`);
  return cluster;
};

/**
 * The cluster that `npm run test:cluster` started, or one of this process alone when a test file is run by itself. Call
 * it once per file. `stop` ends our connections, and the cluster only when it is our own.
 */
export const sharedCluster = async (parts: ClusterParts = 'kubernetes'): Promise<Cluster> => {
  const dir = process.env[SHARED_VARIABLE] ?? '';
  if (dir === '') return startCluster({ parts });
  const record = readRecord(dir);
  if (!hasParts(record.parts, parts)) {
    throw new FleetError('invalid', {
      code: 'SharedClusterTooSmall',
      message: `the shared cluster has ${record.parts}, the test needs ${parts}`,
      hint: `Unset ${SHARED_VARIABLE} to start one for this file alone.`,
    });
  }
  return openCluster({ dir, pki: readPki(dir), record, stop: async () => undefined });
};
