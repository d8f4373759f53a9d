/** The last words of a runner that died, put into our own log: afterwards there is nobody to ask (§3.12, §7-43). */
import { withDeadline } from '../../base/abort.ts';
import { toFleetError } from '../../base/errors.ts';
import { objectPath } from '../../kube/client/paths.ts';
import type { ReconcileContext } from '../../kube/controller/controller.ts';
import { PODS } from '../../kube/types/core.ts';
import { keyOf } from '../../kube/types/meta.ts';
import type { Pod } from '../../kube/types/pod.ts';
import { RUNNER_CONTAINER, terminationOf } from '../runner-pod.ts';

const TIMEOUT_MS = 5_000;
const QUERY = `container=${RUNNER_CONTAINER}&tailLines=200&limitBytes=65536`;

/** Never fails: a report must not wait for a log. */
export const captureDeath = async (pod: Pod, { kube, clock, signal, logger }: ReconcileContext): Promise<void> => {
  const path = `${objectPath(PODS, keyOf(pod))}/log?${QUERY}`;
  const { exitCode, reason, signal: killedBy } = terminationOf(pod) ?? {};
  const facts = { pod: pod.metadata.name, node: pod.spec.nodeName, exitCode, reason, killedBy };
  try {
    const limit = { clock, timeoutMs: TIMEOUT_MS, signal, doing: 'reading the log of a runner' };
    const log = await withDeadline(limit, (within) => kube.getRaw(path, { signal: within }));
    logger.warn('Runner died', { ...facts, log: typeof log === 'string' ? log : JSON.stringify(log) });
  } catch (thrown) {
    logger.warn('Runner died, and its log cannot be read', { ...facts, error: toFleetError(thrown) });
  }
};
