/**
 * Keeps the agent's own log from filling the disk. launchd holds that file open for as long as the job lives, so it is emptied where it is:
 * a file that is moved away is written on out of sight (the Go original never rotated it). Log shippers begin anew with a file that shrank.
 */
import type { HostFiles } from './host/host-files.ts';

export interface OwnLog {
  readonly files: Pick<HostFiles, 'look' | 'moveContent'>;
  /** Where launchd writes what the agent prints. */
  readonly path: string;
  /** Where the last so many bytes stay readable, in a folder of the agent's own. */
  readonly oldPath: string;
}

/** Weeks of an ordinary agent. */
const LOG_BYTES_MAX = 64 * 1_024 * 1_024;

/** Whether it had become too long. */
export const trimOwnLog = async ({ files, path, oldPath }: OwnLog): Promise<boolean> => {
  const found = await files.look(path);
  if (found?.kind !== 'file' || found.sizeBytes <= LOG_BYTES_MAX) return false;
  await files.moveContent(path, oldPath);
  return true;
};
