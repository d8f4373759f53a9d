/** ScalewayAppleSiliconMachine: one Mac as Cluster API's infrastructure machine. Field names and defaults are those of the Go original. */
import type { KubeObject } from '../kube/types/meta.ts';
import type { Resource } from '../kube/types/resource.ts';
import { CONDITIONS } from './condition-reasons.ts';
import { clusterApiKind } from './infrastructure.ts';
import { configurationFields } from './machine-configuration.ts';
import { RESOURCE_NAMES } from './resource-names.ts';
import { conditions } from './schema/conditions.ts';
import { choice, flag, int32, list, object, text, time } from './schema/fields.ts';
import { AGE, type Data, type Kind } from './schema/kind.ts';
import { createParser } from './schema/parse.ts';

/** What a template and the machines cloned from it have in common. A field added here must be optional or have a default. */
export const machineSpecFields = {
  type: text('Scaleway server type, for example M2-L. Only hosts of this type are adopted.').default('M2-L'),
  zone: text('Scaleway zone of the host.').default('fr-par-1'),
  os: text(
    'macOS release family, for example Tahoe. A host is adopted if it runs this family and is reinstalled with its newest image. The name of an image is refused.',
  ).default('Tahoe'),
  acquire: choice(
    'Where the host comes from: pool adopts a free one whose name has the pool prefix; order rents a new one, within the limits set on the manager.',
    ['pool', 'order'],
  ).default('pool'),
  adoptPoolPrefix: text(
    'Name prefix of the pool the host is adopted from and returns to. Empty: the prefix set on the manager.',
  ).optional(),
  fleetName: text(
    'Fleet of the host: hosts of a fleet share one SSH key and carry the Node label tuist.dev/fleet. Empty: a fleet of its own, and no label.',
  ).optional(),
  kubeletVersion: text('Accepted for compatibility and ignored.').optional(),
  ...configurationFields,
};

const spec = object('The Mac that is wanted.', {
  providerID: text(
    'Identity of the host, scw-applesilicon://<zone>/<server id>, equal to that of its Node. Written by the provider once the host is provisioned.',
    {
      maxLength: 512,
      rules: [
        {
          rule: "self == oldSelf || self == '' || oldSelf == ''",
          message:
            'providerID can be set and cleared, not changed: it names the host behind this machine. Delete the Machine to get another host',
        },
      ],
    },
  ).optional(),
  ...machineSpecFields,
});

const address = object('One address.', {
  type: choice('What kind of address it is.', ['Hostname', 'ExternalIP', 'InternalIP', 'ExternalDNS', 'InternalDNS']),
  address: text('The address itself.', { maxLength: 256 }),
});

const status = object('The host as last observed.', {
  initialization: object('Facts of the first provisioning; they never go back to false.', {
    provisioned: flag('The host has joined the cluster as a Node: Cluster API goes on from here.').optional(),
  }).optional(),
  ready: flag(
    'The host is bootstrapped. Kept for readers of the older contract; the Ready condition says more.',
  ).optional(),
  serverID: text(
    'Id of the chosen Scaleway server, which is also the name of its MacHost. Empty: none yet.',
  ).optional(),
  addresses: list('Addresses of the host.', address, { maxItems: 32 }).optional(),
  failureDomain: text('Scaleway zone in which the host stands.', { maxLength: 256 }).optional(),
  phase: text('Where the machine is in its life, as one word for people. Programs read the conditions.').optional(),
  failureReason: text('Why the host configuration is not pushed any more, as one word.').optional(),
  failureMessage: text('Why the host configuration is not pushed any more, as a sentence.').optional(),
  tartKubeletBinarySHA: text('SHA-256 of the agent last rolled out to the host.').optional(),
  hostConfigHash: text('Fingerprint of the host configuration last verified on the host.').optional(),
  failedHostConfigHash: text('Fingerprint of the configuration whose attempts were used up.').optional(),
  tartKubeletUpdateAttempts: int32('Failed pushes of the host configuration in a row.').optional(),
  lastUpdateFailureTime: time('When a push last failed.').optional(),
  bootstrapAttempts: int32('Failed bootstraps of the present host in a row.').optional(),
  bootstrapRebootIssued: flag('The one reboot of the present host was asked for.').optional(),
  conditions: conditions.optional(),
});

export type MachineSpec = Data<typeof spec>;
export type MachineStatus = Data<typeof status>;

export interface ScalewayAppleSiliconMachine extends KubeObject {
  readonly spec: MachineSpec;
  readonly status?: MachineStatus;
}

export const MACHINES: Resource<ScalewayAppleSiliconMachine> = RESOURCE_NAMES.machines;

const PROVISIONED = `.status.conditions[?(@.type=="${CONDITIONS.machine.provisioned}")]`;

export const machineKind: Kind<ScalewayAppleSiliconMachine> = {
  ...clusterApiKind,
  resource: MACHINES,
  description: 'One Scaleway Mac mini as the infrastructure of a Cluster API Machine.',
  shortName: 'samm',
  columns: [
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'ProviderID', type: 'string', jsonPath: '.spec.providerID' },
    { name: 'Ready', type: 'boolean', jsonPath: '.status.ready' },
    AGE,
    { name: 'Host', type: 'string', jsonPath: '.status.serverID', description: 'Its MacHost', priority: 1 },
    { name: 'Fleet', type: 'string', jsonPath: '.spec.fleetName', priority: 1 },
    {
      ...{ name: 'Since', type: 'date', priority: 1, description: 'How long it has had its Mac, or been without' },
      jsonPath: `${PROVISIONED}.lastTransitionTime`,
    },
    {
      ...{ name: 'Waits for', type: 'string', priority: 1, description: 'What it waits for' },
      jsonPath: `${PROVISIONED}.message`,
    },
  ],
  fields: { spec: spec.prefault({}), status },
};

export const parseMachine = createParser(machineKind);
