/** What a host keeps of the machine that claims it: all that it needs, also when the machine is gone (R11). */
import type { MacHostSpec } from '../../kinds/mac-host.ts';
import type { ScalewayAppleSiliconMachine } from '../../kinds/machine.ts';

export type Claim = Pick<MacHostSpec, 'claimRef' | 'fleet' | 'configuration'>;

export const claimOf = (machine: ScalewayAppleSiliconMachine): Claim => {
  const { name, namespace = '', uid = '' } = machine.metadata;
  const configuration = configurationOf(machine);
  return {
    claimRef: { namespace, name, uid },
    fleet: machine.spec.fleetName ?? `${namespace}-${name}`,
    ...(configuration === undefined ? {} : { configuration }),
  };
};

/** Undefined: nothing but what all Macs of the manager get. */
export const configurationOf = ({ spec }: ScalewayAppleSiliconMachine): MacHostSpec['configuration'] => {
  const { hostCPU, hostMemoryMB, ghActionsRunner } = spec;
  const wanted = {
    ...(hostCPU ? { hostCPU } : {}),
    ...(hostMemoryMB ? { hostMemoryMB } : {}),
    ...(ghActionsRunner === undefined ? {} : { ghActionsRunner }),
  };
  return Object.keys(wanted).length === 0 ? undefined : wanted;
};
