/** Deletes logs that nobody can ask for any more: of VMs whose Pod is gone, a day after the last word. */
import type { Clock } from '../../../base/clock.ts';
import type { HostFiles } from '../../host/host-files.ts';
import { parseVmName } from '../../pods/vm-name.ts';

export interface SweepLogs {
  readonly files: Pick<HostFiles, 'list' | 'look' | 'remove'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly logDirectory: string;
  /** UIDs of Pods, out of a complete answer of the API: an empty one sweeps all. */
  readonly uids: ReadonlySet<string>;
}

/** Long enough for whoever looks into a failure of the night before. */
const KEPT_MS = 24 * 60 * 60_000;
const SUFFIX = /\.(?:log|d)$/;

/** What was deleted. Files that are not named after a VM of ours are left alone. */
export const sweepLogs = async ({ files, clock, logDirectory, uids }: SweepLogs): Promise<readonly string[]> => {
  const swept: string[] = [];
  for (const name of await files.list(logDirectory)) {
    const uid = SUFFIX.test(name) ? parseVmName(name.replace(SUFFIX, '')) : undefined;
    if (uid === undefined || uids.has(uid)) continue;
    const path = `${logDirectory}/${name}`;
    if (clock.now() - (await lastWordMs(files, path)) < KEPT_MS) continue;
    await files.remove(path);
    swept.push(name);
  }
  return swept;
};

const lastWordMs = async (files: SweepLogs['files'], path: string): Promise<number> => {
  const paths = [path, ...(await files.list(path)).map((name) => `${path}/${name}`)];
  const infos = await Promise.all(paths.map((one) => files.look(one)));
  return Math.max(...infos.map((info) => info?.modifiedAtMs ?? 0));
};
