/**
 * Where the log of a VM lies: a folder of files `<run>-<number>.log`, written one after the other and never renamed, so that a
 * reader's place stays good while the log is rotated under it. A VM that is started again begins another run.
 */
import { type ParsedLine, parseLine, type ReadMarks } from './log-line.ts';

export interface Segment {
  readonly run: number;
  readonly number: number;
}

const NAME = /^(\d{4})-(\d{8})\.log$/;

export const renderSegment = ({ run, number }: Segment): string =>
  `${String(run).padStart(4, '0')}-${String(number).padStart(8, '0')}.log`;

/** In the order of their writing; what is no segment is left out. */
export const parseSegments = (names: readonly string[]): readonly Segment[] =>
  names
    .flatMap((name) => {
      const [, run, number] = NAME.exec(name) ?? [];
      return run === undefined || number === undefined ? [] : [{ run: Number(run), number: Number(number) }];
    })
    .toSorted((left, right) => left.run - right.run || left.number - right.number);

export const logFolderOf = (logDirectory: string, vm: string): string => `${logDirectory}/${vm}.d`;

export interface SegmentEnd {
  readonly marks: ReadMarks;
  /** The last line was not written to its end: nothing may be added to this file. */
  readonly isTorn: boolean;
}

/** How far the sources had been read when these last bytes of a segment were written; undefined when they do not tell. */
export const readEnd = (tail: Buffer): SegmentEnd | undefined => {
  const isTorn = tail.length > 0 && tail.at(-1) !== 0x0a;
  let end = tail.lastIndexOf(0x0a);
  while (end > 0) {
    const before = tail.lastIndexOf(0x0a, end - 1);
    const line: ParsedLine | undefined = parseLine(tail, before + 1, end);
    if (line?.marks !== undefined) return { marks: line.marks, isTorn };
    end = before;
  }
  return undefined;
};
