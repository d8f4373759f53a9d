/** The work behind `macfleet status`. Loaded only when it runs. */

import type { ClusterFlags, OutputFlags } from '../cluster/cluster-flags.ts';
import { requireFleet } from '../cluster/fleet-missing.ts';
import { listKinds } from '../cluster/list-kinds.ts';
import { type OpenedCluster, withCluster } from '../cluster/open-cluster.ts';
import { FLEET_KINDS, type FleetLists } from '../fleet/fleet-kinds.ts';
import { LIST_PRICES, type Prices } from '../fleet/prices.ts';
import type { CliIo } from '../io.ts';
import { lookOf } from '../show/look.ts';
import { print } from '../show/print.ts';
import { observeStatus } from './observe-status.ts';
import { renderStatus } from './render-status.ts';

export interface StatusFlags extends ClusterFlags, OutputFlags {
  readonly watch: boolean;
  readonly price: Prices;
}

export const runStatus = (flags: StatusFlags, io: CliIo): Promise<void> =>
  withCluster(flags, io, async (cluster) => {
    const { namespace } = flags;
    const lists = await listKinds(FLEET_KINDS, { client: cluster.client, namespace, signal: io.signal });
    requireFleet([lists.hosts, lists.machines], cluster.source);
    if (!flags.watch) {
      io.stdout(await show(flags, io, { lists, cluster }));
      return;
    }
    const { showWatching } = await import('../cluster/show-watching.ts');
    await showWatching(
      {
        kinds: FLEET_KINDS,
        first: lists,
        namespace,
        client: cluster.client,
        clock: cluster.clock,
        output: flags.output,
      },
      (newest) => show(flags, io, { lists: newest, cluster }),
      io,
    );
  });

interface Seen {
  readonly lists: FleetLists;
  readonly cluster: OpenedCluster;
}

const show = (flags: StatusFlags, io: CliIo, { lists, cluster }: Seen): Promise<string> => {
  const prices = new Map([...LIST_PRICES, ...flags.price]);
  const status = observeStatus(lists, { prices, namespace: flags.namespace });
  const names = [
    ...status.macs.map(({ id }) => `machost/${id}`),
    ...status.waits.flatMap(({ kind, name }) => (kind === 'mac' ? [] : [`${kind}/${name}`])),
  ];
  const table = (shape: 'table' | 'wide'): string =>
    renderStatus(status, { nowMs: cluster.clock.now(), look: lookOf(io), shape });
  return print(flags.output, { data: status, names, table });
};
