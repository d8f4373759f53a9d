/**
 * ScalewayAppleSiliconControlPlane: says that the control plane exists and is run by somebody else. Without it Cluster
 * API core neither drains nor deletes Nodes and calls no Machine ready.
 */
import type { KubeObject } from '../kube/types/meta.ts';
import type { Resource } from '../kube/types/resource.ts';
import { clusterApiKind, INFRASTRUCTURE } from './infrastructure.ts';
import { conditions } from './schema/conditions.ts';
import { flag, object } from './schema/fields.ts';
import { AGE, type Data, type Kind } from './schema/kind.ts';
import { createParser } from './schema/parse.ts';

const spec = object(
  'Nothing to choose: the control plane is run elsewhere. Neither version nor replicas, on purpose.',
  {},
);

const status = object('The control plane as last observed.', {
  initialization: object('Facts of the first provisioning; they never go back to false.', {
    controlPlaneInitialized: flag('The API server answers: Cluster API goes on from here.').optional(),
  }).optional(),
  externalManagedControlPlane: flag('The control plane has no Machines of its own.').optional(),
  conditions: conditions.optional(),
});

export interface ScalewayAppleSiliconControlPlane extends KubeObject {
  readonly spec: Data<typeof spec>;
  readonly status?: Data<typeof status>;
}

export const CONTROL_PLANES: Resource<ScalewayAppleSiliconControlPlane> = {
  ...INFRASTRUCTURE,
  kind: 'ScalewayAppleSiliconControlPlane',
  plural: 'scalewayapplesiliconcontrolplanes',
  scope: 'Namespaced',
};

export const controlPlaneKind: Kind<ScalewayAppleSiliconControlPlane> = {
  ...clusterApiKind,
  resource: CONTROL_PLANES,
  description: 'Marks the control plane of a Cluster as one that exists and is managed elsewhere.',
  shortName: 'sascp',
  columns: [
    { name: 'Initialized', type: 'boolean', jsonPath: '.status.initialization.controlPlaneInitialized' },
    { name: 'External', type: 'boolean', jsonPath: '.status.externalManagedControlPlane' },
    AGE,
  ],
  fields: { spec: spec.prefault({}), status },
};

export const parseControlPlane = createParser(controlPlaneKind);
