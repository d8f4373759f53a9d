/** Where Macs with real bash are possible: not only by what is installed, but because a sandbox was really made. */
import { tmpdir } from 'node:os';
import type { Ids } from '../../../base/ids.ts';
import { type MacRack, openMacRack } from './mac-rack.ts';
import { startSandbox } from './sandbox.ts';

/** Among the temporary files of this machine, for its own Node. Rejects with `unavailable` and code `NoSandbox`. */
export const openTriedRack = async (ids: Ids): Promise<MacRack> => {
  const rack = await openMacRack({ parentDir: tmpdir(), node: process.execPath });
  const { root, maker } = rack;
  try {
    const layout = { rootDir: root.dir, mounts: root.mounts, full: [] };
    const sandbox = await startSandbox({ ...layout, maker, marker: ids.uuid() });
    await sandbox.stop();
    return rack;
  } catch (error) {
    await rack.close();
    throw error;
  }
};
