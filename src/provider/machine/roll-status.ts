/** How a machine tells of the configuration of its Mac, in the fields of the original: what was verified, and what failed. */
import type { MacHost } from '../../kinds/mac-host.ts';
import type { MachineStatus, ScalewayAppleSiliconMachine } from '../../kinds/machine.ts';
import type { Changes } from '../../kube/controller/outcome.ts';
import type { RollLimits } from '../fleet/plan-drift.ts';

const EXCEEDED = 'TartKubeletUpdateExceededRetries';

/** Somebody took the failure off the machine by hand, and left what had failed: the Mac gets new attempts. */
export const isFailureCleared = ({ status }: ScalewayAppleSiliconMachine, { spec }: MacHost): boolean =>
  status?.failedHostConfigHash !== undefined &&
  status.failedHostConfigHash === spec.budgets.roll.failedHash &&
  !status.failureReason;

/** Failed once the attempts are used up; the Mac works on with what it has. */
export const rollStatusOf = ({ spec, status }: MacHost, { cap }: RollLimits): Changes<MachineStatus> => {
  const { failures, lastFailureAt, failedHash } = spec.budgets.roll;
  const isGivenUp = cap > 0 && failures >= cap;
  return {
    phase: isGivenUp ? 'Failed' : 'Ready',
    hostConfigHash: status?.configHash,
    tartKubeletUpdateAttempts: failures === 0 ? undefined : failures,
    lastUpdateFailureTime: lastFailureAt,
    failedHostConfigHash: isGivenUp ? failedHash : undefined,
    failureReason: isGivenUp ? EXCEEDED : undefined,
    failureMessage: isGivenUp
      ? `${failures} attempts to change the host's configuration failed; its events say why. The Mac works on with the old one.`
      : undefined,
  };
};
