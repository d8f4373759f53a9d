/**
 * Keeps the hosts on record in step with Scaleway: one list per zone and interval, and no write when nothing changed.
 * A list that fails changes nothing: an error is never emptiness (R8).
 */
import { FleetError, isKind } from '../../base/errors.ts';
import { createLimiter } from '../../base/limiter.ts';
import { FINALIZERS } from '../../kinds/labels.ts';
import { MAC_HOSTS, type MacHost, parseMacHost } from '../../kinds/mac-host.ts';
import { MACHINES, type ScalewayAppleSiliconMachine } from '../../kinds/machine.ts';
import { parseProviderId } from '../../kinds/names.ts';
import { readIfThere } from '../../kube/client/if-there.ts';
import {
  type Controller,
  createController,
  type ReconcileContext,
  type Watch,
} from '../../kube/controller/controller.ts';
import { clusterOf } from '../cluster/pause.ts';
import type { CompleteLists } from './complete-lists.ts';
import { createStrayWatch, findStrays, type Stray, type StraySightings } from './find-strays.ts';
import type { ProviderCaches } from './host-caches.ts';
import { isOrder } from './host-life.ts';
import type { KnownStrays } from './known-strays.ts';
import { lookAt } from './observe-host.ts';
import { type InventoryPlan, planInventory } from './plan-inventory.ts';
import { mayAdopt } from './pool-rights.ts';
import type { HostPorts } from './ports.ts';

/** Told of what is astray in a zone, with every list of it. */
export type OnStrays = (zone: string, sightings: StraySightings) => void;

/** Who is told of what a list shows. */
export interface InventoryListeners {
  readonly lists: Pick<CompleteLists, 'note'>;
  readonly strays: Pick<KnownStrays, 'note'>;
  readonly onStrays: OnStrays;
}

export const createInventoryController = (
  ports: HostPorts,
  caches: ProviderCaches,
  { lists, strays: known, onStrays }: InventoryListeners,
): Controller => {
  const watches = new Map(
    ports.settings.zones.map((zone) => [zone, createStrayWatch(10 * ports.settings.times.quietMs)]),
  );
  return createController({
    name: 'machosts.inventory',
    watches: [eachZone(ports, caches)],
    reconcile: async (context) => {
      const startedMs = ports.clock.elapsed();
      const strays = await takeStock(ports, caches, { known, context });
      lists.note(context.key, startedMs);
      const sightings = watches.get(context.key)?.(strays, ports.clock.now());
      if (sightings !== undefined) onStrays(context.key, sightings);
      return { next: 'again', afterMs: ports.settings.times.inventoryMs };
    },
  });
};

/** The keys are the zones; nothing but time wakes them. */
const eachZone = ({ settings }: HostPorts, { hosts }: ProviderCaches): Watch => ({
  cache: hosts,
  start: (add) => {
    for (const zone of settings.zones) add(zone, 'wish');
    return () => undefined;
  },
});

const takeStock = async (
  ports: HostPorts,
  caches: ProviderCaches,
  { known, context }: { readonly known: Pick<KnownStrays, 'note'>; readonly context: ReconcileContext },
): Promise<readonly Stray[]> => {
  const { cloud, clock, settings } = ports;
  const zone = context.key;
  const servers = await cloud.listServers(zone, context.signal);
  const machines = caches.machines.list();
  const hosts = caches.hosts.list().filter(({ spec }) => isOf(spec.source.scaleway, settings.projectId, zone));
  if (servers.length === 0)
    await distrustEmptyList(
      ports,
      hosts.find(({ spec }) => !isOrder(spec)),
      context,
    );
  const owners = ownersOf(machines);
  const ours = servers.filter(({ projectId }) => projectId === settings.projectId);
  const plans = planInventory({
    nowMs: clock.now(),
    projectId: settings.projectId,
    servers: ours,
    hosts,
    poolPrefixes: poolPrefixesOf(settings, machines),
    poolPrefix: settings.poolPrefix,
    clusterId: settings.clusterId,
    owners,
    clusterOf: (machine) => clusterOf(caches.clusters, machine),
    identityLifeMs: ports.join.lifeMs,
    quietMs: settings.times.quietMs,
    uuid: ports.ids.uuid,
  });
  const strays = findStrays({
    servers: ours,
    knownIds: new Set([...hosts.map(({ metadata }) => metadata.name), ...owners.keys()]),
    machineNames: new Set(machines.map(({ metadata }) => metadata.name)),
  });
  known.note(zone, strays);
  const limiter = createLimiter(PLANS_AT_ONCE);
  const carried = plans.map((plan) => limiter.run(() => carryOut(plan, context), context.signal));
  const failed = (await Promise.allSettled(carried)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
  return strays;
};

/** Of the manager's own pool, and of those that machines name which may adopt from them: nobody else has Macs put on record (R26). */
const poolPrefixesOf = (
  { poolPrefix, poolNamespaces = new Map() }: HostPorts['settings'],
  machines: readonly ScalewayAppleSiliconMachine[],
): readonly string[] => {
  const named = machines
    .map(({ spec, metadata: { namespace = '' } }) => ({ prefix: spec.adoptPoolPrefix ?? '', namespace }))
    .filter(({ prefix, namespace }) => mayAdopt(poolNamespaces, prefix, namespace))
    .map(({ prefix }) => prefix);
  return [...new Set([poolPrefix, ...named])].filter(Boolean);
};

/** A fleet that is put on record for the first time is there within seconds. */
const PLANS_AT_ONCE = 16;

/** An empty list is what a regional incident looks like too (F17): believed only if a look finds nothing either. */
const distrustEmptyList = async (ports: HostPorts, host: MacHost | undefined, context: ReconcileContext) => {
  if (host === undefined || (await lookAt(ports, host, context)).server === undefined) return;
  throw new FleetError('unavailable', {
    code: 'EmptyServerList',
    message: `Scaleway lists no server in ${context.key}, but shows ${host.metadata.name} when asked for it`,
    hint: 'Nothing is done on such a list; the next is asked for in a while.',
  });
};

/** A move to another cluster loses the status; the providerID remains. Who is being deleted has let go with our finalizer (R11). */
const ownersOf = (
  machines: readonly ScalewayAppleSiliconMachine[],
): ReadonlyMap<string, readonly ScalewayAppleSiliconMachine[]> => {
  const owners = new Map<string, ScalewayAppleSiliconMachine[]>();
  for (const machine of machines.filter((candidate) => !hasLetGo(candidate))) {
    const serverId = machine.status?.serverID || parseProviderId(machine.spec.providerID ?? '')?.serverId;
    if (serverId) owners.set(serverId, [...(owners.get(serverId) ?? []), machine]);
  }
  return owners;
};

const hasLetGo = ({ metadata }: ScalewayAppleSiliconMachine): boolean =>
  metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(FINALIZERS.machine) !== true;

const isOf = (
  source: { readonly projectID: string; readonly zone: string } | undefined,
  projectId: string,
  zone: string,
) => source?.projectID === projectId && source.zone === zone;

/** Somebody else being first is no trouble: the next look sees what is there. */
const carryOut = async (plan: InventoryPlan, context: ReconcileContext): Promise<void> => {
  if (plan.do === 'create' && plan.spec.release !== undefined && !(await isOwnerThere(plan.spec, context))) return;
  const { kube, signal } = context;
  try {
    const host = plan.do === 'create' ? await kube.create(MAC_HOSTS, newHost(plan), { signal }) : plan.host;
    await patchServer(host, plan.server, { kube, signal });
  } catch (error) {
    if (!isKind(error, 'exists', 'conflict', 'not-found')) throw error;
  }
};

/** Nothing is given back by what a cache says: its machine may be gone by now, and live on in another cluster (R17). */
const isOwnerThere = async (
  { claimRef }: Pick<MacHost['spec'], 'claimRef'>,
  context: ReconcileContext,
): Promise<boolean> => {
  const owner = claimRef && (await readIfThere(MACHINES, claimRef, context));
  if (owner === undefined) return false;
  return owner.metadata.uid === claimRef?.uid && owner.metadata.deletionTimestamp === undefined;
};

const TYPE = { apiVersion: `${MAC_HOSTS.group}/${MAC_HOSTS.version}`, kind: MAC_HOSTS.kind };

/** With its finalizer from the start: it leaves only by its life (R4). */
const newHost = ({ name, spec }: Extract<InventoryPlan, { do: 'create' }>): MacHost =>
  parseMacHost({ ...TYPE, metadata: { name, finalizers: [FINALIZERS.macHost] }, spec });

const NOTHING_ODD = { missingSince: null, unseenSince: null, goneAt: null, deletableAt: null };

const patchServer = async (
  { metadata }: MacHost,
  server: object,
  { kube, signal }: Pick<ReconcileContext, 'kube' | 'signal'>,
): Promise<void> => {
  const { uid, resourceVersion } = metadata;
  const body = { metadata: { uid, resourceVersion }, status: { server: { ...NOTHING_ODD, ...server } } };
  await kube.patch(MAC_HOSTS, { name: metadata.name }, { type: 'merge', body }, { signal, subresource: 'status' });
};
