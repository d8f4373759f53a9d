/** The work behind `macfleet logs`. Loaded only when it runs. */
import { FleetError } from '../../base/errors.ts';
import { JOBS } from '../../controlplane/core/workloads/job.ts';
import { PODS } from '../../kube/types/core.ts';
import type { Pod } from '../../kube/types/pod.ts';
import type { ClusterFlags } from '../cluster/cluster-flags.ts';
import { findObject } from '../cluster/find-object.ts';
import { type OpenedCluster, withCluster } from '../cluster/open-cluster.ts';
import { podsOf } from '../describe/gather.ts';
import type { Target } from '../describe/target.ts';
import type { CliIo } from '../io.ts';
import { createLinePrefixer } from './prefix-lines.ts';
import { type LogOptions, streamLog } from './stream-log.ts';

export interface LogsFlags extends ClusterFlags, LogOptions {
  readonly target: Target;
}

export const runLogs = (flags: LogsFlags, io: CliIo): Promise<void> =>
  withCluster(flags, io, async (cluster) => {
    const pods = await findPods(flags, cluster, io.signal);
    const [only, ...others] = pods;
    const source = { ...cluster, signal: io.signal };
    if (only !== undefined && others.length === 0) {
      for await (const text of streamLog(only, flags, source)) io.stdout(text);
      return;
    }
    await Promise.all(
      pods.map(async (pod) => {
        const lines = createLinePrefixer(`[${pod.metadata.name}] `, io.stdout);
        for await (const text of streamLog(pod, flags, source)) lines.push(text);
        lines.end();
      }),
    );
  });

const findPods = async (
  { target, namespace }: LogsFlags,
  { client }: OpenedCluster,
  signal: AbortSignal,
): Promise<readonly Pod[]> => {
  const finding = { client, namespace: target.namespace ?? namespace, signal };
  if (target.kind === 'pod') return [await findObject(PODS, target.name, finding)];
  const pods = await podsOf(await findObject(JOBS, target.name, finding), finding);
  const started = pods.filter(({ status }) => status?.phase !== 'Pending');
  if (started.length > 0) return started;
  throw new FleetError('not-found', {
    code: 'NoLogYet',
    message: `the Job "${target.name}" has ${pods.length === 0 ? 'no Pod' : 'no Pod that has started'}`,
    hint: `See what it waits for: macfleet describe job ${target.name}`,
  });
};
