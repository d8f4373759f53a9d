/** Worlds made by hand for the judges: a truth of a few objects, and what happens to it. */
import { Secret } from '../../../../base/secret.ts';
import { FINALIZERS } from '../../../../kinds/labels.ts';
import type { MacHost, MacHostSpec, MacHostStatus } from '../../../../kinds/mac-host.ts';
import type { MachineStatus, ScalewayAppleSiliconMachine } from '../../../../kinds/machine.ts';
import { LEASE_NAMES } from '../../../../kinds/names.ts';
import {
  CLUSTER_API_ANNOTATIONS,
  CLUSTER_API_LABELS,
  type ClusterApiCluster,
  type Machine,
} from '../../../../kube/types/cluster-api.ts';
import type { Lease } from '../../../../kube/types/coordination.ts';
import type { Namespace, Node } from '../../../../kube/types/core.ts';
import type { AuditEntry, WriteVerb } from '../../../../sim/cloud/call-log.ts';
import type { SimServer } from '../../../../sim/cloud/sim-server.ts';
import type { MacView } from '../../../../sim/mac/sim-mac.ts';
import type { WatchFact } from '../../../watch-tap.ts';
import type { Happening, KindName, Kinds, StoredHappening, Truth } from '../../truth.ts';

export const HOST_ID = 'host-1';
export const PROVISIONED = { serverID: HOST_ID, initialization: { provisioned: true } };
export const RELEASE = { intentID: 'i-1', policy: 'pool', reason: 'MachineDeleted' } as const;
const START_MS = Date.parse('2026-01-01T00:00:00Z');

export interface BadWorld {
  readonly hosts?: readonly MacHost[];
  readonly machines?: readonly ScalewayAppleSiliconMachine[];
  readonly nodes?: readonly Node[];
  readonly clusters?: readonly ClusterApiCluster[];
  readonly coreMachines?: readonly Machine[];
  readonly namespaces?: readonly Namespace[];
  readonly mac?: Partial<MacView>;
  readonly server?: Partial<SimServer>;
  /** Its server is not there any more. */
  readonly isGone?: true;
  /** UIDs of machines that a person took the Mac back from. */
  readonly takenBackFrom?: readonly string[];
  /** One that was renewed just now, unless given. */
  readonly leases?: readonly Lease[];
  /** Another cluster on the same Macs. */
  readonly other?: Omit<BadWorld, 'happenings'>;
  readonly happenings: readonly (Happening | { readonly afterMs: number })[];
}

interface FakeTruth {
  readonly truth: Truth;
  /** Each lets its time pass and is then told. */
  readonly happenings: readonly (() => Happening)[];
}

/** One that breaks this promise. */
export interface BadRow extends BadWorld {
  readonly property: string;
  readonly story: string;
}

export const fakeTruth = ({ happenings, ...world }: BadWorld): FakeTruth => {
  let nowMs = START_MS;
  const tables: { readonly [K in KindName]: readonly Kinds[K][] } = {
    ...{ hosts: world.hosts ?? [], machines: world.machines ?? [], nodes: world.nodes ?? [] },
    ...{ coreMachines: world.coreMachines ?? [], clusters: world.clusters ?? [], namespaces: world.namespaces ?? [] },
    leases: world.leases ?? [lease('manager-0-0')],
  };
  const isKnown = (id: string): boolean =>
    [{ metadata: { name: HOST_ID } }, ...tables.hosts].some(({ metadata }) => metadata.name === id);
  const truth: Truth = {
    nowMs: () => nowMs,
    list: (kind) => tables[kind],
    find: (kind, name, namespace) =>
      tables[kind].find(
        ({ metadata }) => metadata.name === name && (namespace ?? metadata.namespace) === metadata.namespace,
      ),
    server: (id) => (world.isGone !== true && isKnown(id) ? server(world.server) : undefined),
    servers: () => [server({ ...world.server, ...(world.isGone === true && { id: 'another', name: 'theirs' }) })],
    mac: () => ({ ...MAC, ...world.mac }),
    takenBackFrom: () => new Set(world.takenBackFrom),
    others: () => (world.other === undefined ? [] : [fakeTruth({ ...world.other, happenings: [] }).truth]),
  };
  const told = happenings.filter((happening) => 'is' in happening);
  return {
    truth,
    happenings: told.map((happening) => () => {
      const waits = happenings.slice(0, happenings.indexOf(happening)).filter((wait) => 'afterMs' in wait);
      nowMs = START_MS + waits.reduce((sum, { afterMs }) => sum + afterMs, 0);
      return happening;
    }),
  };
};

const MAC: MacView = {
  ...{ isUp: true, hostKey: 'k1', epochFile: undefined, hostname: undefined, agent: undefined, hasKubeconfig: false },
  bundle: undefined,
  ...{ recorded: {}, applies: {}, sudoFailures: 0, isLocked: false, autoLogin: 'right', nonPasswords: 0 },
};

export const server = (fields: Partial<SimServer> = {}): SimServer => ({
  ...{ id: HOST_ID, zone: 'z', projectId: 'p', name: 'tuist-pool-1', type: 'M2-L', status: 'ready', osId: 'o' },
  ...{ osFamily: 'Tahoe', isDelivered: true, address: '198.18.0.1', sshUser: 'm1', vpc: 'vpc_disabled' },
  ...{ password: new Secret('s3cret-of-mac'), isSealed: false, sealedUntilMs: 0, authorizedKeys: [], wipes: 0 },
  ...{ fakedWipes: 0, createdAtMs: 0, updatedAtMs: 0, deletableAtMs: 0, isDeletionScheduled: false },
  commitment: 'duration_24h',
  ...fields,
});

export const macHost = (spec: Partial<MacHostSpec> = {}, status: MacHostStatus = {}): MacHost => ({
  metadata: { name: HOST_ID, finalizers: [FINALIZERS.macHost] },
  spec: {
    source: { scaleway: { projectID: 'p', zone: 'z', serverID: HOST_ID } },
    ...{ pool: { prefix: 'tuist-pool-' }, ordered: false, wipes: 0, epoch: 0 },
    budgets: {
      ...{ bootstrap: { failures: 0 }, reboots: { sinceClaim: 0, times: [] }, returns: 0 },
      ...{ sudo: { tries: [] }, roll: { failures: 0 } },
    },
    ...spec,
  },
  status,
});

/** Of the machine `a`. */
export const claimedHost = (spec: Partial<MacHostSpec> = {}, status: MacHostStatus = {}): MacHost =>
  macHost({ claimRef: { namespace: 'default', name: 'a', uid: 'uid-a' }, ...spec }, status);

interface MachineFields {
  readonly status?: MachineStatus;
  readonly providerID?: string;
  readonly paused?: boolean;
  readonly finalizers?: readonly string[];
  readonly created?: string;
  readonly deleted?: string;
}

export const machine = (name: string, fields: MachineFields = {}): ScalewayAppleSiliconMachine => ({
  kind: 'ScalewayAppleSiliconMachine',
  metadata: {
    ...{ name, namespace: 'default', uid: `uid-${name}`, finalizers: fields.finalizers ?? [FINALIZERS.machine] },
    ownerReferences: [{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine', name, uid: `core-${name}` }],
    annotations: fields.paused === true ? { [CLUSTER_API_ANNOTATIONS.paused]: '' } : {},
    ...(fields.created !== undefined && { creationTimestamp: fields.created }),
    ...(fields.deleted !== undefined && { deletionTimestamp: fields.deleted }),
  },
  spec: {
    ...{ type: 'M2-L', zone: 'z', os: 'Tahoe', acquire: 'pool' },
    ...(fields.providerID !== undefined && { providerID: fields.providerID }),
  },
  status: fields.status ?? {},
});

/** The same, of the Cluster `demo`. */
export const member = (of: ScalewayAppleSiliconMachine): ScalewayAppleSiliconMachine => ({
  ...of,
  metadata: { ...of.metadata, labels: { [CLUSTER_API_LABELS.clusterName]: 'demo' } },
});

export const pausedCluster = (): ClusterApiCluster => ({
  metadata: { name: 'demo', namespace: 'default' },
  spec: { paused: true },
});

export const coreMachine = (name: string, providerID: string): Machine => ({
  metadata: { name, namespace: 'default', uid: `core-${name}` },
  spec: { clusterName: 'demo', bootstrap: {}, infrastructureRef: { apiGroup: 'g', kind: 'k', name }, providerID },
  status: { nodeRef: { name } },
});

export const node = (name: string, providerID: string): Node => ({ metadata: { name }, spec: { providerID } });

export const lease = (holderIdentity: string, renewTime = '2026-01-01T00:00:00Z'): Lease => ({
  metadata: { name: LEASE_NAMES.manager, namespace: 'kube-system' },
  spec: { holderIdentity, renewTime, leaseDurationSeconds: 15 },
});

export const changed = <K extends KindName>(kind: K, after: Kinds[K], before?: Kinds[K]): Happening =>
  ({ is: 'object', change: { kind, after, ...(before && { before }) } }) as Happening;

export const agent = (kind: 'started' | 'stopped', nodeName: string, providerId = `x://z/${HOST_ID}`): Happening => ({
  is: 'agent',
  agent: { kind, nodeName, providerId, server: 'https://here' },
  worksFor: 'us',
});

/** Something was changed on the Mac. */
export const batch = (caller: string, epoch: number): Happening => ({
  is: 'batch',
  batch: { caller, serverId: HOST_ID, epoch, steps: ['tart'] },
});

export const disk = (): Happening => ({ is: 'disk' });

export const stored = (
  collection: string,
  json: string,
  { effect = 'kept', revision = 1 }: Partial<Pick<StoredHappening, 'effect' | 'revision'>> = {},
): Happening => ({ is: 'stored', effect, collection, key: '/x', revision, json });

/** What a watch of everything in `/pods` was told. */
export const watched = (is: WatchFact['is'], revision: number): Happening => ({
  is: 'watch',
  fact: { is, watch: 1, collection: '/pods', about: 'all', revision },
});

/** Comes back with everything of `/pods` at this revision. */
export const reopened = (how: 'restarted' | 'restored', revision: number | undefined): Happening => ({
  is: 'reopened',
  how,
  revisionOf: () => revision,
});

interface WriteFields {
  readonly argument?: string;
  readonly caller?: string;
  readonly before?: Partial<SimServer>;
}

export const write = (
  verb: WriteVerb,
  { argument = '', caller = 'manager#0', before }: WriteFields = {},
): Happening => {
  const seen = server(before);
  const entry: AuditEntry = {
    ...{ number: 1, atMs: START_MS, verb, serverId: HOST_ID, argument, caller, principal: 'key' },
    ...{ before: seen, after: seen, outcome: 'accepted' },
  };
  return { is: 'cloud-write', entry };
};
