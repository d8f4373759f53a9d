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
    const leftMs = (parseTimestamp(spec.identity?.expiresAt) ?? 0) - nowMs;
    if (metadata.name === host.metadata.name || spec.identity?.nodeName !== nodeName || leftMs <= 0) continue;
    if (hostStateOf(spec, 'absent') === 'wiping') continue;
    const message = `${metadata.name} may be the Node ${nodeName} until ${spec.identity?.expiresAt}, or until it is wiped`;
    return { leftMs: Math.min(leftMs, LOOK_AGAIN_MS), message };
  }
  return undefined;
};

const LOOK_AGAIN_MS = 10_000;

/** How long until the identity of a Mac that works ends, unless it renews it; undefined when it does not end. */
export const identityLeftMs = ({ spec }: MacHost, nowMs: number): number | undefined => {
  const expiresAtMs = parseTimestamp(spec.identity?.expiresAt);
  return expiresAtMs === undefined ? undefined : expiresAtMs - nowMs;
};
