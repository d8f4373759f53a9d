/**
 * Names we give to things outside Kubernetes. They say whose a thing is and parse back; what does not parse is not
 * ours and is never touched. The forms of the Go original are kept byte for byte.
 */
import { unreachable } from '../base/errors.ts';

export interface ProviderId {
  readonly zone: string;
  readonly serverId: string;
}

const PROVIDER_ID = /^scw-applesilicon:\/\/([^/\s]+)\/([^/\s]+)$/;

export const renderProviderId = ({ zone, serverId }: ProviderId): string => `scw-applesilicon://${zone}/${serverId}`;

export const parseProviderId = (text: string): ProviderId | undefined => {
  const [, zone, serverId] = PROVIDER_ID.exec(text) ?? [];
  return zone === undefined || serverId === undefined ? undefined : { zone, serverId };
};

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const CLUSTER_ID = '[0-9a-f]{8}';
const CLAIM_PENDING = new RegExp(`^tuist-claim-pending-(${UUID})$`);
const RELEASING = new RegExp(`^tuist-releasing-(${CLUSTER_ID})-(${UUID})$`);
const QUARANTINE = new RegExp(`^tuist-quarantine-(${CLUSTER_ID})-(${UUID})$`);
const ORDERED = new RegExp(`^tuist-ordered-(${CLUSTER_ID})-(${UUID})$`);
/** No pool may claim such a name, whatever its prefix. */
const RESERVED = /^tuist-(claim-pending|releasing|quarantine|ordered)-/;

/** What the name of a server says about it. */
export type ServerName =
  /** Free: wiped, or never used. People who order a server may put anything plain after the prefix. */
  | { readonly kind: 'pool'; readonly prefix: string; readonly rest: string }
  /** Between pool name and final name. */
  | { readonly kind: 'claim-pending'; readonly uuid: string }
  /** On its way to a wipe, by the manager of this cluster. */
  | { readonly kind: 'releasing'; readonly clusterId: string; readonly uuid: string }
  | { readonly kind: 'quarantine'; readonly clusterId: string; readonly uuid: string }
  /** Rented by the manager of this cluster, under the id of its intent (R25). */
  | { readonly kind: 'ordered'; readonly clusterId: string; readonly uuid: string };

export const renderServerName = (name: ServerName): string => {
  switch (name.kind) {
    case 'pool':
      return `${name.prefix}${name.rest}`;
    case 'claim-pending':
      return `tuist-claim-pending-${name.uuid}`;
    case 'releasing':
      return `tuist-releasing-${name.clusterId}-${name.uuid}`;
    case 'quarantine':
      return `tuist-quarantine-${name.clusterId}-${name.uuid}`;
    case 'ordered':
      return `tuist-ordered-${name.clusterId}-${name.uuid}`;
    default:
      return unreachable(name);
  }
};

/** Undefined for every other name: that of a machine, or of something foreign. Of several prefixes the longest counts. */
export const parseServerName = (text: string, poolPrefixes: readonly string[]): ServerName | undefined => {
  const [, pending] = CLAIM_PENDING.exec(text) ?? [];
  if (pending !== undefined) return { kind: 'claim-pending', uuid: pending };
  const marked = parseMarkedName(text);
  if (marked !== undefined) return marked;
  return RESERVED.test(text) ? undefined : parsePoolName(text, poolPrefixes);
};

/** The names that say which cluster gave them. */
const parseMarkedName = (text: string): ServerName | undefined => {
  for (const [kind, form] of MARKED) {
    const [, clusterId, uuid] = form.exec(text) ?? [];
    if (clusterId !== undefined && uuid !== undefined) return { kind, clusterId, uuid };
  }
  return undefined;
};

const MARKED = [
  ['releasing', RELEASING],
  ['quarantine', QUARANTINE],
  ['ordered', ORDERED],
] as const;

const parsePoolName = (text: string, poolPrefixes: readonly string[]): ServerName | undefined => {
  const prefix = poolPrefixes
    .filter((candidate) => text.startsWith(candidate))
    .reduce((longest, candidate) => (candidate.length > longest.length ? candidate : longest), '');
  return prefix === '' ? undefined : { kind: 'pool', prefix, rest: text.slice(prefix.length) };
};

/** Tells clusters that share a Scaleway project apart: the first eight digits of the UID of kube-system. */
export const toClusterId = (kubeSystemUid: string): string => kubeSystemUid.slice(0, 8);

/** Leader Leases. The manager's is the Go original's, so that the two never act at the same time (R27). */
export const LEASE_NAMES = {
  manager: 'scaleway-applesilicon.infrastructure.cluster.x-k8s.io',
  runners: 'runners-controller.tuist.dev',
} as const;

/** Who events come from. */
export const EVENT_SOURCES = {
  machine: 'scalewayapplesiliconmachine-controller',
  runners: 'runnerpool-controller',
} as const;
