/** The work behind `macfleet describe`. Loaded only when it runs. */
import { isKind } from '../../base/errors.ts';
import { EVENTS, type Event } from '../../kube/types/core.ts';
import type { ClusterFlags, OutputFlags } from '../cluster/cluster-flags.ts';
import { withCluster } from '../cluster/open-cluster.ts';
import type { CliIo } from '../io.ts';
import { lookOf } from '../show/look.ts';
import { print } from '../show/print.ts';
import { type Gathered, type Gathering, gatherHost, gatherJob, gatherMachine, gatherPod } from './gather.ts';
import { type Description, renderDescription } from './render-describe.ts';
import type { DescribedKind } from './target.ts';
import { toTimeline } from './timeline.ts';

export interface DescribeFlags extends ClusterFlags, OutputFlags {
  readonly kind: DescribedKind;
  readonly name: string;
}

const GATHER: Readonly<Record<DescribedKind, (name: string, gathering: Gathering) => Promise<Gathered>>> = {
  host: gatherHost,
  machine: gatherMachine,
  pod: gatherPod,
  job: gatherJob,
};

export const runDescribe = (flags: DescribeFlags, io: CliIo): Promise<void> =>
  withCluster(flags, io, async ({ client, clock }) => {
    const gathering = { client, namespace: flags.namespace, signal: io.signal };
    const gathered = await GATHER[flags.kind](flags.name, gathering);
    const description = await tell(gathered, gathering);
    const table = (shape: 'table' | 'wide'): string =>
      renderDescription(description, { nowMs: clock.now(), look: lookOf(io), shape });
    const names = gathered.told.map(({ who }) => who);
    io.stdout(await print(flags.output, { data: description, names, table }));
  });

const tell = async ({ subject, facts, told }: Gathered, gathering: Gathering): Promise<Description> => {
  const notes: string[] = [];
  const events = await Promise.all(
    told.map(async ({ who, object }) => {
      const seen = await eventsOf(object.metadata.uid ?? '', gathering);
      if (seen === 'denied') notes.push(`Events of ${who} are not shown: this login may not list them.`);
      return seen === 'denied' ? [] : seen.map((event) => [who, event] as const);
    }),
  );
  return { subject, facts, timeline: toTimeline(told, events.flat()), notes };
};

const eventsOf = async (uid: string, { client, signal }: Gathering): Promise<readonly Event[] | 'denied'> => {
  try {
    const { items } = await client.list(EVENTS, { fieldSelector: `involvedObject.uid=${uid}`, signal });
    return items;
  } catch (error) {
    if (isKind(error, 'denied')) return 'denied';
    throw error;
  }
};
