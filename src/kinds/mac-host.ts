/** MacHost: one Mac that is ours, from free through claimed and joined back to wiped and free. Its spec is in mac-host-spec.ts. */
import type { KubeObject } from '../kube/types/meta.ts';
import type { Resource } from '../kube/types/resource.ts';
import { CONDITIONS } from './condition-reasons.ts';
import { providerKind } from './infrastructure.ts';
import { macHostSpec } from './mac-host-spec.ts';
import { RESOURCE_NAMES } from './resource-names.ts';
import { conditions } from './schema/conditions.ts';
import { choice, int64, list, name, object, text, time } from './schema/fields.ts';
import { AGE, type Data, type Kind } from './schema/kind.ts';
import { createParser } from './schema/parse.ts';

/** The states of a host's life. Every pair of a state and an observation has a row in the table of provider/host. */
export const HOST_STATES = [
  'free',
  'claimed',
  'preparing',
  'joined',
  'releasing',
  'wiping',
  'quarantined',
  'held',
  'terminating',
] as const;

const server = object('The server as Scaleway last showed it.', {
  name: text('Its name.', { maxLength: 253 }).optional(),
  status: text('Its status in the words of Scaleway, for example reinstalling.', { maxLength: 64 }).optional(),
  address: text('Its public address.', { maxLength: 253 }).optional(),
  deletableAt: time('Until when it is paid for: before, Scaleway does not delete it.').optional(),
  seenAt: time('When Scaleway last showed it.').optional(),
  missingSince: time('Since when complete lists of Scaleway lack it. That alone does not mean gone.').optional(),
  unseenSince: time('Since when a look at the server itself finds nothing. One look is not enough.').optional(),
  goneAt: time('When it was found to be gone for good: looked for twice, and in no list.').optional(),
});

const step = object('One step.', {
  id: name('Name of the step.'),
  state: choice('How far it is.', ['pending', 'running', 'done', 'failed', 'skipped']),
  startedAt: time('When it began.').optional(),
  finishedAt: time('When it ended.').optional(),
  message: text('What went wrong, or what it waits for.', { maxLength: 4_096 }).optional(),
});

const operation = object('The long work on the Mac that is under way, or that ended last.', {
  kind: text('What is done, for example bootstrap.', { minLength: 1, maxLength: 64 }),
  epoch: int64('The epoch it runs under.', { minimum: 0 }),
  startedAt: time('When it began.'),
  deadline: time('When it is given up.').optional(),
  finishedAt: time('When it ended. Absent: it is under way.').optional(),
  steps: list('Its steps, in order.', step, { maxItems: 64, keys: ['id'] }).optional(),
});

const status = object('The Mac as last observed. Nothing here is needed to go on after a loss.', {
  state: choice('Where the Mac is in its life. Absent while its server is being ordered.', HOST_STATES).optional(),
  stateSince: time('Since when.').optional(),
  server: server.optional(),
  operation: operation.optional(),
  configHash: text('Fingerprint of the host configuration last verified on the Mac.', { maxLength: 128 }).optional(),
  conditions: conditions.optional(),
});

export type MacHostSpec = Data<typeof macHostSpec>;
export type MacHostStatus = Data<typeof status>;

export interface MacHost extends KubeObject {
  readonly spec: MacHostSpec;
  readonly status?: MacHostStatus;
}

export const MAC_HOSTS: Resource<MacHost> = RESOURCE_NAMES.macHosts;

export const macHostKind: Kind<MacHost> = {
  ...providerKind,
  resource: MAC_HOSTS,
  description:
    'One Mac of the fleet: which it is, who works on it, and where it is in its life. Named by its server id.',
  shortName: 'mh',
  columns: [
    { name: 'State', type: 'string', jsonPath: '.status.state' },
    { name: 'Since', type: 'date', jsonPath: '.status.stateSince', description: 'How long it has been in its state' },
    { name: 'Pool', type: 'string', jsonPath: '.spec.pool.prefix' },
    { name: 'Type', type: 'string', jsonPath: '.spec.type' },
    { name: 'Claimed by', type: 'string', jsonPath: '.spec.claimRef.name' },
    { name: 'Server name', type: 'string', jsonPath: '.status.server.name' },
    AGE,
    { name: 'Claim namespace', type: 'string', jsonPath: '.spec.claimRef.namespace', priority: 1 },
    { name: 'Server status', type: 'string', jsonPath: '.status.server.status', priority: 1 },
    { name: 'Address', type: 'string', jsonPath: '.status.server.address', priority: 1 },
    { name: 'Held', type: 'string', jsonPath: '.spec.hold.reason', description: 'Why it is held', priority: 1 },
    { name: 'Wipes', type: 'integer', jsonPath: '.spec.wipes', priority: 1 },
    {
      ...{ name: 'Waits for', type: 'string', priority: 1, description: 'What it does, or waits for' },
      jsonPath: `.status.conditions[?(@.type=="${CONDITIONS.host.ready}")].message`,
    },
  ],
  fields: { spec: macHostSpec, status },
  rules: [
    {
      rule: '!has(self.spec.source.scaleway) || !has(self.spec.source.scaleway.serverID) || self.metadata.name == self.spec.source.scaleway.serverID',
      message: 'a MacHost is named by its server: metadata.name must equal spec.source.scaleway.serverID',
    },
  ],
};

export const parseMacHost = createParser(macHostKind);
