/** Who may be a Node, and until when (R23): on the host's record, because a certificate that was issued cannot be taken back. */
import { parseTimestamp, toTimestamp } from '../../base/clock.ts';
import type { MacHost, MacHostSpec } from '../../kinds/mac-host.ts';
import type { ProviderCaches } from './host-caches.ts';
import { hostStateOf } from './host-life.ts';
import type { HostPorts } from './ports.ts';

/** What goes on record before anything is issued: until when the Mac may be that Node. */
export const identityFrom = (
  { join, clock }: Pick<HostPorts, 'join' | 'clock'>,
  { spec }: MacHost,
): Pick<MacHostSpec, 'identity'> | undefined =>
  join.lifeMs === undefined
    ? undefined
    : { identity: { nodeName: spec.claimRef?.name ?? '', expiresAt: toTimestamp(clock.now() + join.lifeMs) } };

/** Another Mac that may still be the Node of this name: it was not seen to be wiped, and its certificate lives. */
export const identityRival = (
  { hosts }: Pick<ProviderCaches, 'hosts'>,
  host: MacHost,
  nowMs: number,
): { readonly leftMs: number; readonly message: string } | undefined => {
  const nodeName = host.spec.claimRef?.name;
  for (const { metadata, spec } of hosts.list()) {
    const end = nodeName === undefined || metadata.name === host.metadata.name ? undefined : endOf(spec, nodeName);
    if (end === undefined || end.atMs <= nowMs || hostStateOf(spec, 'absent') === 'wiping') continue;
    const message = `${metadata.name} may be the Node ${nodeName} until ${end.said}it is wiped`;
    return { leftMs: Math.min(end.atMs - nowMs, LOOK_AGAIN_MS), message };
  }
  return undefined;
};

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

const LOOK_AGAIN_MS = 10_000;

/** How long until the identity of a Mac that works ends, unless it renews it; undefined when it does not end. */
export const identityLeftMs = ({ spec }: MacHost, nowMs: number): number | undefined => {
  const expiresAtMs = parseTimestamp(spec.identity?.expiresAt);
  return expiresAtMs === undefined ? undefined : expiresAtMs - nowMs;
};
