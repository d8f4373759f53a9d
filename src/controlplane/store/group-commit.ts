/** Group commit: what is written in one turn of the event loop becomes durable together, or is lost together. */
import { type FleetError, toFleetError } from '../../base/errors.ts';
import type { Change } from './change.ts';
import type { StoreLog } from './log.ts';

/** `lost`: everything that was written since the last settling is taken back, and why. */
export type Settled = { readonly is: 'durable' } | { readonly is: 'lost'; readonly error: FleetError };

export interface GroupCommit {
  /** Written but not yet durable, oldest first. */
  pending(): readonly Change[];
  add(change: Change): void;
  whenSettled(run: (settled: Settled) => void): void;
  /** Decides about the pending changes now, not when the turn is over. */
  settle(): Settled;
}

export interface GroupCommitOptions {
  /** Without it every change is durable at once. */
  readonly log: StoreLog | undefined;
  /** Told in order. */
  readonly onDurable: (change: Change) => void;
  /** Told in reverse order, so that each can be undone. */
  readonly onLost: (change: Change) => void;
}

const DURABLE: Settled = { is: 'durable' };

export const createGroupCommit = ({ log, onDurable, onLost }: GroupCommitOptions): GroupCommit => {
  let pending: Change[] = [];
  let waiting: ((settled: Settled) => void)[] = [];
  const settle = (): Settled => {
    if (log === undefined || pending.length === 0) return DURABLE;
    const group = pending;
    const runs = waiting;
    pending = [];
    waiting = [];
    const settled = appendAll(log, group);
    if (settled.is === 'durable') for (const change of group) onDurable(change);
    else for (const change of group.toReversed()) onLost(change);
    for (const run of runs) run(settled);
    return settled;
  };
  return {
    pending: () => pending,
    add: (change) => {
      if (log === undefined) {
        onDurable(change);
        return;
      }
      if (pending.length === 0) log.defer(settle);
      pending.push(change);
    },
    whenSettled: (run) => {
      if (pending.length === 0) run(DURABLE);
      else waiting.push(run);
    },
    settle,
  };
};

const appendAll = (log: StoreLog, group: readonly Change[]): Settled => {
  try {
    log.append(
      group.map(({ type, entry: { collection, key, revision, json } }) => ({
        ...{ collection, key, revision },
        json: type === 'DELETED' ? undefined : json,
      })),
    );
    return DURABLE;
  } catch (thrown) {
    return { is: 'lost', error: toFleetError(thrown) };
  }
};
