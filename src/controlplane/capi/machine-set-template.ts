/** The MachineSet that belongs to a template: its name, its labels and what of the template makes it another one. Pure. */
import { createHash } from 'node:crypto';
import { CLUSTER_API_LABELS, CLUSTER_API_RESOURCES } from '../../kube/types/cluster-api.ts';
import { referToController } from '../core/owner-references.ts';
import { sortKeys } from '../core/workloads/deployment-sets.ts';
import { CORE_LABELS, type MachineDeployment, type MachineSet } from './machine-kinds.ts';

/** The same for the same template, whatever the order of its fields. What reaches Machines in place is no part of it. */
export const hashTemplate = ({ spec }: Pick<MachineDeployment, 'spec'>): string => {
  const {
    deletion: _deletion,
    readinessGates: _gates,
    minReadySeconds: _seconds,
    taints: _taints,
    ...rolled
  } = spec.template.spec;
  return createHash('sha256')
    .update(JSON.stringify(sortKeys(rolled)))
    .digest('hex')
    .slice(0, 10);
};

const ownLabels = (deployment: MachineDeployment): Readonly<Record<string, string>> => ({
  [CORE_LABELS.deploymentName]: deployment.metadata.name,
  [CORE_LABELS.templateHash]: hashTemplate(deployment),
});

/** The template of the set: that of the deployment, with labels that tell its Machines from others. */
export const renderTemplate = (deployment: MachineDeployment): MachineSet['spec']['template'] => {
  const { template } = deployment.spec;
  const labels = { ...template.metadata?.labels, ...ownLabels(deployment) };
  return { ...template, metadata: { ...template.metadata, labels } };
};

export const renderMachineSet = (deployment: MachineDeployment, replicas: number): MachineSet => {
  const { metadata, spec } = deployment;
  const own = ownLabels(deployment);
  return {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'MachineSet',
    metadata: {
      namespace: metadata.namespace ?? '',
      name: `${metadata.name}-${hashTemplate(deployment)}`,
      labels: { ...spec.template.metadata?.labels, [CLUSTER_API_LABELS.clusterName]: spec.clusterName, ...own },
      ownerReferences: [referToController(CLUSTER_API_RESOURCES.machineDeployments, deployment)],
    },
    spec: {
      clusterName: spec.clusterName,
      replicas,
      selector: { matchLabels: { ...spec.selector.matchLabels, ...own } },
      template: renderTemplate(deployment),
      ...(spec.deletion !== undefined && { deletion: spec.deletion }),
    },
  };
};
