/** What detaching a machine does, step by step; the order is what makes it safe (001-2, R16). Pure. */
import { FleetError } from '../../base/errors.ts';
import type { MacHost } from '../../kinds/mac-host.ts';
import type { ScalewayAppleSiliconMachine } from '../../kinds/machine.ts';
import { CLUSTER_API_ANNOTATIONS } from '../../kube/types/cluster-api.ts';
import { keyOf, renderKey } from '../../kube/types/meta.ts';

export type DetachStep = 'pause' | 'clear-server' | 'clear-provider-id' | 'await-hold' | 'delete-machine';

export interface DetachWish {
  readonly machine: ScalewayAppleSiliconMachine;
  /** Absent under the Go original, which has no record of Macs. */
  readonly host: MacHost | undefined;
  readonly keepsMachine: 'yes' | 'no';
}

export interface DetachPlan {
  readonly steps: readonly DetachStep[];
  readonly says: readonly string[];
}

/** Leaves out what is done already, so that an attempt that was cut off can be run again. */
export const planDetach = ({ machine, host, keepsMachine }: DetachWish): DetachPlan => {
  const { metadata, spec, status } = machine;
  const isPaused = metadata.annotations?.[CLUSTER_API_ANNOTATIONS.paused] !== undefined;
  const hasServer = (status?.serverID ?? '') !== '';
  const hasProviderId = (spec.providerID ?? '') !== '';
  if (metadata.deletionTimestamp !== undefined) throw beingDeleted(machine);
  if (!hasServer && !hasProviderId && !isPaused) throw noMac(machine);
  const steps: readonly (DetachStep | false)[] = [
    !isPaused && 'pause',
    hasServer && 'clear-server',
    hasProviderId && 'clear-provider-id',
    host !== undefined && host.spec.hold === undefined && 'await-hold',
    keepsMachine === 'no' && 'delete-machine',
  ];
  const wanted = steps.filter((step) => step !== false);
  const mac = status?.serverID || host?.metadata.name || 'its Mac';
  return {
    steps: wanted,
    says: [
      `The machine ${renderKey(keyOf(machine))} will be taken off ${mac}. Nothing is done to the Mac:`,
      ...wanted.map((step) => `  ${STEP_WORDS[step]}`),
      host === undefined
        ? 'No MacHost knows the Mac: afterwards nobody does, and it is paid for until you rename or delete its server.'
        : 'The Mac stays held, and paid for, until somebody releases it (macfleet release).',
      ...(keepsMachine === 'yes'
        ? []
        : ['A MachineDeployment makes another machine in its place: scale it down first if it should not.']),
    ],
  };
};

const STEP_WORDS: Readonly<Record<DetachStep, string>> = {
  pause: 'pause the machine, so that nobody gives it its Mac back',
  'clear-server': 'clear status.serverID',
  'clear-provider-id': 'clear spec.providerID',
  'await-hold': 'wait until the manager holds the Mac',
  'delete-machine': 'delete the Machine of Cluster API',
};

const beingDeleted = (machine: ScalewayAppleSiliconMachine): FleetError =>
  new FleetError('conflict', {
    code: 'MachineBeingDeleted',
    message: `the machine ${renderKey(keyOf(machine))} is being deleted: its Mac may be on its way back already`,
    hint: `Look at what happens to it: macfleet describe machine ${machine.metadata.name}`,
  });

const noMac = (machine: ScalewayAppleSiliconMachine): FleetError =>
  new FleetError('invalid', {
    code: 'NothingToDetach',
    message: `the machine ${renderKey(keyOf(machine))} has no Mac`,
    hint: 'There is nothing to detach: delete the Machine if it is not needed.',
  });
