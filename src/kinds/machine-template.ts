/** ScalewayAppleSiliconMachineTemplate: what a MachineDeployment clones its machines from. */
import type { KubeObject } from '../kube/types/meta.ts';
import type { Resource } from '../kube/types/resource.ts';
import { clusterApiKind, INFRASTRUCTURE } from './infrastructure.ts';
import { machineSpecFields } from './machine.ts';
import { conditions } from './schema/conditions.ts';
import { choice, object, quantityMap, text, textMap } from './schema/fields.ts';
import { AGE, type Data, type Kind } from './schema/kind.ts';
import { createParser } from './schema/parse.ts';

const spec = object('The machines to clone.', {
  template: object('The machine to clone.', {
    metadata: object('Metadata every machine gets.', {
      labels: textMap('Labels every machine gets.').optional(),
      annotations: textMap('Annotations every machine gets.').optional(),
    }).optional(),
    spec: object(
      'The spec every machine gets. It cannot be changed: create a template with another name instead.',
      machineSpecFields,
    ),
  }),
});

const status = object('What a Node of this template offers, so that an autoscaler can count from zero.', {
  capacity: quantityMap('Resources of one Node: cpu and memory.').optional(),
  nodeInfo: object('What the Node will run.', {
    architecture: choice('Architecture of its processor.', ['amd64', 'arm64', 's390x', 'ppc64le']).optional(),
    operatingSystem: text('Its operating system: darwin.', { maxLength: 64 }).optional(),
  }).optional(),
  conditions: conditions.optional(),
});

export interface ScalewayAppleSiliconMachineTemplate extends KubeObject {
  readonly spec: Data<typeof spec>;
  readonly status?: Data<typeof status>;
}

export const MACHINE_TEMPLATES: Resource<ScalewayAppleSiliconMachineTemplate> = {
  ...INFRASTRUCTURE,
  kind: 'ScalewayAppleSiliconMachineTemplate',
  plural: 'scalewayapplesiliconmachinetemplates',
  scope: 'Namespaced',
};

export const machineTemplateKind: Kind<ScalewayAppleSiliconMachineTemplate> = {
  ...clusterApiKind,
  resource: MACHINE_TEMPLATES,
  description: 'The template of the Mac minis of one fleet.',
  shortName: 'sammt',
  columns: [
    { name: 'Type', type: 'string', jsonPath: '.spec.template.spec.type' },
    { name: 'Zone', type: 'string', jsonPath: '.spec.template.spec.zone' },
    { name: 'OS', type: 'string', jsonPath: '.spec.template.spec.os' },
    { name: 'Pool', type: 'string', jsonPath: '.spec.template.spec.adoptPoolPrefix' },
    AGE,
  ],
  fields: { spec, status },
};

export const parseMachineTemplate = createParser(machineTemplateKind);
