/** Tells the judges of every cluster of what happens in one world, and keeps what they find. */
import type { FleetError } from '../../base/errors.ts';
import type { FleetObserver, FleetWorld } from '../fleet-world.ts';
import { type Court, createCourt } from './court.ts';
import { SECOND_TEAM } from './disturbances/namesakes.ts';
import { OLDER_ETCD } from './marks.ts';
import { SAFETY } from './properties/all.ts';
import { createRights, refusedOf } from './rights.ts';
import type { Happening, Property, PropertyId, Violation } from './truth.ts';
import { createVmCourt, type VmCourt } from './vm-court.ts';

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
  /** Judges what is judged once, at the end of every run, by the disturbances that struck. */
  judgeEnd(struck: ReadonlySet<string>): void;
  /** The rights that were used (rights.ts), for the union of many runs. */
  rights(): readonly string[];
  add(property: PropertyId, message: string): void;
  /** The run itself failed: a defect of the product or of the simulation. */
  report(error: FleetError): void;
}

/** A run that breaks by itself: an exception, real I/O, silence. */
const BROKEN: PropertyId = 'S0';

export const createJury = (properties: readonly Property[] = SAFETY): Jury => {
  const found: Violation[] = [];
  const marks = new Set<string>();
  const courts: Court[] = [];
  const rights = createRights();
  let world: FleetWorld | undefined;
  let vms: VmCourt | undefined;
  const add = (property: PropertyId, message: string): void => {
    found.push({ property, message, atMs: world?.kernel.nowMs() ?? 0 });
  };
  const addCourt = (): Court => {
    const court = createCourt({
      ...{ properties, add, mark: (mark) => void marks.add(mark) },
      others: () => courts.flatMap((other) => (other === court ? [] : (other.truth() ?? []))),
    });
    courts.push(court);
    return court;
  };
  const first = addCourt();
  const tellAll = (happening: Happening): void => {
    for (const court of courts) court.tell(happening);
  };
  return {
    observer: {
      ...first.observer,
      onRequest: rights.hear,
      onCloudWrite: (entry) => {
        for (const court of courts) if (court.isConcerned(entry)) court.tell({ is: 'cloud-write', entry });
      },
      onAgent: (agent) => {
        for (const court of courts) court.tell({ is: 'agent', agent, worksFor: court.isOurs(agent) ? 'us' : 'others' });
      },
      onDisk: () => tellAll({ is: 'disk' }),
      onBatch: (batch) => tellAll({ is: 'batch', batch }),
      onCluster: () => {
        const court = addCourt();
        return { ...court.observer, onReady: (cluster) => world && court.attend(cluster, world) };
      },
    },
    attend: (attended) => {
      world = attended;
      vms = createVmCourt(attended, add);
      first.attend(attended, attended);
    },
    afterEvent: () => {
      for (const court of courts) court.afterEvent();
      vms?.afterEvent();
    },
    judgeQuiet: () => {
      for (const court of courts) court.judgeQuiet();
      vms?.judgeQuiet();
    },
    judgeEnd: (struck) => world && judgeRights(world, new Set([...struck, ...marks]), add),
    rights: rights.used,
    violations: () => found,
    marks: () => [...marks],
    add,
    report: (error) => add(BROKEN, `${error.message}${error.cause instanceof Error ? `: ${error.cause.message}` : ''}`),
  };
};

const judgeRights = (world: FleetWorld, marks: ReadonlySet<string>, add: Jury['add']): void => {
  const lacking = lackingRight(world, marks);
  if (lacking !== undefined) add('S40', `no right to ${lacking}`);
};

/**
 * With a namespace that somebody deletes its bindings go, and with them the rights in it; so they do where an older etcd comes back, from
 * before another team moved in.
 */
const lackingRight = ({ forbidden, namespace }: FleetWorld, marks: ReadonlySet<string>): string | undefined => {
  const [isOursGone, isTheirsGone] = [marks.has('delete-namespace'), marks.has(OLDER_ETCD)];
  const isGone = (right: string): boolean =>
    (isOursGone && right.endsWith(` in ${namespace}`)) || (isTheirsGone && right.endsWith(` in ${SECOND_TEAM}`));
  return refusedOf(forbidden).find((right) => !isGone(right));
};
