/** What a machine says and does while there is no record of the Mac that it names: wait for the inventory (R15). */
import { CONDITIONS, REASONS } from '../../kinds/condition-reasons.ts';
import type { ScalewayAppleSiliconMachine } from '../../kinds/machine.ts';
import { type StepResult, wait } from '../../kube/controller/outcome.ts';
import type { HostPorts } from '../host/ports.ts';

export const awaitRecord = (
  { settings }: Pick<HostPorts, 'settings'>,
  { status }: ScalewayAppleSiliconMachine,
): StepResult<ScalewayAppleSiliconMachine> =>
  wait<ScalewayAppleSiliconMachine>(settings.times.pollMs, {
    condition: {
      type: CONDITIONS.machine.provisioned,
      status: 'False',
      reason: REASONS.machine.provisioned.hostNotOnRecord,
      message: `There is no record of its Mac ${status?.serverID}: it is made anew from the next list of servers that has the Mac.`,
    },
  });
