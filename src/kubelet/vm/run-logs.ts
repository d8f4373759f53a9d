/** What `tart run` printed, one file per VM. A VM that is made anew goes on in the same file, so whoever reads says where its run began. */
import type { HostFiles } from '../host/host-files.ts';

export interface RunLogs {
  /** How long the log is now; nothing when there is none. */
  sizeOf(path: string): Promise<number>;
  /** The end of what was printed from that byte on; empty when there is nothing. */
  readEnd(path: string, fromByte: number): Promise<string>;
}

const END_BYTES = 8_192;

export const openRunLogs = (files: HostFiles): RunLogs => {
  const sizeOf = async (path: string): Promise<number> => (await files.look(path))?.sizeBytes ?? 0;
  return {
    sizeOf,
    readEnd: async (path, fromByte) => {
      const sizeBytes = await sizeOf(path);
      // A log that is shorter than it was is another one.
      const printedBytes = sizeBytes < fromByte ? sizeBytes : sizeBytes - fromByte;
      if (printedBytes === 0) return '';
      return (await files.readTail(path, { bytesMax: Math.min(END_BYTES, printedBytes) }))?.text ?? '';
    },
  };
};
