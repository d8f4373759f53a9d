/** Sees a run end: by its record, the moment it is written, and for want of one by its process being gone. */
import { readExit } from './run-record.ts';
import { untilFound } from './until-found.ts';
import type { VmExit } from './vm-port.ts';
import { recordDirOf, type VmWork } from './vm-work.ts';

const LOOK_EVERY_MS = 1_000;

interface Watched {
  readonly vm: string;
  /** Undefined when no process runs it any more, and only its record may still come. */
  readonly pid: number | undefined;
}

/** Never rejects, and stays pending when the agent ends before the run. */
export const watchExit = (work: VmWork, { vm, pid }: Watched): Promise<VmExit> => {
  const { files, clock, commands, life, lookEveryMs = LOOK_EVERY_MS } = work;
  const folder = recordDirOf(work, vm);
  let goneSinceMs: number | undefined;
  const look = async (): Promise<VmExit | undefined> => {
    if (pid === undefined || !commands.isAlive(pid)) goneSinceMs ??= clock.elapsed();
    const recorded = await readExit(files, folder);
    // The record is written just after the end: only some time without one tells that none will come.
    const isLost = goneSinceMs !== undefined && clock.elapsed() - goneSinceMs >= LOOK_EVERY_MS;
    return recorded ?? (isLost ? { atMs: clock.now() } : undefined);
  };
  const found = untilFound({ files, clock, folder, look, lookEveryMs, signal: life });
  return found.then((exit) => exit ?? new Promise<never>(() => undefined));
};
