/** `npm run test:cluster`: the tests that need a real Kubernetes, on one cluster that they share. */
import '../../bin/require-node.js';
import { join } from 'node:path';
import { installKinds, SHARED_VARIABLE, startCluster } from '../../test/cluster/bench.ts';
import { runTier } from '../test/run-tier.ts';
import { findBinaries } from './binaries.ts';

const onSharedCluster = async (run: () => Promise<boolean>): Promise<boolean> => {
  const cluster = await startCluster({ parts: 'cluster-api' });
  try {
    await installKinds(cluster);
    process.env[SHARED_VARIABLE] = cluster.dir;
    return await run();
  } finally {
    await cluster.stop();
  }
};

await runTier({
  command: 'npm run test:cluster',
  root: join(import.meta.dirname, '..', '..'),
  // The files share one cluster, and each waits for it most of the time.
  limits: { concurrency: 2, timeoutMs: 240_000, stallMs: 300_000 },
  require: () => findBinaries(process.env),
  around: onSharedCluster,
});
