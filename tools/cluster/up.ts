/** `npm run cluster:up`: a real Kubernetes for a person, on this machine, until Ctrl-C. */
import '../../bin/require-node.js';
import { once } from 'node:events';
import { Command, Option } from 'commander';
import { openProcess } from '../../bin/process-io.ts';
import { reportFailure } from '../../src/cli/report-failure.ts';
import type { Cluster } from '../../test/cluster/bench/cluster.ts';
import { installDefinitions, startCluster } from '../../test/cluster/bench.ts';
import { findBinaries } from './binaries.ts';

interface Flags {
  readonly with?: 'cluster-api';
}

const { args, io } = openProcess();

const { with: also } = new Command('npm run cluster:up --')
  .description('etcd, kube-apiserver, kube-controller-manager and kube-scheduler on the loopback')
  .addOption(new Option('--with <part>', 'Cluster API core too, and our kinds').choices(['cluster-api']))
  .parse(args, { from: 'user' })
  .opts<Flags>();

const renderHelp = ({ kubeconfig }: Cluster, kubectl: string): string => {
  const clusters = also === 'cluster-api' ? 'get clusters -A' : 'get serviceaccounts -A';
  return `
kubeconfig: ${kubeconfig}
to try:
  export KUBECONFIG=${kubeconfig}
  ${kubectl} get --raw /readyz
  ${kubectl} api-resources
  ${kubectl} ${clusters}
Ctrl-C stops it and removes everything.
`;
};

const up = async (): Promise<void> => {
  const { path } = await findBinaries(io.env);
  const cluster = await startCluster({ parts: also ?? 'kubernetes' });
  try {
    if (also === 'cluster-api') await installDefinitions(cluster);
    io.stdout(renderHelp(cluster, path('kubectl')));
    if (!io.signal.aborted) await once(io.signal, 'abort');
  } finally {
    await cluster.stop();
    io.stdout('stopped\n');
  }
};

// Nothing else keeps a process alive that only waits for a signal.
const waiting = setInterval(() => undefined, 60_000);
try {
  await up();
} catch (error) {
  process.exitCode = reportFailure({ args, io }, error);
} finally {
  clearInterval(waiting);
}
