/**
 * A machine template is immutable: MachineSets know their template by name, so a changed one would give one MachineSet
 * two sorts of machines. ClusterClass tries changes by a dry run, which Cluster API's contract wants to be allowed; a
 * rule in the CRD could not see that, a policy can.
 */
import { CLUSTER_API_ANNOTATIONS } from '../../kube/types/cluster-api.ts';
import { MACHINE_TEMPLATES } from '../machine-template.ts';
import type { AdmissionPolicy } from './policy.ts';

export const machineTemplateImmutability: AdmissionPolicy = {
  name: 'macfleet-machine-template-immutability',
  match: { resource: MACHINE_TEMPLATES, operations: ['UPDATE'] },
  variables: [
    {
      name: 'isTopologyDryRun',
      expression: `request.?dryRun.orValue(false) && '${CLUSTER_API_ANNOTATIONS.topologyDryRun}' in object.metadata.?annotations.orValue({})`,
    },
  ],
  validations: [
    {
      expression: 'variables.isTopologyDryRun || object.spec.template.spec == oldObject.spec.template.spec',
      message: `spec.template.spec of a ${MACHINE_TEMPLATES.kind} cannot be changed. Create a template with another name and point the infrastructureRef of the MachineDeployment to it.`,
      reason: 'Invalid',
    },
  ],
};
