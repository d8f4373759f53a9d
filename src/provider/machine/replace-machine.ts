/**
 * Asks Cluster API core to replace a Machine, in the words of its health checks: a MachineSet deletes Machines that have
 * both conditions, and makes new ones (cluster-api contract, remediation by the owner).
 */
import { toTimestamp } from '../../base/clock.ts';
import { isKind } from '../../base/errors.ts';
import type { ScalewayAppleSiliconMachine } from '../../kinds/machine.ts';
import type { ReconcileContext } from '../../kube/controller/controller.ts';
import { CLUSTER_API_RESOURCES, type Machine, REMEDIATION } from '../../kube/types/cluster-api.ts';
import type { Condition } from '../../kube/types/meta.ts';

export interface Replacement {
  readonly message: string;
  readonly nowMs: number;
}

/** Does nothing when it was asked for already, or when there is no Machine to replace, or one that goes anyway. */
export const askForReplacement = async (
  machine: ScalewayAppleSiliconMachine,
  { message, nowMs }: Replacement,
  { kube, signal }: Pick<ReconcileContext, 'kube' | 'signal'>,
): Promise<void> => {
  const owner = machine.metadata.ownerReferences?.find(({ kind }) => kind === 'Machine');
  if (owner === undefined) return;
  const key = { namespace: machine.metadata.namespace ?? '', name: owner.name };
  try {
    const found = await kube.get(CLUSTER_API_RESOURCES.machines, key, { signal });
    const isGoing = found.metadata.deletionTimestamp !== undefined;
    if (found.metadata.uid !== owner.uid || isGoing || isAsked(found)) return;
    const { uid, resourceVersion } = found.metadata;
    const body = { metadata: { uid, resourceVersion }, status: { conditions: withRemediation(found, message, nowMs) } };
    await kube.patch(CLUSTER_API_RESOURCES.machines, key, { type: 'merge', body }, { signal, subresource: 'status' });
  } catch (error) {
    if (!isKind(error, 'not-found')) throw error;
  }
};

const isAsked = ({ status }: Machine): boolean =>
  TYPES.every((type) =>
    status?.conditions?.some((condition) => condition.type === type && condition.status === 'False'),
  );

const TYPES: readonly string[] = [REMEDIATION.healthCheckSucceeded, REMEDIATION.ownerRemediated];

const withRemediation = ({ status }: Machine, message: string, nowMs: number): readonly Condition[] => {
  const others = status?.conditions?.filter(({ type }) => !TYPES.includes(type)) ?? [];
  const lastTransitionTime = toTimestamp(nowMs);
  const reasons = [REMEDIATION.reasons.unhealthy, REMEDIATION.reasons.waiting];
  const asked = TYPES.map(
    (type, at) => ({ type, status: 'False', reason: reasons[at] ?? '', message, lastTransitionTime }) as const,
  );
  return [...others, ...asked];
};
