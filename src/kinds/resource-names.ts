/** How the API serves our kinds, apart from their schemas: those cost a command that only lists them 60 ms to load. */
import { INFRASTRUCTURE } from './infrastructure.ts';

export const RESOURCE_NAMES = {
  macHosts: { ...INFRASTRUCTURE, kind: 'MacHost', plural: 'machosts', scope: 'Cluster' },
  machines: {
    ...INFRASTRUCTURE,
    kind: 'ScalewayAppleSiliconMachine',
    plural: 'scalewayapplesiliconmachines',
    scope: 'Namespaced',
  },
  runnerPools: {
    group: 'tuist.dev',
    version: 'v1alpha1',
    kind: 'RunnerPool',
    plural: 'runnerpools',
    scope: 'Namespaced',
  },
} as const;
