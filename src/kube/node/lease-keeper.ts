/** The heartbeat of a Node: its Lease, renewed for as long as the agent lives. */

import type { Clock } from '../../base/clock.ts';
import { pause, toMicroTimestamp } from '../../base/clock.ts';
import { isKind, toFleetError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { KubeClient } from '../client/client.ts';
import { LEASES } from '../types/coordination.ts';
import { NODES } from '../types/core.ts';

const NAMESPACE = 'kube-node-lease';
const RENEW_EVERY_MS = 10_000;
/** The first wait after a heartbeat that failed; each further one is twice as long, up to a part of that between two heartbeats. */
const RETRY_AFTER_MS = 2_000;
const RETRY_SHARE = 0.25;
const DOUBLINGS_MAX = 16;
const DURATION_SECONDS = 40;

export interface LeaseKeeperOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly nodeName: string;
  /** Every ten seconds unless given. */
  readonly renewEveryMs?: number;
}

/** Settles when the signal is aborted. */
export const keepLease = async (options: LeaseKeeperOptions, signal: AbortSignal): Promise<void> => {
  const { clock, logger, renewEveryMs = RENEW_EVERY_MS } = options;
  let failures = 0;
  while (!signal.aborted) {
    const isRenewed = await renew(options, signal).catch((thrown: unknown) => {
      if (!signal.aborted) logger.warn('Heartbeat failed', { error: toFleetError(thrown) });
      return false;
    });
    const retryMs = Math.min(RETRY_AFTER_MS * 2 ** Math.min(failures, DOUBLINGS_MAX), renewEveryMs * RETRY_SHARE);
    failures = isRenewed ? 0 : failures + 1;
    await pause(clock, isRenewed ? renewEveryMs : Math.max(RETRY_AFTER_MS, retryMs), signal);
  }
};

/** False when there is no Node yet to which the Lease could belong. */
const renew = async (options: LeaseKeeperOptions, signal: AbortSignal): Promise<boolean> => {
  const { client, clock, nodeName } = options;
  const body = { spec: { holderIdentity: nodeName, renewTime: toMicroTimestamp(clock.now()) } };
  try {
    await client.patch(LEASES, { namespace: NAMESPACE, name: nodeName }, { type: 'merge', body }, { signal });
    return true;
  } catch (error) {
    if (!isKind(error, 'not-found')) throw error;
    return createLease(options, signal);
  }
};

const createLease = async ({ client, clock, nodeName }: LeaseKeeperOptions, signal: AbortSignal): Promise<boolean> => {
  try {
    const { uid = '' } = (await client.get(NODES, { name: nodeName }, { signal })).metadata;
    const lease = {
      metadata: {
        namespace: NAMESPACE,
        name: nodeName,
        ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: nodeName, uid }],
      },
      spec: {
        holderIdentity: nodeName,
        leaseDurationSeconds: DURATION_SECONDS,
        renewTime: toMicroTimestamp(clock.now()),
      },
    };
    await client.create(LEASES, lease, { signal });
    return true;
  } catch (error) {
    if (isKind(error, 'not-found')) return false;
    throw error;
  }
};
