/** Files as artefacts: summed once when a process is composed, and read anew for each Mac, so that none is held in memory. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { FleetError, messageOf } from '../../base/errors.ts';
import type { Artefact } from '../port.ts';

/** Rejects with `invalid` for a file that cannot be read. */
export const openArtefact = async (name: string, path: string, signal: AbortSignal): Promise<Artefact> => {
  const sum = createHash('sha256');
  let sizeBytes = 0;
  try {
    for await (const piece of createReadStream(path, { signal })) {
      sum.update(piece);
      sizeBytes += piece.length;
    }
  } catch (error) {
    throw new FleetError('invalid', {
      code: 'ArtefactUnreadable',
      message: `the file ${name} for Macs cannot be read: ${messageOf(error)}`,
      hint: 'Check the path and its rights.',
      details: { path },
    });
  }
  return { name, sizeBytes, sha256: sum.digest('hex'), open: () => createReadStream(path) };
};
