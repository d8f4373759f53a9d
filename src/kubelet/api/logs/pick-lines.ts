/** What a reader gets of bytes of a log: the text of the lines that are wanted, with times where these are wanted. Pure. */
import { parseLine, renderTime } from './log-line.ts';
import type { LogOptions } from './log-options.ts';

const NEWLINE = 0x0a;
const SPACE = 0x20;

export type PickOptions = Pick<LogOptions, 'timestamps' | 'streams' | 'sinceMs'>;

export interface Picked {
  readonly bytes: Uint8Array;
  /** How many bytes of the log are done with; what comes after the last newline is not. */
  readonly used: number;
  /** Whether the last line goes on in the next piece, which then has no time of its own. */
  readonly isInside: boolean;
}

/** What is picked takes the place of the bytes that it is picked from. */
export const createPicker = (options: PickOptions): ((bytes: Buffer, isInside: boolean) => Picked) => {
  const takesAll = !options.timestamps && options.sinceMs === undefined && options.streams.length > 1;
  const pickOne = createLinePicker(options);
  return (bytes, wasInside) => {
    const used = bytes.lastIndexOf(NEWLINE) + 1;
    // In place: a line is never longer without its head than with it, and what is picked stays behind what is read.
    const out: Output = { bytes, filled: 0, isInside: wasInside };
    for (let start = 0; start < used; ) {
      const end = bytes.indexOf(NEWLINE, start);
      const textStart = takesAll ? findText(bytes, start, end) : 0;
      if (textStart === 0) pickOne(bytes, { start, end }, out);
      else {
        bytes.copyWithin(out.filled, textStart, end + 1);
        out.filled += end + 1 - textStart;
        out.isInside = false;
      }
      start = end + 1;
    }
    return { bytes: out.bytes.subarray(0, out.filled), used, isInside: out.isInside };
  };
};

interface Output {
  readonly bytes: Buffer;
  filled: number;
  isInside: boolean;
}

interface Line {
  readonly start: number;
  /** Of its newline. */
  readonly end: number;
}

const createLinePicker = ({ timestamps, streams, sinceMs }: PickOptions) => {
  const since = sinceMs === undefined ? '' : renderTime(sinceMs);
  return (bytes: Buffer, { start, end }: Line, out: Output): void => {
    const line = parseLine(bytes, start, end);
    if (line === undefined || !streams.includes(line.stream) || line.time < since) return;
    if (timestamps && !out.isInside) out.filled += out.bytes.write(`${line.time} `, out.filled, 'latin1');
    out.filled += bytes.copy(out.bytes, out.filled, line.textStart, line.isPiece ? line.textEnd : line.textEnd + 1);
    out.isInside = line.isPiece;
  };
};

/** `2026-11-16T09:42:21.000000000Z stdout F` */
const TIME_LENGTH = 30;
const AFTER_STREAM = TIME_LENGTH + 7;
const TAG = AFTER_STREAM + 1;
const WHOLE = 0x46;

/** Where the text of a whole line begins, by the places where everything is in lines of ours; 0 when it is none of those. */
const findText = (bytes: Buffer, start: number, end: number): number => {
  const isOurs =
    bytes[start + TIME_LENGTH] === SPACE && bytes[start + AFTER_STREAM] === SPACE && bytes[start + TAG] === WHOLE;
  if (!isOurs) return 0;
  // A few digits: asking for the next space takes longer than looking.
  let at = start + TAG + 1;
  while (at < end && bytes[at] !== SPACE) at += 1;
  return at >= end ? 0 : at + 1;
};
