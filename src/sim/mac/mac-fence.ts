/**
 * The fence of a Mac (R9, R10), as steps/driver.sh keeps it: for which claim the Mac works, the highest epoch seen, and who
 * holds its lock. Only `first-look` makes one, so work for a Mac that was wiped meanwhile is refused as a whole.
 */
import { hostBusy, hostHeld, notFenced, notWiped, staleEpoch } from '../../hosts/port/session-errors.ts';
import type { Batch, Epoch, StepCall } from '../../hosts/port.ts';
import type { MacDisk } from './mac-disk.ts';

/** They leave nothing behind that a new owner could trip over. */
const WITHOUT_FENCE = ['first-look', 'stop-agent'];
const LOCK_MS = 900_000;

/** Throws unless the step may be changed now. */
export const assertAdmitted = ({ epochFile }: MacDisk, step: string, epoch: Epoch): void => {
  if (epoch === 'forced') return;
  if (epoch === 'by-hand') {
    if (epochFile !== undefined) throw hostHeld(epochFile.claim);
    return;
  }
  if (epochFile === undefined) {
    if (!WITHOUT_FENCE.includes(step)) throw notFenced(step);
    return;
  }
  if (epoch < epochFile.epoch) throw staleEpoch(epoch, epochFile.epoch);
};

/** All calls of the batch or none; then no lower epoch passes any more. */
export const passFence = (disk: MacDisk, { epoch, calls }: Batch): void => {
  for (const { step, do: what } of calls) if (what !== 'check') assertAdmitted(disk, step, epoch);
  const { epochFile } = disk;
  if (epochFile === undefined) return;
  assertAdmitted(disk, 'every step', epoch);
  if (typeof epoch === 'number') disk.epochFile = { ...epochFile, epoch };
};

/** Whoever holds the lock now, if anybody. */
export const lockOwnerOf = ({ lock }: MacDisk, nowMs: number): string | undefined => {
  const leftMs = (lock?.expiresAtMs ?? 0) - nowMs;
  // Longer than anybody takes it for: the clock was set back since.
  return leftMs < 0 || leftMs > LOCK_MS ? undefined : lock?.owner;
};

/** Throws if somebody else holds it. */
export const takeLock = (disk: MacDisk, lock: Batch['lock'], nowMs: number): void => {
  const owner = lockOwnerOf(disk, nowMs);
  if (owner !== undefined && owner !== lock?.owner) throw hostBusy(owner);
  if (lock !== undefined) disk.lock = { owner: lock.owner, expiresAtMs: nowMs + LOCK_MS };
};

export const releaseLock = (disk: MacDisk, lock: Batch['lock']): void => {
  if (lock?.afterwards === 'release' && disk.lock?.owner === lock.owner) disk.lock = undefined;
};

/** Throws for the marks of another claim. */
export const assertClaim = ({ epochFile }: MacDisk, { inputs }: StepCall): void => {
  if (epochFile === undefined || inputs['claim'] === epochFile.claim) return;
  throw notWiped('it works for another claim');
};

/** The apply of `first-look`. */
export const markFirstLook = (disk: MacDisk, { inputs }: StepCall, epoch: Epoch): void => {
  if (disk.epochFile !== undefined) return;
  if (disk.kubeconfig !== undefined && inputs['takeover'] !== 'yes') throw notWiped("it has an agent's kubeconfig");
  disk.epochFile = { claim: inputs['claim'] ?? '', epoch: Number(epoch) };
};
