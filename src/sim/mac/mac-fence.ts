/**
 * The epoch file of a Mac (R9, R10): it says for which claim the Mac works and the highest epoch seen, and it is asked
 * before anything is done. Only `first-look` makes one, so work for a Mac that was wiped meanwhile is refused as a whole.
 */

import { notFenced, notWiped, staleEpoch } from '../../hosts/port/session-errors.ts';
import type { StepCall } from '../../hosts/port.ts';
import type { MacDisk } from './mac-disk.ts';

/** They leave nothing behind that a new owner could trip over. */
const WITHOUT_FILE = ['first-look', 'stop-agent'];

/** Throws if the Mac refuses the call; otherwise remembers its epoch. */
export const passFence = (disk: MacDisk, { step, epoch, inputs }: StepCall): void => {
  const { epochFile } = disk;
  if (epochFile === undefined) {
    if (!WITHOUT_FILE.includes(step)) throw notFenced(step);
    return;
  }
  if (step === 'first-look' && inputs['claim'] !== epochFile.claim) {
    throw notWiped('it has the epoch file of another claim');
  }
  if (epoch < epochFile.epoch) throw staleEpoch(epoch, epochFile.epoch);
  disk.epochFile = { ...epochFile, epoch };
};

/** The apply of `first-look`. */
export const markFirstLook = (disk: MacDisk, { epoch, inputs }: StepCall): void => {
  if (disk.epochFile !== undefined) return;
  if (disk.kubeconfig !== undefined) throw notWiped("it has an agent's kubeconfig");
  disk.epochFile = { claim: inputs['claim'] ?? '', epoch };
};
