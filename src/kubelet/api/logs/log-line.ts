/**
 * One line of a container's log as it lies on the disk, in the form that log collectors of Kubernetes read:
 * `<time> <stream> <tags> <text>`. Behind the tag F (a whole line) or P (a piece of one) stand, as `F:12:34`, how far the sources
 * have been read with it: whoever writes on after a crash begins exactly there. Pure.
 */

export type LogStream = 'stdout' | 'stderr';

/** How far the guest's own log and what `tart run` printed have been read. */
export interface ReadMarks {
  readonly guest: number;
  readonly run: number;
}

export const NO_MARKS: ReadMarks = { guest: 0, run: 0 };

export interface LineHead {
  readonly atMs: number;
  readonly stream: LogStream;
  readonly isPiece: boolean;
  readonly marks: ReadMarks;
}

/** With its newline. */
export const renderLine = ({ atMs, stream, isPiece, marks }: LineHead, text: string): string =>
  `${renderTime(atMs)} ${stream} ${isPiece ? 'P' : 'F'}:${marks.guest}:${marks.run} ${text}\n`;

/** With nanoseconds, of which we know milliseconds: all times are equally long and sort as text. */
export const renderTime = (atMs: number): string => `${new Date(atMs).toISOString().slice(0, 23)}000000Z`;

export interface ParsedLine {
  /** As it stands there. */
  readonly time: string;
  readonly stream: LogStream;
  readonly isPiece: boolean;
  readonly marks: ReadMarks | undefined;
  /** Where the text begins and ends in the bytes, the newline left out. */
  readonly textStart: number;
  readonly textEnd: number;
}

const SPACE = 0x20;
const TAGS = /^([FP])(?::(\d+):(\d+))?/;

/** Of the bytes from `start` to the newline at `end`; undefined for what is no line of ours. */
export const parseLine = (bytes: Buffer, start: number, end: number): ParsedLine | undefined => {
  const afterTime = bytes.indexOf(SPACE, start);
  const afterStream = afterTime < 0 || afterTime >= end ? -1 : bytes.indexOf(SPACE, afterTime + 1);
  const afterTags = afterStream < 0 || afterStream >= end ? -1 : bytes.indexOf(SPACE, afterStream + 1);
  if (afterTags < 0 || afterTags >= end) return undefined;
  const stream = bytes.toString('latin1', afterTime + 1, afterStream);
  const tags = TAGS.exec(bytes.toString('latin1', afterStream + 1, afterTags));
  if (tags === null || (stream !== 'stdout' && stream !== 'stderr')) return undefined;
  const [, kind, guest, run] = tags;
  return {
    time: bytes.toString('latin1', start, afterTime),
    stream,
    isPiece: kind === 'P',
    marks: guest === undefined || run === undefined ? undefined : { guest: Number(guest), run: Number(run) },
    textStart: afterTags + 1,
    textEnd: end,
  };
};
