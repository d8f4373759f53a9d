/** ScalewayAppleSiliconCluster: the cluster shell Cluster API wants before it creates Machines. There is nothing to provision. */
import type { KubeObject } from '../kube/types/meta.ts';
import type { Resource } from '../kube/types/resource.ts';
import { clusterApiKind, INFRASTRUCTURE } from './infrastructure.ts';
import { conditions } from './schema/conditions.ts';
import { flag, int32, list, name, object, text, textMap } from './schema/fields.ts';
import { AGE, type Data, type Kind } from './schema/kind.ts';
import { createParser } from './schema/parse.ts';

const spec = object('The cluster the Macs join.', {
  controlPlaneEndpoint: object('Where its API server listens; only if it should be copied to the Cluster.', {
    host: text('Host name or address.', { maxLength: 512 }).optional(),
    port: int32('TCP port.', { minimum: 0, maximum: 65_535 }).optional(),
  }).optional(),
});

const failureDomain = object('One failure domain.', {
  name: name('Name of the failure domain: a Scaleway zone.'),
  controlPlane: flag('Whether control plane machines may go here: no, these are Macs.').optional(),
  attributes: textMap('Further facts about it.').optional(),
});

const status = object('The shell as last observed.', {
  initialization: object('Facts of the first provisioning; they never go back to false.', {
    provisioned: flag('The shell exists: Cluster API goes on from here.').optional(),
  }).optional(),
  ready: flag('Kept for readers of the older contract.').optional(),
  failureDomains: list('Scaleway zones in which the fleets of this cluster stand.', failureDomain, {
    maxItems: 100,
    keys: ['name'],
  }).optional(),
  conditions: conditions.optional(),
});

export interface ScalewayAppleSiliconCluster extends KubeObject {
  readonly spec: Data<typeof spec>;
  readonly status?: Data<typeof status>;
}

export const CLUSTERS: Resource<ScalewayAppleSiliconCluster> = {
  ...INFRASTRUCTURE,
  kind: 'ScalewayAppleSiliconCluster',
  plural: 'scalewayapplesiliconclusters',
  scope: 'Namespaced',
};

export const clusterKind: Kind<ScalewayAppleSiliconCluster> = {
  ...clusterApiKind,
  resource: CLUSTERS,
  description: 'The cluster shell of Mac fleets: it joins Macs to the cluster it lives in.',
  shortName: 'sasc',
  columns: [
    { name: 'Endpoint', type: 'string', jsonPath: '.spec.controlPlaneEndpoint.host' },
    { name: 'Ready', type: 'boolean', jsonPath: '.status.ready' },
    AGE,
  ],
  fields: { spec: spec.prefault({}), status },
};

export const parseCluster = createParser(clusterKind);
