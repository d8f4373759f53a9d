/** What a complete list of servers means for the hosts on record: pure. */
import { parseTimestamp, toTimestamp } from '../../base/clock.ts';
import { FINALIZERS } from '../../kinds/labels.ts';
import type { MacHost, MacHostSpec, MacHostStatus } from '../../kinds/mac-host.ts';
import type { ScalewayAppleSiliconMachine } from '../../kinds/machine.ts';
import { parseServerName } from '../../kinds/names.ts';
import type { ClusterApiCluster } from '../../kube/types/cluster-api.ts';
import type { CloudServer } from '../../scaleway/port/cloud.ts';
import { claimOf } from './claim-of.ts';
import { isMoving } from './host-caches.ts';
import { isOrder } from './host-life.ts';
import { pendingNameOf } from './plan-claim.ts';
import { isSameSighting, recordSighting, type Sighting } from './sighting.ts';

export interface InventoryView {
  readonly nowMs: number;
  readonly projectId: string;
  /** All servers of the project in the zone. */
  readonly servers: readonly CloudServer[];
  /** All hosts on record in that zone and project. */
  readonly hosts: readonly MacHost[];
  readonly poolPrefixes: readonly string[];
  /** For a host whose machine names no prefix. */
  readonly poolPrefix: string;
  readonly clusterId: string;
  /** The machines that name a server and have not let go of it, by its id, in their status or their providerID. */
  readonly owners: ReadonlyMap<string, readonly ScalewayAppleSiliconMachine[]>;
  /** The Cluster that a machine belongs to. */
  readonly clusterOf: (machine: ScalewayAppleSiliconMachine) => ClusterApiCluster | undefined;
  /** How long a Mac may be a Node at most after what it joined with was issued; undefined: as long as it is there. */
  readonly identityLifeMs: number | undefined;
  /** How long after a write to a server its name may be another than was seen. */
  readonly quietMs: number;
  readonly uuid: () => string;
}

export type InventoryPlan =
  | {
      readonly do: 'create';
      readonly name: string;
      readonly spec: NewHost;
      readonly server: NonNullable<MacHostStatus['server']>;
    }
  | { readonly do: 'update'; readonly host: MacHost; readonly server: NonNullable<MacHostStatus['server']> };

/** What is known of a Mac when it is put on record. */
export type NewHost = Pick<MacHostSpec, 'source' | 'type' | 'osFamily'> &
  Partial<
    Pick<
      MacHostSpec,
      | 'pool'
      | 'claimRef'
      | 'fleet'
      | 'assignedName'
      | 'release'
      | 'hold'
      | 'ordered'
      | 'order'
      | 'configuration'
      | 'takenOver'
      | 'identity'
    >
  >;

/** New pool servers are put on record; known ones are brought up to date; nothing is said about what did not change. */
export const planInventory = (view: InventoryView): readonly InventoryPlan[] => {
  const known = new Map(view.hosts.map((host) => [host.metadata.name, host]));
  const present = view.servers.flatMap((server) => planServer(view, server, known.get(server.id)));
  const seen = new Set(view.servers.map(({ id }) => id));
  const missing = view.hosts
    .filter(({ spec }) => !isOrder(spec))
    .filter(({ metadata, status }) => !seen.has(metadata.name) && status?.server?.missingSince === undefined)
    .map(
      (host): InventoryPlan => ({
        do: 'update',
        host,
        server: { ...host.status?.server, missingSince: toTimestamp(view.nowMs) },
      }),
    );
  return [...present, ...missing];
};

const planServer = (view: InventoryView, server: CloudServer, host: MacHost | undefined): readonly InventoryPlan[] => {
  if (host !== undefined) return planKnown(view, server, host);
  const life = lifeOf(view, server);
  if (life === undefined) return [];
  const source = { scaleway: { projectID: view.projectId, zone: server.zone, serverID: server.id } };
  const spec = { source, type: server.type, osFamily: server.osFamily, ...life };
  return [{ do: 'create', name: server.id, spec, server: recordSighting(server, view.nowMs) }];
};

/** Where in its life a Mac is that is not on record; undefined for one that is none of ours, or may be somebody else's. */
const lifeOf = (view: InventoryView, server: CloudServer): Partial<NewHost> | undefined => {
  const owners = view.owners.get(server.id) ?? [];
  const name = parseServerName(server.name, view.poolPrefixes);
  const [owner] = owners;
  if (owner !== undefined) return owners.length === 1 ? lifeWithOwner(view, server, owner) : undefined;
  if (name?.kind === 'ordered') return lifeOfOrdered(view, server, name);
  if (!server.isDelivered) return undefined;
  if (name?.kind === 'pool') return { pool: { prefix: name.prefix } };
  const isOurs = (name?.kind === 'releasing' || name?.kind === 'quarantine') && name.clusterId === view.clusterId;
  return isOurs ? { ...poolOf(view), assignedName: { current: server.name }, hold: lostRecord(view) } : undefined;
};

/** It costs money from the moment of its order on. As long as there is the intent, whoever pursues it makes the record. */
const lifeOfOrdered = (
  view: InventoryView,
  server: CloudServer,
  { clusterId, uuid }: { readonly clusterId: string; readonly uuid: string },
): Partial<NewHost> | undefined => {
  const isPursued = view.hosts.some(({ spec }) => spec.order?.intentID === uuid);
  if (clusterId !== view.clusterId || isPursued) return undefined;
  const order = { intentID: uuid, name: server.name, requestedAt: toTimestamp(view.nowMs) };
  return { ordered: true, order, assignedName: { current: server.name }, hold: lostRecord(view) };
};

/** The name says that this manager was about to wipe it, or kept it apart; but absence never wipes (R15). */
const lostRecord = ({ nowMs }: InventoryView): NonNullable<MacHostSpec['hold']> => ({
  reason: 'RecordLost',
  message: 'its name is one that this manager gave, but there was no record of it: a release says what becomes of it',
  since: toTimestamp(nowMs),
  by: 'macfleet',
});

const poolOf = ({ poolPrefix }: InventoryView, machine?: ScalewayAppleSiliconMachine): Pick<NewHost, 'pool'> => {
  const prefix = machine?.spec.adoptPoolPrefix || poolPrefix;
  return prefix === '' ? {} : { pool: { prefix } };
};

/**
 * A machine that came from another cluster, or whose host's record was lost, has its Mac again if the Mac has its name
 * (R17). A pool name under a machine that has the Mac is how the Go original leaves one half-way through a release (R3).
 */
const lifeWithOwner = (
  view: InventoryView,
  { name, isDelivered }: CloudServer,
  machine: ScalewayAppleSiliconMachine,
): Partial<NewHost> | undefined => {
  const home = machine.spec.acquire === 'order' ? { ordered: true } : poolOf(view, machine);
  const claimed = claimOf(machine, view.clusterOf(machine));
  if (isMovedAway(machine) || !isDelivered) return undefined;
  const parsed = parseServerName(name, view.poolPrefixes);
  const isOrdered = parsed?.kind === 'ordered' && parsed.clusterId === view.clusterId;
  if (name === machine.metadata.name || isOrdered)
    return { ...home, ...claimed, ...identityOf(view, machine), takenOver: true, assignedName: { current: name } };
  // Held anew from now on, as a wish that has come true: nothing was done to the Mac under that name yet (R7).
  if (name === pendingNameOf(machine.metadata.uid ?? ''))
    return { ...home, ...claimed, assignedName: { current: name, next: name } };
  if (parsed?.kind !== 'pool') return undefined;
  const life = { ...claimed, pool: { prefix: parsed.prefix }, assignedName: { current: name } };
  const { deletionTimestamp, finalizers = [] } = machine.metadata;
  // One that goes says itself what becomes of its Mac: it may go with its namespace, and ask for nothing (R18).
  if (deletionTimestamp !== undefined) return life;
  // Nothing is done to the Mac of a machine that could vanish meanwhile (S6): the next list is soon enough.
  return finalizers.includes(FINALIZERS.machine) ? { ...life, release: halfReleased(view) } : undefined;
};

/** It lives on in another cluster, and its Mac with it. */
const isMovedAway = (machine: ScalewayAppleSiliconMachine): boolean =>
  machine.metadata.deletionTimestamp !== undefined && isMoving(machine);

/**
 * Until when a Mac may be a Node whose record was lost: none of its certificates is younger than the loss (R23). Nobody knows it
 * of one that the Go original bootstrapped, or that came from another cluster; those have their identity, and no status of ours.
 */
const identityOf = (
  { nowMs, identityLifeMs }: InventoryView,
  { metadata, spec, status }: ScalewayAppleSiliconMachine,
): Pick<NewHost, 'identity'> => {
  const isOurs = status?.initialization?.provisioned === true || !spec.providerID;
  if (!isOurs || identityLifeMs === undefined) return {};
  return { identity: { nodeName: metadata.name, expiresAt: toTimestamp(nowMs + identityLifeMs) } };
};

const halfReleased = ({ nowMs, uuid }: InventoryView): NonNullable<MacHostSpec['release']> => ({
  intentID: uuid(),
  policy: 'pool',
  reason: 'FoundHalfReleased',
  message: 'it has a pool name although a machine has it: wiped before anybody gets it',
  requestedAt: toTimestamp(nowMs),
  by: 'macfleet',
});

const planKnown = (view: InventoryView, server: CloudServer, host: MacHost): readonly InventoryPlan[] => {
  const seen = recordSighting(server, view.nowMs);
  if (isSameSighting(host.status?.server, seen) || isBeingNamed(view, host, seen)) return [];
  return [{ do: 'update', host, server: seen }];
};

/**
 * Whoever gives a claimed server its names looks at it each time, and puts on record what came of it; a list that comes in between
 * says the same, or is older than that. What else it says is put on record.
 */
const isBeingNamed = ({ nowMs, quietMs }: InventoryView, { spec, status }: MacHost, seen: Sighting): boolean => {
  const { claimRef, release, hold, assignedName, lastWrite } = spec;
  if (claimRef === undefined || release !== undefined || hold !== undefined) return false;
  if (seen.name !== assignedName?.current && seen.name !== assignedName?.next) return false;
  const isLately = nowMs - (parseTimestamp(lastWrite?.at) ?? 0) < quietMs;
  return isLately && isSameSighting({ ...status?.server, name: seen.name }, seen);
};
