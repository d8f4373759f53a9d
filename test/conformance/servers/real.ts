/** The real kube-apiserver on the real etcd, without controllers: they would write between a case's steps. */
import { createHostIo } from '../../../src/kube/client/login/host-io.ts';
import { loadKubeconfig } from '../../../src/kube/client/login/load-cluster.ts';
import { startCluster } from '../../cluster/bench.ts';
import type { ConformanceServer } from './server.ts';

/** One forgets what is older than a few seconds, the other nothing while a suite runs. */
const COMPACTION_SECONDS = 2;

export const startReal = async (memory: 'lasting' | 'forgetful' = 'lasting'): Promise<ConformanceServer> => {
  const compaction = memory === 'forgetful' ? { compactEverySeconds: COMPACTION_SECONDS } : {};
  const cluster = await startCluster({ parts: 'api', ...compaction }, { print: () => undefined });
  return {
    name: 'real',
    patienceMs: 30_000,
    configFor: async (person) => loadKubeconfig({ path: await cluster.kubeconfigFor(person) }, createHostIo()),
    stop: () => cluster.stop(),
  };
};
