/** Where the last so many lines of a log begin: looked for from the end, so that a long log costs no more than a short one. */
import type { HostFiles } from '../../host/host-files.ts';
import type { Segment } from './log-segments.ts';

export interface LogPlace {
  readonly segment: Segment;
  readonly offset: number;
}

export interface TailFiles {
  readonly files: Pick<HostFiles, 'look' | 'readBytes'>;
  readonly pathOf: (segment: Segment) => string;
}

const BLOCK_BYTES = 65_536;
const NEWLINE = 0x0a;

/** The beginning of the log when it has no more lines than that; undefined for a log without files. */
export const findTail = async (
  source: TailFiles,
  segments: readonly Segment[],
  lines: number,
): Promise<LogPlace | undefined> => {
  // The newline before the first of them is one more.
  let wanted = lines + 1;
  for (const segment of segments.toReversed()) {
    const sizeBytes = (await source.files.look(source.pathOf(segment)))?.sizeBytes ?? 0;
    const found = await findNewline(source, { segment, sizeBytes, wanted });
    if ('offset' in found) return { segment, offset: found.offset };
    wanted -= found.seen;
  }
  const [first] = segments;
  return first === undefined ? undefined : { segment: first, offset: 0 };
};

interface Search {
  readonly segment: Segment;
  readonly sizeBytes: number;
  readonly wanted: number;
}

/** The place behind the newline that is so many from the end, or how many there are. */
const findNewline = async (
  { files, pathOf }: TailFiles,
  { segment, sizeBytes, wanted }: Search,
): Promise<{ readonly offset: number } | { readonly seen: number }> => {
  let seen = 0;
  for (let end = sizeBytes; end > 0; ) {
    const start = Math.max(0, end - BLOCK_BYTES);
    const read = await files.readBytes({ path: pathOf(segment), offset: start, length: end - start });
    const block = Buffer.from(read ?? []);
    for (let at = block.lastIndexOf(NEWLINE); at >= 0; at = at === 0 ? -1 : block.lastIndexOf(NEWLINE, at - 1)) {
      seen += 1;
      if (seen === wanted) return { offset: start + at + 1 };
    }
    end = start;
  }
  return { seen };
};
