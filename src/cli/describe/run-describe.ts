/** The work behind `macfleet describe`. Loaded only when it runs. */
import { isKind } from '../../base/errors.ts';
import { EVENTS, type Event } from '../../kube/types/core.ts';
import type { KubeList } from '../../kube/types/meta.ts';
import type { ClusterFlags, OutputFlags } from '../cluster/cluster-flags.ts';
import { withCluster } from '../cluster/open-cluster.ts';
import type { CliIo } from '../io.ts';
import { lookOf } from '../show/look.ts';
import { print } from '../show/print.ts';
import { type Gathered, type Gathering, gatherHost, gatherJob, gatherMachine, gatherPod } from './gather.ts';
import { cutEarlier, type Description, renderDescription } from './render-describe.ts';
import type { DescribedKind } from './target.ts';
import { toTimeline } from './timeline.ts';
import { type Sight, watchStory } from './watch-story.ts';

export interface DescribeFlags extends ClusterFlags, OutputFlags {
  readonly kind: DescribedKind;
  readonly name: string;
  readonly watch: boolean;
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
    const look = async (): Promise<Sight> => {
      const gathered = await GATHER[flags.kind](flags.name, gathering);
      const { description, eventsVersion } = await tell(gathered, gathering);
      const nowMs = clock.now();
      const render = (rowsMax?: number): Promise<string> => {
        const shown = rowsMax === undefined ? description : cutEarlier(description, rowsMax);
        const table = (shape: 'table' | 'wide'): string => renderDescription(shown, { nowMs, look: lookOf(io), shape });
        return print(flags.output, { data: description, names: gathered.told.map(({ who }) => who), table });
      };
      return { tellers: gathered.told, eventsVersion, render };
    };
    if (flags.watch) return watchStory({ look, client, clock, output: flags.output }, io);
    io.stdout(await (await look()).render());
  });

const tell = async ({ subject, facts, told }: Gathered, gathering: Gathering) => {
  const notes: string[] = [];
  const lists = await Promise.all(
    told.map(async ({ who, object }) => {
      const list = await eventsOf(object.metadata.uid ?? '', gathering);
      if (list === 'denied') notes.push(`Events of ${who} are not shown: this login may not list them.`);
      return list === 'denied' ? undefined : { who, ...list };
    }),
  );
  const events = lists.flatMap((list) => list?.items.map((event) => [list.who, event] as const) ?? []);
  const description: Description = { subject, facts, timeline: toTimeline(told, events), notes };
  return { description, eventsVersion: lists[0]?.metadata.resourceVersion };
};

const eventsOf = async (uid: string, { client, signal }: Gathering): Promise<KubeList<Event> | 'denied'> => {
  try {
    return await client.list(EVENTS, { fieldSelector: `involvedObject.uid=${uid}`, signal });
  } catch (error) {
    if (isKind(error, 'denied')) return 'denied';
    throw error;
  }
};
