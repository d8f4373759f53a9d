/** What the agent does now and then, beside its Node and its Pods: sweeps old logs, trims its own, and looks how full the disks of guests are. */
import type { Registry } from 'prom-client';
import { type Clock, pause } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { Cache } from '../kube/cache/cache.ts';
import type { Pod } from '../kube/types/pod.ts';
import { sweepLogs } from './api/logs/sweep-logs.ts';
import { watchGuestDisks } from './node/guest-disks.ts';
import { createGuestDiskGauge, tellHostState } from './node/node-metrics.ts';
import type { OpenHost } from './open-host.ts';
import { parseVmName, uidOf } from './pods/vm-name.ts';
import { trimOwnLog } from './trim-own-log.ts';

export interface Chores extends Pick<OpenHost, 'files' | 'vms' | 'watch' | 'folders' | 'ownLog'> {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly pods: Pick<Cache<Pod>, 'synced' | 'list'>;
}

const SWEEP_EVERY_MS = 600_000;

/** Until the signal is aborted. */
export const runChores = async (chores: Chores, signal: AbortSignal): Promise<void> => {
  const { vms, clock, logger, registry, watch } = chores;
  tellHostState(registry, watch);
  const gauge = createGuestDiskGauge(registry);
  const owns = (vm: string): boolean => parseVmName(vm) !== undefined;
  await Promise.all([keepLogsSwept(chores, signal), watchGuestDisks({ vms, clock, logger, gauge, owns }, signal)]);
};

const keepLogsSwept = async (chores: Chores, signal: AbortSignal): Promise<void> => {
  const { files, clock, logger, folders, pods, ownLog: path } = chores;
  const trimmed = { files, path, oldPath: `${folders.logs}/tart-kubelet.old` };
  while (!signal.aborted) {
    await pause(clock, SWEEP_EVERY_MS, signal);
    if (signal.aborted) return;
    await trimOwnLog(trimmed).catch((error: unknown) =>
      logger.warn('The agent’s own log cannot be trimmed', { error }),
    );
    // Before the first answer of the API nobody knows whose Pods are gone.
    if (!pods.synced) continue;
    const uids = new Set(pods.list().map(uidOf));
    await sweepLogs({ files, clock, logDirectory: folders.logs, uids }).catch((error: unknown) =>
      logger.warn('Old logs cannot be swept', { error }),
    );
  }
};
