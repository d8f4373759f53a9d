/** Who may be a Node, and until when (R23): on the host's record, because a certificate that was issued cannot be taken back. */
import { parseTimestamp, toTimestamp } from '../../base/clock.ts';
import type { MacHost, MacHostSpec } from '../../kinds/mac-host.ts';
import { parseProviderId } from '../../kinds/names.ts';
import { readIfThere } from '../../kube/client/if-there.ts';
import type { ReconcileContext } from '../../kube/controller/controller.ts';
import { NODES, type Node } from '../../kube/types/core.ts';
import type { ProviderCaches } from './host-caches.ts';
import { hostStateOf } from './host-life.ts';
import { findHost } from './host-record.ts';
import type { HostPorts } from './ports.ts';

/** What goes on record before anything is issued: until when the Mac may be that Node. */
export const identityFrom = (
  { join, clock }: Pick<HostPorts, 'join' | 'clock'>,
  host: MacHost,
): Pick<MacHostSpec, 'identity'> | undefined => {
  if (join.lifeMs === undefined) return undefined;
  const nodeName = host.spec.claimRef?.name ?? '';
  const nowMs = clock.now();
  const expiresAt = toTimestamp(nowMs + join.lifeMs);
  const { token } = host.spec.identity ?? {};
  const isOffered = !isTakenUp(host, nodeName, nowMs);
  return { identity: { nodeName, expiresAt, ...(isOffered && { offered: true }), ...(token && { token }) } };
};

/** Whether the Mac has come with an identity of that name which lives: then it may have no need of another. */
const isTakenUp = (host: MacHost, nodeName: string, nowMs: number): boolean => {
  const { identity } = host.spec;
  return identity?.nodeName === nodeName && identity.offered !== true && (identityLeftMs(host, nowMs) ?? 0) > 0;
};

/** The Mac has come with it. */
export const takenUp = ({
  offered: _,
  ...identity
}: NonNullable<MacHostSpec['identity']>): Pick<MacHostSpec, 'identity'> => ({ identity });

/** Why a Mac may not be the Node of its machine's name yet. */
export interface IdentityRival {
  readonly leftMs: number;
  readonly message: string;
  /**
   * What another Mac, or a person, left of that Node, and nobody speaks as any more. It has to go first: whoever joins under it
   * cannot make it its own, and would be taken for the other.
   */
  readonly left?: Node;
}

/**
 * Another Mac that may still be the Node of this name: it was not seen to be wiped, and its certificate lives. As the API
 * has it now: a renewal that a cache has missed would make two Macs one Node. Also a Mac whose record was
 * lost, or is of an earlier time, for as long as it speaks as that Node.
 */
export const findIdentityRival = async (
  { ports, caches }: { readonly ports: Pick<HostPorts, 'clock' | 'join'>; readonly caches: ProviderCaches },
  host: MacHost,
  context: Pick<ReconcileContext, 'kube' | 'signal'>,
): Promise<IdentityRival | undefined> => {
  const nodeName = host.spec.claimRef?.name ?? '';
  const node = await readIfThere(NODES, { name: nodeName }, context);
  const speaker = parseProviderId(node?.spec?.providerID ?? '')?.serverId;
  const known = caches.hosts.list().filter(({ spec }) => isNamed(spec, nodeName));
  const names = new Set([...known.map(({ metadata }) => metadata.name), ...(speaker === undefined ? [] : [speaker])]);
  names.delete(host.metadata.name);
  const records = await Promise.all([...names].map((name) => findHost(name, context)));
  const there = records.filter((record) => record !== undefined);
  const nowMs = ports.clock.now();
  const rival = rivalAmong(there, host, nowMs);
  if (rival !== undefined || node === undefined || speaker === undefined || !names.has(speaker)) return rival;
  const record = there.find(({ metadata }) => metadata.name === speaker);
  if (record !== undefined && hostStateOf(record.spec, 'absent') === 'wiping') return undefined;
  const isEndKnown = record?.spec.identity?.nodeName === nodeName;
  const speaking = speakingRival(node, { nowMs, lifeMs: isEndKnown ? 0 : (ports.join.lifeMs ?? 0) });
  return speaking ?? { leftMs: 0, message: `the Node ${nodeName} is left of ${node.spec?.providerID}`, left: node };
};

const isNamed = ({ identity, claimRef }: MacHostSpec, nodeName: string): boolean =>
  identity?.nodeName === nodeName || claimRef?.name === nodeName;

/** One of these. */
const rivalAmong = (hosts: readonly MacHost[], host: MacHost, nowMs: number): IdentityRival | undefined => {
  const nodeName = host.spec.claimRef?.name;
  for (const { metadata, spec } of hosts) {
    const end = nodeName === undefined || metadata.name === host.metadata.name ? undefined : endOf(spec, nodeName);
    if (end === undefined || end.atMs <= nowMs || hostStateOf(spec, 'absent') === 'wiping') continue;
    const message = `${metadata.name} may be the Node ${nodeName} until ${end.said}it is wiped`;
    const soonMs = spec.release === undefined ? LOOK_AGAIN_MS : WIPE_BEGINS_MS;
    return { leftMs: Math.min(end.atMs - nowMs, soonMs), message };
  }
  return undefined;
};

/**
 * Whoever speaks as that Node is it, whatever the record says, which may have been lost or be of an earlier time. Nobody renews
 * what is not on record: once it is silent, that ends within the life of one identity (`lifeMs`).
 */
const speakingRival = (
  { metadata, spec, status }: Node,
  { nowMs, lifeMs }: { readonly nowMs: number; readonly lifeMs: number },
): IdentityRival | undefined => {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready === undefined || ready.reason === NEVER_HEARD) return undefined;
  const silentMs = ready.status === 'Unknown' ? nowMs - (parseTimestamp(ready.lastTransitionTime) ?? nowMs) : undefined;
  const leftMs = silentMs === undefined ? LOOK_AGAIN_MS : lifeMs - silentMs;
  if (leftMs <= 0) return undefined;
  const message = `${spec?.providerID} speaks as the Node ${metadata.name}, or may still do so`;
  return { leftMs: Math.min(leftMs, LOOK_AGAIN_MS), message };
};

/** What Kubernetes says of a Node that somebody made, and that nobody ever was. */
const NEVER_HEARD = 'NodeStatusNeverUpdated';

/** Until when a Mac may be that Node. Of one whose record was lost, or that somebody else bootstrapped, nobody knows. */
const endOf = (
  { identity, takenOver, claimRef }: MacHostSpec,
  nodeName: string,
): { readonly atMs: number; readonly said: string } | undefined => {
  if (identity === undefined)
    return takenOver === true && claimRef?.name === nodeName ? { atMs: Number.POSITIVE_INFINITY, said: '' } : undefined;
  if (identity.nodeName !== nodeName) return undefined;
  return { atMs: parseTimestamp(identity.expiresAt) ?? 0, said: `${identity.expiresAt}, or until ` };
};

/** Only a person, or time, ends it. */
const LOOK_AGAIN_MS = 60_000;
/** A Mac that is being given back is soon seen to be wiped. */
const WIPE_BEGINS_MS = 10_000;

/** Since when nobody has spoken as that Node; undefined while somebody does. */
export const silentSince = ({ status }: Node): number | undefined => {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'Unknown' ? parseTimestamp(ready.lastTransitionTime) : undefined;
};

/**
 * Whether a Mac is that Node under the identity on record. One that has been silent since before that was given is what the Mac
 * left behind, and tells nothing of it: somebody may have wiped it meanwhile.
 */
export const isHeardUnder = (node: Node, { spec }: MacHost, lifeMs: number | undefined): boolean => {
  const expiresAtMs = parseTimestamp(spec.identity?.expiresAt);
  if (expiresAtMs === undefined || lifeMs === undefined) return true;
  const silentSinceMs = silentSince(node);
  return silentSinceMs === undefined || silentSinceMs > expiresAtMs - lifeMs;
};

/** How long until the identity of a Mac that works ends, unless it renews it; undefined when it does not end. */
export const identityLeftMs = ({ spec }: MacHost, nowMs: number): number | undefined => {
  const expiresAtMs = parseTimestamp(spec.identity?.expiresAt);
  return expiresAtMs === undefined ? undefined : expiresAtMs - nowMs;
};
