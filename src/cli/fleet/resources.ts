/** Our kinds as the command line lists them: their types without their schemas, which nobody here needs. */
import type { MacHost } from '../../kinds/mac-host.ts';
import type { ScalewayAppleSiliconMachine } from '../../kinds/machine.ts';
import { RESOURCE_NAMES } from '../../kinds/resource-names.ts';
import type { RunnerPool } from '../../kinds/runner-pool.ts';
import type { Resource } from '../../kube/types/resource.ts';

export const MAC_HOSTS: Resource<MacHost> = RESOURCE_NAMES.macHosts;
export const MACHINES: Resource<ScalewayAppleSiliconMachine> = RESOURCE_NAMES.machines;
export const RUNNER_POOLS: Resource<RunnerPool> = RESOURCE_NAMES.runnerPools;
