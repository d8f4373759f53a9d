/** Looking before acting: the server live (R8), whose it is, whether it is gone (R19), and how its pool does. */
import { parseTimestamp, toTimestamp } from '../../base/clock.ts';
import { FleetError, isKind } from '../../base/errors.ts';
import { REASONS } from '../../kinds/condition-reasons.ts';
import type { MacHost, MacHostStatus } from '../../kinds/mac-host.ts';
import { MACHINES } from '../../kinds/machine.ts';
import { readIfThere } from '../../kube/client/if-there.ts';
import type { ReconcileContext } from '../../kube/controller/controller.ts';
import { CLUSTER_API_RESOURCES } from '../../kube/types/cluster-api.ts';
import { NODES, type Node } from '../../kube/types/core.ts';
import type { Diagnosis, ServerAccess, ServerRef } from '../../scaleway/port/cloud.ts';
import { isFrozen } from '../cluster/pause.ts';
import type { Decisions } from './decisions.ts';
import { isProvisioned, nodeOf, ownerOf, type ProviderCaches, providerIdOf } from './host-caches.ts';
import { type HostState, hostStateOf, sightName } from './host-life.ts';
import type { Owner, PoolCensus, Silence } from './host-view.ts';
import { isNodeReady } from './node-health.ts';
import { isKeptApart, tierOf } from './plan-recovery.ts';
import type { HostPorts } from './ports.ts';
import { isSameSighting, recordSighting } from './sighting.ts';
import { HOUR_MS, wipesOf } from './wipe-limit.ts';

export interface Look {
  readonly server: ServerAccess | undefined;
  /** When the cloud was asked, on the monotonic clock: an effect is allowed only while the look is young (R13). */
  readonly atMs: number;
}

export const refOf = ({ metadata, spec }: MacHost): ServerRef => ({
  zone: spec.source.scaleway?.zone ?? '',
  id: metadata.name,
});

/** A server that Scaleway does not show is unseen, which proves nothing yet (R19); any other trouble is an error. */
export const lookAt = async (
  { cloud, clock }: HostPorts,
  host: MacHost,
  { signal }: Pick<ReconcileContext, 'signal'>,
): Promise<Look> => {
  const beganMs = clock.elapsed();
  try {
    const server = await cloud.getServer(refOf(host), signal);
    return { server, atMs: server.askedAtMs };
  } catch (error) {
    if (isUnseen(error)) return { server: undefined, atMs: beganMs };
    throw error;
  }
};

/** What a deleted server answers. A key that is refused, or a server that is locked, says nothing about its being there. */
const isUnseen = (error: unknown): boolean =>
  isKind(error, 'not-found') || (error instanceof FleetError && error.code === 'PermissionsDenied');

/** A Mac that is free or works is looked at only when something about it is odd: nothing is to be done to it. */
export const needsLook = (
  { spec, status }: MacHost,
  { state, owner, isTurnToRoll }: { readonly state: HostState; readonly owner: Owner; readonly isTurnToRoll: boolean },
): boolean => {
  const { missingSince, name } = status?.server ?? {};
  const isOdd = missingSince !== undefined;
  if (state === 'free') return isOdd || (name !== undefined && sightName(spec, name) !== 'pool');
  if (state !== 'joined') return true;
  return (
    isOdd ||
    isTurnToRoll ||
    owner !== 'names-it' ||
    spec.rebootRequest !== undefined ||
    spec.lastWrite?.verb === 'reboot'
  );
};

/** Gone for good takes two looks, this far apart, and a complete list without the server (R19). */
const LOOKS_APART_MS = 30_000;

export interface Presence {
  readonly isGone: boolean;
  /** What to put on record about it; undefined when nothing changed. */
  readonly server: NonNullable<MacHostStatus['server']> | undefined;
}

export const judgePresence = (known: MacHostStatus['server'], look: Look, nowMs: number): Presence => {
  const { unseenSince, goneAt } = known ?? {};
  if (look.server !== undefined) {
    const { missingSince } = known ?? {};
    const seen = {
      ...recordSighting(look.server, nowMs),
      ...(missingSince === undefined ? {} : { missingSince }),
    };
    return { isGone: false, server: isSameSighting(known, seen) ? undefined : seen };
  }
  if (unseenSince === undefined) return { isGone: false, server: { ...known, unseenSince: toTimestamp(nowMs) } };
  if (goneAt !== undefined) return { isGone: true, server: undefined };
  const isGone = known?.missingSince !== undefined && nowMs - (parseTimestamp(unseenSince) ?? nowMs) >= LOOKS_APART_MS;
  return { isGone, server: isGone ? { ...known, goneAt: toTimestamp(nowMs) } : undefined };
};

/** As the cache has it; that the owner is not there is believed only of the API itself. */
export const observeOwner = async (
  caches: ProviderCaches,
  host: MacHost,
  context: Pick<ReconcileContext, 'kube' | 'signal'>,
): Promise<Owner> => {
  const seen = ownerOf(caches, host);
  const { claimRef } = host.spec;
  if (seen !== 'gone' || claimRef === undefined) return seen;
  const live = await readIfThere(MACHINES, claimRef, context);
  return live !== undefined && live.metadata.uid === claimRef.uid ? 'does-not' : 'gone';
};

/** Whether the very Cluster of the machine that vanished is there, as the API has it: with one that was moved, its machines were (R17). */
export const observeCluster = async (
  { spec: { claimRef } }: MacHost,
  context: Pick<ReconcileContext, 'kube' | 'signal'>,
): Promise<boolean> => {
  if (claimRef?.cluster === undefined) return false;
  const key = { namespace: claimRef.namespace, name: claimRef.cluster.name };
  const cluster = await readIfThere(CLUSTER_API_RESOURCES.clusters, key, context);
  if (cluster === undefined || cluster.metadata.uid !== claimRef.cluster.uid) return false;
  return cluster.metadata.deletionTimestamp === undefined && !isFrozen(cluster, cluster);
};

/** The Node of this Mac as the API has it: one that a cache never heard of would outlive the Mac's work, one that it never heard the end of would hold the Mac up (R14). */
export const findNode = async (
  caches: ProviderCaches,
  host: MacHost,
  context: Pick<ReconcileContext, 'kube' | 'signal'>,
): Promise<Node | undefined> => {
  const name = nodeOf(caches, host)?.metadata.name ?? host.spec.claimRef?.name;
  if (name === undefined) return undefined;
  const node = await readIfThere(NODES, { name }, context);
  return node?.spec?.providerID === providerIdOf(host) ? node : undefined;
};

export interface CensusDeps {
  readonly caches: ProviderCaches;
  readonly decisions: Pick<Decisions, 'unseen'>;
}

/** As the records have them that this process has heard of, and what it has decided itself. */
export const wipedLastHourOf = ({ caches, decisions }: CensusDeps, host: MacHost, nowMs: number): number => {
  const prefix = host.spec.pool?.prefix;
  const pool = caches.hosts.list().filter(({ spec }) => prefix !== undefined && spec.pool?.prefix === prefix);
  const unseen = decisions.unseen(host, 'wipe', caches.hosts);
  return pool.reduce((sum, { spec }) => sum + wipesOf(spec, nowMs).length, unseen);
};

export const censusOf = (deps: CensusDeps, host: MacHost, nowMs: number): PoolCensus => {
  const { caches, decisions } = deps;
  const prefix = host.spec.pool?.prefix;
  const all = caches.hosts.list();
  const pool = all.filter(({ spec }) => prefix !== undefined && spec.pool?.prefix === prefix);
  // One that is on its way there itself may go on.
  const apart = pool.filter(
    (other) =>
      other.spec.quarantine !== undefined || (other.metadata.name !== host.metadata.name && isKeptApart(other.spec)),
  );
  return {
    size: pool.length,
    quarantined: apart.length + decisions.unseen(host, 'quarantine', caches.hosts),
    wipedLastHour: wipedLastHourOf(deps, host, nowMs),
    vanishedTogether: vanishedWith(all, host),
    silences: [pool, all].map((hosts) => silenceOf(caches, hosts)),
  };
};

const vanishedMsOf = ({ spec: { hold } }: MacHost): number | undefined =>
  hold?.reason === REASONS.host.owned.ownerVanished ? parseTimestamp(hold.since) : undefined;

/** Also of a Mac that was given back since, and of one whose loss was put on record as its hold alone. */
const lossesMsOf = (host: MacHost): readonly number[] =>
  [vanishedMsOf(host), ...(host.spec.ownerLosses ?? []).map(parseTimestamp)].filter((ms) => ms !== undefined);

const vanishedWith = (hosts: readonly MacHost[], host: MacHost): number => {
  const atMs = vanishedMsOf(host);
  if (atMs === undefined) return 0;
  return hosts.filter((other) => lossesMsOf(other).some((ms) => Math.abs(ms - atMs) < HOUR_MS)).length;
};

const silenceOf = (caches: ProviderCaches, hosts: readonly MacHost[]): Silence => {
  const working = hosts.filter((host) => hostStateOf(host.spec, 'there') === 'joined' && isProvisioned(caches, host));
  return { working: working.length, silent: working.filter((host) => !isNodeReady(nodeOf(caches, host))).length };
};

/** Asked only where the answer decides: before the one reboot. No answer is no objection. */
export const diagnose = async (
  { cloud, logger, settings }: HostPorts,
  host: MacHost,
  { state, signal }: { readonly state: HostState; readonly signal: AbortSignal },
): Promise<Diagnosis | undefined> => {
  if (state !== 'preparing' || tierOf(host.spec, settings.limits) !== 'reboot') return undefined;
  try {
    return await cloud.diagnoseServer(refOf(host), signal);
  } catch (error) {
    logger.warn('No diagnosis of the server', { host: host.metadata.name, error });
    return undefined;
  }
};
