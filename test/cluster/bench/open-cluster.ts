/** A running cluster as tests hold it, whoever started it. */
import { join } from 'node:path';
import { createSystemClock } from '../../../src/base/clock.ts';
import { createIds } from '../../../src/base/ids.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { createSystemRandom } from '../../../src/base/random.ts';
import { type ClusterConnection, connectCluster } from '../../../src/kube/client/connect.ts';
import { createHostIo } from '../../../src/kube/client/login/host-io.ts';
import { loadKubeconfig } from '../../../src/kube/client/login/load-cluster.ts';
import type { Cluster, CommandOptions, CommandResult } from './cluster.ts';
import { type ClusterPki, type ClusterUser, writePrivate } from './pki.ts';
import type { ClusterRecord } from './record.ts';
import { runCommand } from './run-command.ts';

export interface ClusterPlace {
  readonly dir: string;
  readonly pki: ClusterPki;
  readonly record: ClusterRecord;
  /** What ends it beyond closing our own connections. */
  readonly stop: () => Promise<void>;
}

export const ADMIN: ClusterUser = { name: 'macfleet-bench-admin', groups: ['system:masters'] };

export const adminKubeconfig = (dir: string): string => join(dir, 'kubeconfig');

export const openCluster = ({ dir, pki, record, stop }: ClusterPlace): Cluster => {
  const { server, etcdUrl, binDir } = record;
  const kubeconfig = adminKubeconfig(dir);
  const ids = createIds(createSystemRandom());
  const connections: ClusterConnection[] = [];

  const start = (path: string, args: readonly string[], options: CommandOptions): Promise<CommandResult> => {
    const { kubeconfig: chosen = kubeconfig, env, ...rest } = options;
    return runCommand({ path, args, env: { ...commandEnv(dir), KUBECONFIG: chosen, ...env }, ...rest });
  };
  const run: Cluster['run'] = (binary, args, options = {}) => start(join(binDir, binary), args, options);
  return {
    ...{ server, etcdUrl, dir, kubeconfig, run },
    caPem: pki.caPem,
    kubeconfigFor: async (user) => {
      const path = join(dir, 'users', `${ids.uuid()}.kubeconfig`);
      writePrivate(path, pki.kubeconfig(server, user));
      return path;
    },
    client: async (path = kubeconfig) => {
      const connection = await connect(path);
      connections.push(connection);
      return connection.client;
    },
    kubectl: (args, options) => run('kubectl', args, options),
    script: (text, { env, ...options } = {}) => {
      const PATH = `${binDir}:${process.env['PATH'] ?? ''}`;
      return start('/bin/bash', ['--norc', '-euo', 'pipefail', '-c', text], { ...options, env: { PATH, ...env } });
    },
    stop: async () => {
      await Promise.all(connections.splice(0).map((connection) => connection.close()));
      await stop();
    },
  };
};

const connect = async (path: string): Promise<ClusterConnection> => {
  const host = createHostIo();
  const config = await loadKubeconfig({ path }, host);
  return connectCluster(config, {
    host,
    clock: createSystemClock(),
    random: createSystemRandom(),
    logger: silentLogger,
  });
};

/** Programs keep what they remember inside the cluster's directory, not in the home of whoever runs the tests. */
const commandEnv = (dir: string): Readonly<Record<string, string>> => ({
  PATH: process.env['PATH'] ?? '',
  // Or clusterctl asks the network for a newer one of itself.
  CLUSTERCTL_DISABLE_VERSIONCHECK: 'true',
  HOME: join(dir, 'home'),
  XDG_CONFIG_HOME: join(dir, 'home', '.config'),
  XDG_CACHE_HOME: join(dir, 'home', '.cache'),
  XDG_DATA_HOME: join(dir, 'home', '.local'),
  KUBECACHEDIR: join(dir, 'home', '.kube', 'cache'),
});
