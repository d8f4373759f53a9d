/** What a reader gets of bytes of a log: the text of the lines that are wanted, with times where these are wanted. Pure. */
import { parseLine, renderTime } from './log-line.ts';
import type { LogOptions } from './log-options.ts';

const NEWLINE = 0x0a;

export type PickOptions = Pick<LogOptions, 'timestamps' | 'streams' | 'sinceMs'>;

export interface Picked {
  readonly bytes: Uint8Array;
  /** How many bytes of the log are done with; what comes after the last newline is not. */
  readonly used: number;
  /** Whether the last line goes on in the next piece, which then has no time of its own. */
  readonly isInside: boolean;
}

export const createPicker = (options: PickOptions): ((bytes: Buffer, isInside: boolean) => Picked) => {
  const since = options.sinceMs === undefined ? '' : renderTime(options.sinceMs);
  return (bytes, wasInside) => {
    const used = bytes.lastIndexOf(NEWLINE) + 1;
    // A line is never longer without its head than with it.
    const out = Buffer.allocUnsafe(used);
    let [filled, isInside] = [0, wasInside];
    for (let start = 0; start < used; ) {
      const end = bytes.indexOf(NEWLINE, start);
      const line = parseLine(bytes, start, end);
      if (line !== undefined && options.streams.includes(line.stream) && line.time >= since) {
        if (options.timestamps && !isInside) filled += out.write(`${line.time} `, filled, 'latin1');
        filled += bytes.copy(out, filled, line.textStart, line.isPiece ? line.textEnd : line.textEnd + 1);
        isInside = line.isPiece;
      }
      start = end + 1;
    }
    return { bytes: out.subarray(0, filled), used, isInside };
  };
};
