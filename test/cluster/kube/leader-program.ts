/**
 * A manager as a process of its own, for tests that freeze and kill it: one key per ServiceAccount of a namespace, and on
 * every pass two effects, one outside the cluster (a line in a file) and one in it (a ConfigMap). It prints a line when its
 * cache is warm.
 */
import { appendFileSync } from 'node:fs';
import { createSystemClock } from '../../../src/base/clock.ts';
import { toFleetError } from '../../../src/base/errors.ts';
import { isRecord } from '../../../src/base/json.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { createSystemRandom } from '../../../src/base/random.ts';
import { createCache } from '../../../src/kube/cache/cache.ts';
import { connectCluster } from '../../../src/kube/client/connect.ts';
import { createHostIo } from '../../../src/kube/client/login/host-io.ts';
import { loadKubeconfig } from '../../../src/kube/client/login/load-cluster.ts';
import { createController, type ReconcileContext, watchPrimary } from '../../../src/kube/controller/controller.ts';
import { createLeaderLease, type LeaseTimes } from '../../../src/kube/manager/leader-lease.ts';
import { createManager } from '../../../src/kube/manager/manager.ts';
import type { Verdict } from '../../../src/kube/queue/work-queue.ts';
import { CONFIG_MAPS, SERVICE_ACCOUNTS } from '../../../src/kube/types/core.ts';

export interface LeaderProgram {
  readonly kubeconfig: string;
  readonly namespace: string;
  readonly identity: string;
  readonly times: LeaseTimes;
  /** Gets a line for every effect; all processes share it. */
  readonly effects: string;
}

/** How soon a key is worked on again. */
const REST_MS = 20;

const parseProgram = (text: string | undefined): LeaderProgram => {
  const value: unknown = JSON.parse(text ?? '');
  if (!isRecord(value)) throw new Error('the first argument must be a JSON object');
  return value as unknown as LeaderProgram;
};

const act = ({ identity, namespace, effects }: LeaderProgram) => {
  let count = 0;
  return async ({ kube, permit, signal }: ReconcileContext): Promise<Verdict> => {
    count += 1;
    const name = `${identity}-${count}`;
    permit();
    appendFileSync(effects, `${identity}\n`);
    await kube.create(CONFIG_MAPS, { metadata: { namespace, name, labels: { by: identity } } }, { signal });
    return { next: 'again', afterMs: REST_MS };
  };
};

const run = async (program: LeaderProgram, signal: AbortSignal): Promise<void> => {
  const { namespace, identity, times } = program;
  const [clock, random, host] = [createSystemClock(), createSystemRandom(), createHostIo()];
  const common = { clock, random, logger: silentLogger };
  const config = await loadKubeconfig({ path: program.kubeconfig }, host);
  const { client, close } = await connectCluster(config, { host, ...common });
  const cache = createCache({ client, ...common, resource: SERVICE_ACCOUNTS, namespace });
  const controller = createController({
    ...{ name: 'effects', watches: [watchPrimary(cache)], workers: 16 },
    reconcile: act(program),
  });
  const stopWaiting = cache.onProgress(() => {
    stopWaiting();
    process.stdout.write('standing by\n');
  });
  const lease = createLeaderLease({ client, ...common, lease: { namespace, name: 'leader' }, identity, times });
  try {
    await createManager({ name: 'leader', client, ...common, caches: [cache], controllers: [controller], lease }).run(
      signal,
    );
  } finally {
    await close();
  }
};

const stopping = new AbortController();
process.once('SIGTERM', () => stopping.abort());
try {
  await run(parseProgram(process.argv[2]), stopping.signal);
} catch (error) {
  process.stderr.write(`${toFleetError(error).code}\n`);
  process.exitCode = 1;
}
