/**
 * Every call that arrived at the simulated API: who, what, what it met and what it left. Checkers judge all writes, so these
 * are kept for ever; of all other calls the latest are.
 */
import { createRing, type Recent, type Ring } from '../http/ring.ts';
import type { SimServer } from './sim-server.ts';

export type WriteVerb =
  | ('rename' | 'reinstall' | 'reboot' | 'order' | 'terminate' | 'schedule')
  | ('ssh-key' | 'vpc' | 'private-network' | 'commit');

/** Who calls. */
export interface Caller {
  /** The program, as it names itself. */
  readonly caller: string;
  /** The access key of the secret that it showed, CONSOLE or NOBODY. */
  readonly principal: string;
}

/** A person who needs no key. */
export const CONSOLE = 'console';
/** Whoever showed no key, or none that is known. */
export const NOBODY = 'nobody';

export interface CallEntry extends Caller {
  /** Counts calls from 1; the order between writes and all others. */
  readonly number: number;
  readonly atMs: number;
  readonly verb: string;
  readonly serverId: string;
  /** Of a write the new name, the image and such; of any other call its path and query. */
  readonly argument: string;
  readonly before: SimServer | undefined;
  readonly after: SimServer | undefined;
  /** `accepted`, or the code of the refusal; of a fault `answered 500` or `lost`. */
  readonly outcome: string;
}

/** A write that reached its verb, also when it was refused there. */
export interface AuditEntry extends CallEntry {
  readonly verb: WriteVerb;
}

export type RecentCalls = Recent<CallEntry>;

/** So many are kept unless somebody says otherwise. */
export const CALLS_KEPT = 1_000;

export type CallRing = Ring<CallEntry>;

export const createCallRing = (limit: number): CallRing => createRing(limit);
