/** Tells every judge of everything that happens in one world, and keeps what they find. */
import type { FleetError } from '../../base/errors.ts';
import type { Store } from '../../controlplane/store/store.ts';
import type { FleetObserver, FleetWorld } from '../fleet-world.ts';
import { marksOf } from './marks.ts';
import { SAFETY } from './properties/all.ts';
import { judgeQuiet } from './properties/liveness.ts';
import type { Happening, Property, PropertyId, Truth, Violation } from './truth.ts';
import { watchTruth } from './watch-truth.ts';

export interface Jury {
  /** For the world to be made. */
  readonly observer: FleetObserver;
  /** Begins to judge this world. */
  attend(world: FleetWorld): void;
  /** Judges what was stored since the last time; to be called after every event. */
  afterEvent(): void;
  violations(): readonly Violation[];
  /** Rare states that were reached. */
  marks(): readonly string[];
  /** Judges what must have come right by now. */
  judgeQuiet(): void;
  add(property: PropertyId, message: string): void;
  /** The run itself failed: a defect of the product or of the simulation. */
  report(error: FleetError): void;
}

interface Court {
  readonly truth: Truth;
  readonly store: Store;
  readonly nowMs: () => number;
  /** The revision up to which everything was judged. */
  seen: number;
}

/** A run that breaks by itself: an exception, real I/O, silence. */
const BROKEN: PropertyId = 'S0';

export const createJury = (properties: readonly Property[] = SAFETY): Jury => {
  const judges = properties.map(({ id, judge }) => ({ id, judge: judge() }));
  const found: Violation[] = [];
  const marks = new Set<string>();
  let court: Court | undefined;
  const add = (property: PropertyId, message: string): void => {
    found.push({ property, message, atMs: court?.nowMs() ?? 0 });
  };
  const tell = (happening: Happening): void => {
    if (court === undefined) return;
    for (const mark of marksOf(happening)) marks.add(mark);
    for (const { id, judge } of judges) {
      const message = judge(happening, court.truth);
      if (message !== undefined) add(id, message);
    }
  };
  return {
    observer: {
      onCloudWrite: (entry) => tell({ is: 'cloud-write', entry }),
      onAgent: (agent) => tell({ is: 'agent', agent }),
      onDisk: () => tell({ is: 'disk' }),
    },
    attend: ({ kernel, store, cloud, macs }) => {
      const { clock } = kernel.actor('world');
      const truth = watchTruth({ store, cloud, macs, nowMs: clock.now }, (change) => tell({ is: 'object', change }));
      court = { truth, store, nowMs: kernel.nowMs, seen: store.revision };
    },
    afterEvent: () => {
      if (court === undefined || court.store.revision === court.seen) return;
      for (const { entry } of court.store.since(court.seen) ?? []) {
        const { collection, key, json } = entry;
        tell({ is: 'stored', collection, key, json });
      }
      court.seen = court.store.revision;
    },
    judgeQuiet: () => {
      if (court !== undefined) for (const { property, message } of judgeQuiet(court.truth)) add(property, message);
    },
    violations: () => found,
    marks: () => [...marks],
    add,
    report: (error) => add(BROKEN, `${error.message}${error.cause instanceof Error ? `: ${error.cause.message}` : ''}`),
  };
};
