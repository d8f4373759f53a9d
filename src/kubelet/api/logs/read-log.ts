/** Reads the log of one run of a VM, from wherever it is asked for, and goes along with it while it is written. */
import type { HostFiles } from '../../host/host-files.ts';
import { findTail, type LogPlace } from './find-tail.ts';
import type { LogKeeper } from './log-keeper.ts';
import type { LogOptions } from './log-options.ts';
import { logFolderOf, parseSegments, renderSegment, type Segment } from './log-segments.ts';
import { createPicker, type PickOptions } from './pick-lines.ts';

export interface LogSource {
  readonly files: Pick<HostFiles, 'list' | 'look' | 'readBytes'>;
  readonly keeper: Pick<LogKeeper, 'isOpen' | 'subscribe'>;
  readonly logDirectory: string;
  readonly vm: string;
}

const READ_BYTES = 524_288;

/** The run that is meant; undefined when there is none. */
export const findRun = async (
  { files, logDirectory, vm }: LogSource,
  which: LogOptions['run'],
): Promise<number | undefined> => {
  const runs = [...new Set(parseSegments(await files.list(logFolderOf(logDirectory, vm))).map(({ run }) => run))];
  return which === 'current' ? runs.at(-1) : runs.at(-2);
};

export interface ReadRun {
  readonly run: number;
  readonly options: PickOptions & Pick<LogOptions, 'follow' | 'tailLines' | 'limitBytes'>;
  readonly signal: AbortSignal;
}

/** Chunks of text, until the end of the log: of what there is, or with `follow` of what there will be. */
export async function* readRun(source: LogSource, { run, options, signal }: ReadRun): AsyncGenerator<Uint8Array> {
  const news = createNews(source, signal);
  let leftBytes = options.limitBytes ?? Number.POSITIVE_INFINITY;
  try {
    for await (const bytes of readPicked(source, { run, options, signal }, news)) {
      if (bytes.length > 0) yield bytes.length <= leftBytes ? bytes : bytes.subarray(0, leftBytes);
      leftBytes -= bytes.length;
      if (leftBytes <= 0) return;
    }
  } finally {
    news.stop();
  }
}

async function* readPicked(
  source: LogSource,
  { run, options, signal }: ReadRun,
  news: News,
): AsyncGenerator<Uint8Array> {
  const pick = createPicker(options);
  let isInside = false;
  let place: LogPlace | undefined = await findStart(source, run, options.tailLines);
  while (!signal.aborted) {
    // Asked before the look: what is written in between is then found by one look more.
    const mayGrow = options.follow && source.keeper.isOpen(source.vm);
    const told = news.wait();
    place ??= await findStart(source, run, undefined);
    const read: Buffer = place === undefined ? Buffer.alloc(0) : await readAt(source, place);
    const picked = pick(read, isInside);
    if (place !== undefined && picked.used > 0) {
      isInside = picked.isInside;
      place = { segment: place.segment, offset: place.offset + picked.used };
      yield picked.bytes;
      continue;
    }
    const next: LogPlace | undefined = place === undefined ? undefined : await findNext(source, place.segment);
    if (next !== undefined) place = next;
    else if (mayGrow) await told;
    else return;
  }
}

const segmentsOf = async ({ files, logDirectory, vm }: LogSource, run: number): Promise<readonly Segment[]> =>
  parseSegments(await files.list(logFolderOf(logDirectory, vm))).filter((segment) => segment.run === run);

const pathOf = ({ logDirectory, vm }: LogSource, segment: Segment): string =>
  `${logFolderOf(logDirectory, vm)}/${renderSegment(segment)}`;

const findStart = async (
  source: LogSource,
  run: number,
  tailLines: number | undefined,
): Promise<LogPlace | undefined> => {
  const segments = await segmentsOf(source, run);
  const [first] = segments;
  if (first === undefined) return undefined;
  if (tailLines === undefined) return { segment: first, offset: 0 };
  return findTail({ files: source.files, pathOf: (segment) => pathOf(source, segment) }, segments, tailLines);
};

/** One that was deleted under the reader leaves a gap, as with any log that is rotated faster than read. */
const findNext = async (source: LogSource, { run, number }: Segment): Promise<LogPlace | undefined> => {
  const segment = (await segmentsOf(source, run)).find((candidate) => candidate.number > number);
  return segment === undefined ? undefined : { segment, offset: 0 };
};

const readAt = async (source: LogSource, { segment, offset }: LogPlace): Promise<Buffer> => {
  const read = await source.files.readBytes({ path: pathOf(source, segment), offset, length: READ_BYTES });
  return read === undefined ? Buffer.alloc(0) : Buffer.from(read.buffer, read.byteOffset, read.length);
};

interface News {
  /** Settles at the next news from now on, or when nobody wants any more. */
  wait(): Promise<void>;
  stop(): void;
}

const createNews = ({ keeper, vm }: LogSource, signal: AbortSignal): News => {
  let next = Promise.withResolvers<void>();
  const tell = (): void => {
    next.resolve();
    next = Promise.withResolvers<void>();
  };
  const unsubscribe = keeper.subscribe(vm, tell);
  signal.addEventListener('abort', tell, { once: true });
  return {
    wait: () => next.promise,
    stop: () => {
      unsubscribe();
      signal.removeEventListener('abort', tell);
      next.resolve();
    },
  };
};
