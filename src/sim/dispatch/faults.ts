/** Faults as switches: for so many calls, for so long, with a probability, for one Pod or for all. */
import { FleetError } from '../../base/errors.ts';
import type { DispatchCore } from './dispatch-core.ts';
import {
  DISPATCH_FAULTS,
  type DispatchFaultId,
  type DispatchVerb,
  type FaultEffect,
  type FaultPoint,
} from './fault-list.ts';
import type { DispatchFault, DispatchScope } from './fault-switch.ts';

export const DISPATCH_FAULT_IDS: readonly DispatchFaultId[] = Object.keys(DISPATCH_FAULTS).filter(isFaultId).toSorted();

function isFaultId(id: string): id is DispatchFaultId {
  return Object.hasOwn(DISPATCH_FAULTS, id);
}

export const switchOn = ({ state, clock, timeScale }: DispatchCore, id: string, scope: DispatchScope = {}): void => {
  const { count, seconds, ...meant } = scope;
  const lastsMs = seconds === undefined ? Number.POSITIVE_INFINITY : seconds * 1_000 * timeScale;
  state.faults.push({
    ...{ ...meant, id: parseId(id), row: DISPATCH_FAULTS[parseId(id)], told: new Map() },
    ...{ left: count ?? Number.POSITIVE_INFINITY, untilMs: clock.now() + lastsMs },
  });
};

/** What it has done stays done. */
export const switchOff = ({ state }: DispatchCore, id: string): void => {
  const known = parseId(id);
  const kept = state.faults.filter((fault) => fault.id !== known);
  state.faults.splice(0, state.faults.length, ...kept);
};

const parseId = (id: string): DispatchFaultId => {
  if (isFaultId(id)) return id;
  throw new FleetError('invalid', {
    code: 'NoSuchFault',
    message: `there is no fault "${id}"`,
    hint: `There are: ${DISPATCH_FAULT_IDS.join(', ')}.`,
  });
};

export interface FaultyCall {
  readonly verb: DispatchVerb;
  readonly pod: string;
}

/** The first switch that this call meets at this point; uses it up. */
export const drawFault = (core: DispatchCore, at: FaultPoint, call: FaultyCall): DispatchFault | undefined => {
  const { state, clock, random } = core;
  for (const fault of state.faults) {
    const { verb = call.verb, pod = call.pod, row, probability } = fault;
    const isMeant =
      row.at === at && fault.left > 0 && clock.now() < fault.untilMs && verb === call.verb && pod === call.pod;
    if (!isMeant || row.verbs?.includes(call.verb) === false) continue;
    if (probability !== undefined && random.next() >= probability) continue;
    fault.left -= 1;
    return fault;
  }
  return undefined;
};

export const effectOf = (fault: DispatchFault | undefined): FaultEffect | undefined => fault?.row.effect;
