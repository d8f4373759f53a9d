/**
 * Two managers that look for their lease in different namespaces would both lead. So whoever starts looks for a lease of its
 * name elsewhere first, be it the Go original's, and does not start beside one that is renewed (R27).
 */
import { type Clock, sleep } from '../base/clock.ts';
import { FleetError, isKind } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { KubeClient } from '../kube/client/client.ts';
import { LEASES, type Lease } from '../kube/types/coordination.ts';
import type { ObjectKey } from '../kube/types/meta.ts';

export interface RivalDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly logger: Logger;
}

const WAIT_MAX_MS = 60_000;

/** Settles when there is none; rejects when there is. A lease that somebody left behind costs one wait for its duration. */
export const refuseRival = async (deps: RivalDeps, own: ObjectKey, signal: AbortSignal): Promise<void> => {
  const seen = await findHeld(deps, own, signal);
  if (seen.length === 0) return;
  const durationMs = Math.max(...seen.map(({ spec }) => (spec?.leaseDurationSeconds ?? 0) * 1_000));
  await sleep(deps.clock, Math.min(durationMs, WAIT_MAX_MS), signal);
  const later = await findHeld(deps, own, signal);
  const rival = later.find((lease) => !seen.some((earlier) => isUnchanged(earlier, lease)));
  if (rival === undefined) return;
  const { namespace = '', name } = rival.metadata;
  throw new FleetError('invalid', {
    code: 'LeaseElsewhere',
    message: `another manager leads with the lease ${name} in the namespace ${namespace}, and this one would look in ${own.namespace}`,
    hint: `Start it with --lease-namespace ${namespace}, so that one of the two waits, or stop the other one.`,
  });
};

const isUnchanged = (earlier: Lease, later: Lease): boolean =>
  earlier.metadata.namespace === later.metadata.namespace &&
  earlier.metadata.resourceVersion === later.metadata.resourceVersion;

/** Leases of our name in other namespaces that somebody has. */
const findHeld = async (
  { client, logger }: RivalDeps,
  { namespace, name }: ObjectKey,
  signal: AbortSignal,
): Promise<readonly Lease[]> => {
  try {
    const { items } = await client.list(LEASES, { fieldSelector: `metadata.name=${name}`, signal });
    const others = items.filter(({ metadata }) => metadata.name === name && metadata.namespace !== namespace);
    return others.filter(({ spec }) => (spec?.holderIdentity ?? '') !== '');
  } catch (error) {
    if (!isKind(error, 'denied')) throw error;
    logger.warn('Not allowed to list Leases: cannot tell whether another manager leads from another namespace');
    return [];
  }
};
