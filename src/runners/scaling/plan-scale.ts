/** Whether replicas are to be changed now. Pure. */
import { parseTimestamp } from '../../base/clock.ts';
import type { RunnerPool } from '../../kinds/runner-pool.ts';

export type ScalePlan =
  | { readonly do: 'nothing' }
  | { readonly do: 'up'; readonly replicas: number }
  /** The time of it is put on record first: a step down that is lost costs a wait, not a second step too soon. */
  | { readonly do: 'down'; readonly replicas: number };

/** Up at once; down not before the last step down is long enough ago. */
export const planScale = ({ spec, status }: RunnerPool, target: number, nowMs: number): ScalePlan => {
  if (target === spec.replicas) return { do: 'nothing' };
  if (target > spec.replicas) return { do: 'up', replicas: target };
  const lastMs = parseTimestamp(status?.lastScaleDownAt);
  const isCooling = lastMs !== undefined && nowMs - lastMs < spec.autoscaling.scaleDownCooldownSeconds * 1_000;
  return isCooling ? { do: 'nothing' } : { do: 'down', replicas: target };
};
