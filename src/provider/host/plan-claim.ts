/**
 * The way of a claimed server: pool name → pending name, held for a while → the machine's name (R7). What is only put on
 * record needs no look at the server; every rename is preceded by one (R8).
 */
import { parseTimestamp } from '../../base/clock.ts';
import { parseServerName, renderServerName } from '../../kinds/names.ts';
import { sightName } from './host-life.ts';
import type { HostPlan, HostView } from './host-view.ts';
import { intendName } from './recorded-write.ts';
import type { Sighting } from './sighting.ts';

export interface IntentView extends Pick<HostView, 'spec' | 'owner' | 'nowMs' | 'times' | 'uuid'> {
  /** The server as it is on record. */
  readonly sighting: Sighting | undefined;
}

/** What is next for a claimed server by its record alone; undefined: it has to be looked at. */
export const planIntent = (view: IntentView): HostPlan | undefined => {
  const { spec, owner, sighting } = view;
  const known = sighting?.name;
  if (owner !== 'names-it' || known === undefined) return undefined;
  if (spec.assignedName === undefined) {
    if (sightName(spec, known) !== 'pool') return undefined;
    return intendName(view, { from: known, to: pendingNameOf(spec.claimRef?.uid ?? '') });
  }
  const { next } = spec.assignedName;
  if (known !== next || !isPending(next)) return undefined;
  const leftMs = holdLeftMs(view, sighting?.seenAt);
  if (leftMs > 0) return { do: 'wait', afterMs: leftMs };
  return intendName(view, { from: next, to: spec.claimRef?.name ?? '' });
};

/** Says which machine is about to take the server: should the record be lost meanwhile, it is known whose it is (R15). */
export const pendingNameOf = (machineUid: string): string =>
  renderServerName({ kind: 'claim-pending', uuid: machineUid });

export const isPending = (name: string): boolean => parseServerName(name, [])?.kind === 'claim-pending';

/** From when the pending name was seen: its rename may have been sent long after its record (R13). */
export const holdLeftMs = ({ nowMs, times }: Pick<HostView, 'nowMs' | 'times'>, since: string | undefined): number =>
  (parseTimestamp(since) ?? nowMs) + times.claimHoldMs - nowMs;
