/** What a complete list of servers means for the hosts on record: pure. */
import { toTimestamp } from '../../base/clock.ts';
import type { MacHost, MacHostSpec, MacHostStatus } from '../../kinds/mac-host.ts';
import { parseServerName } from '../../kinds/names.ts';
import type { CloudServer } from '../../scaleway/port/cloud.ts';

export interface InventoryView {
  readonly nowMs: number;
  readonly projectId: string;
  /** All servers of the project in the zone. */
  readonly servers: readonly CloudServer[];
  /** All hosts on record in that zone and project. */
  readonly hosts: readonly MacHost[];
  readonly poolPrefixes: readonly string[];
  /** Servers that some machine names although no host is on record: never free by looks alone (R3). */
  readonly namedServers: ReadonlySet<string>;
}

export type InventoryPlan =
  | {
      readonly do: 'create';
      readonly name: string;
      readonly spec: Pick<MacHostSpec, 'source' | 'pool' | 'type' | 'osFamily'>;
    }
  | { readonly do: 'update'; readonly host: MacHost; readonly server: NonNullable<MacHostStatus['server']> };

/** New pool servers are put on record; known ones are brought up to date; nothing is said about what did not change. */
export const planInventory = (view: InventoryView): readonly InventoryPlan[] => {
  const known = new Map(view.hosts.map((host) => [host.metadata.name, host]));
  const present = view.servers.flatMap((server) => planServer(view, server, known.get(server.id)));
  const seen = new Set(view.servers.map(({ id }) => id));
  const missing = view.hosts
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
  const name = parseServerName(server.name, view.poolPrefixes);
  if (name?.kind !== 'pool' || !server.isDelivered || view.namedServers.has(server.id)) return [];
  const source = { scaleway: { projectID: view.projectId, zone: server.zone, serverID: server.id } };
  const spec = { source, pool: { prefix: name.prefix }, type: server.type, osFamily: server.osFamily };
  return [{ do: 'create', name: server.id, spec }];
};

const planKnown = (
  view: InventoryView,
  { name, status, address }: CloudServer,
  host: MacHost,
): readonly InventoryPlan[] => {
  const old = host.status?.server;
  const isSame =
    old?.name === name && old.status === status && old.address === address && old.missingSince === undefined;
  return isSame ? [] : [{ do: 'update', host, server: { name, status, address, seenAt: toTimestamp(view.nowMs) } }];
};
