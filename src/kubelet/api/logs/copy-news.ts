/** Copies what is new in the sources of a log to its end, once. Whole lines alone, unless nothing will come any more. */
import type { Clock } from '../../../base/clock.ts';
import type { HostFiles } from '../../host/host-files.ts';
import { findEnd } from './find-end.ts';
import { type LogStream, type ReadMarks, renderLine } from './log-line.ts';
import { parseSegments, renderSegment, type Segment } from './log-segments.ts';
import { splitLines } from './split-lines.ts';

/** A log that is written, and where it stands. */
export interface OpenLog {
  readonly folder: string;
  readonly sources: Readonly<Record<keyof ReadMarks, string>>;
  segment: Segment;
  marks: ReadMarks;
  /** Of the segment; undefined until somebody looked. */
  sizeBytes: number | undefined;
  /** What was to be added last may be there in part. */
  isCut: boolean;
}

const READ_BYTES = 262_144;
/** As kubelet's defaults: so much per file, and so many files. */
const SEGMENT_BYTES_MAX = 10 * 1_024 * 1_024;
const SEGMENTS_MAX = 5;

type CopyDeps = { readonly files: HostFiles; readonly clock: Pick<Clock, 'now'> };

/** Whether there was anything. What Tart printed is told in the end, of a guest that said nothing: it may say why. */
export const copyNews = async (deps: CopyDeps, log: OpenLog, until: 'newline' | 'all'): Promise<boolean> => {
  let hasNews = false;
  if (log.isCut) await findPlace(deps, log);
  while (await copySlice(deps, log, { source: 'guest', stream: 'stdout', until })) hasNews = true;
  if (until === 'newline' || log.marks.guest > 0) return hasNews;
  while (await copySlice(deps, log, { source: 'run', stream: 'stderr', until })) hasNews = true;
  return hasNews;
};

interface Slice {
  readonly source: keyof ReadMarks;
  readonly stream: LogStream;
  readonly until: 'newline' | 'all';
}

/** Whether there may be more. */
const copySlice = async (deps: CopyDeps, log: OpenLog, { source, stream, until }: Slice): Promise<boolean> => {
  const path = log.sources[source];
  const offset = await placeIn(deps, log, source);
  const read = await deps.files.readBytes({ path, offset, length: READ_BYTES });
  if (read === undefined || read.length === 0) return false;
  const isAll = read.length < READ_BYTES && until === 'all';
  const lines = splitLines(Buffer.from(read.buffer, read.byteOffset, read.length), isAll ? 'all' : 'newline');
  if (lines.length === 0) return false;
  const atMs = deps.clock.now();
  let { marks } = log;
  const texts = lines.map(({ text, isPiece, endsAt }) => {
    marks = { ...marks, [source]: offset + endsAt };
    return renderLine({ atMs, stream, isPiece, marks }, text);
  });
  await append(deps, log, texts.join(''));
  log.marks = marks;
  return true;
};

/** A file that became shorter was begun anew. */
const placeIn = async ({ files }: CopyDeps, log: OpenLog, source: keyof ReadMarks): Promise<number> => {
  const sizeBytes = (await files.look(log.sources[source]))?.sizeBytes ?? 0;
  if (sizeBytes < log.marks[source]) log.marks = { ...log.marks, [source]: 0 };
  return log.marks[source];
};

const append = async ({ files }: CopyDeps, log: OpenLog, text: string): Promise<void> => {
  log.sizeBytes ??= (await files.look(pathOf(log)))?.sizeBytes ?? 0;
  if (log.sizeBytes >= SEGMENT_BYTES_MAX) await rotate(files, log);
  log.isCut = true;
  await files.appendText(pathOf(log), text, { mode: 0o644 });
  log.isCut = false;
  log.sizeBytes += Buffer.byteLength(text);
};

/** After a disk that was full: on behind the last whole line, in another file if that is not the last. */
const findPlace = async ({ files }: CopyDeps, log: OpenLog): Promise<void> => {
  const sizeBytes = (await files.look(pathOf(log)))?.sizeBytes ?? 0;
  const end = await findEnd(files, pathOf(log));
  if (end !== undefined) log.marks = end.marks;
  log.sizeBytes = sizeBytes;
  if (sizeBytes > 0 && end?.isTorn !== false) await rotate(files, log);
  log.isCut = false;
};

const pathOf = ({ folder, segment }: OpenLog): string => `${folder}/${renderSegment(segment)}`;

const rotate = async (files: HostFiles, log: OpenLog): Promise<void> => {
  const { run, number } = log.segment;
  log.segment = { run, number: number + 1 };
  log.sizeBytes = 0;
  const ofRun = parseSegments(await files.list(log.folder)).filter((segment) => segment.run === run);
  for (const old of ofRun.slice(0, Math.max(0, ofRun.length - SEGMENTS_MAX + 1))) {
    await files.remove(`${log.folder}/${renderSegment(old)}`);
  }
};
