/** The judges of one cluster: they are told of everything that happens in it, and of what happens to the Macs that all share. */
import type { AuditEntry } from '../../sim/cloud/call-log.ts';
import { CONSOLE } from '../../sim/cloud/call-log.ts';
import type { ClusterObserver, FleetCluster } from '../fleet-cluster.ts';
import type { AgentEvent, FleetWorld } from '../fleet-world.ts';
import type { Plane } from '../plane.ts';
import { marksOf } from './marks.ts';
import { judgeQuiet } from './properties/liveness.ts';
import { createWitness } from './properties/witness.ts';
import type { Happening, Property, PropertyId, Truth } from './truth.ts';
import { watchTruth } from './watch-truth.ts';

export interface CourtDeps {
  readonly properties: readonly Property[];
  readonly add: (property: PropertyId, message: string) => void;
  readonly mark: (mark: string) => void;
  /** What the courts of other clusters know. */
  readonly others: () => readonly Truth[];
}

export interface Court {
  readonly observer: ClusterObserver;
  /** Begins to judge this cluster. */
  attend(
    cluster: Pick<FleetCluster, 'plane' | 'managers' | 'server'>,
    ground: Pick<FleetWorld, 'kernel' | 'cloud' | 'macs'>,
  ): void;
  tell(happening: Happening): void;
  /** Whether a write to a server is to be judged here: by a manager of this cluster, or by a person. */
  isConcerned(entry: AuditEntry): boolean;
  /** Whether the agent works for this cluster. */
  isOurs(agent: AgentEvent): boolean;
  /** Judges what was stored since the last time. */
  afterEvent(): void;
  judgeQuiet(): void;
  /** Undefined before it attends. */
  truth(): Truth | undefined;
}

interface Session {
  readonly truth: Truth;
  readonly plane: Plane;
  readonly managers: readonly string[];
  readonly server: string;
  /** The revision up to which everything was judged. */
  seen: number;
}

export const createCourt = ({ properties, add, mark, others }: CourtDeps): Court => {
  const judges = properties.map(({ id, judge }) => ({ id, judge: judge() }));
  const witness = createWitness();
  let session: Session | undefined;
  const tell = (happening: Happening): void => {
    if (session === undefined) return;
    for (const reached of marksOf(happening)) mark(reached);
    witness.hear(happening, session.truth);
    for (const { id, judge } of judges) {
      const message = judge(happening, session.truth);
      if (message !== undefined) add(id, message);
    }
  };
  return {
    tell,
    observer: {
      onWatch: (fact) => tell({ is: 'watch', fact }),
      onStaleWrite: (write) => tell({ is: 'stale-write', write }),
      onConfiguration: (configuration) => tell({ is: 'configuration', configuration }),
    },
    attend: ({ plane, managers, server }, { kernel, cloud, macs }) => {
      const { clock } = kernel.actor('world');
      const watched = { plane, cloud, macs, nowMs: clock.now, others };
      const truth = watchTruth(watched, (change) => tell({ is: 'object', change }));
      const opened = { truth, plane, managers, server, seen: plane.store.revision };
      session = opened;
      plane.onReopened((how) => {
        const revisionOf = (collection: string, key: string) => plane.store.get(collection, key)?.revision;
        tell({ is: 'reopened', how, revisionOf });
        opened.seen = plane.store.revision;
      });
    },
    isConcerned: ({ caller, principal }) => {
      const [process = ''] = caller.split('#');
      return principal === CONSOLE || session?.managers.includes(process) === true;
    },
    isOurs: ({ server }) => server === session?.server,
    afterEvent: () => {
      if (session === undefined) return;
      const { store } = session.plane;
      if (store.revision === session.seen) return;
      for (const { type, entry } of store.since(session.seen) ?? []) {
        const { collection, key, json, revision } = entry;
        const effect = type === 'DELETED' ? 'removed' : 'kept';
        tell({ is: 'stored', effect, collection, key, json, revision });
      }
      session.seen = store.revision;
    },
    judgeQuiet: () => {
      if (session === undefined) return;
      for (const { property, message } of judgeQuiet(session.truth, witness)) add(property, message);
    },
    truth: () => session?.truth,
  };
};
