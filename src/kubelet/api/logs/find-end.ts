/** Where a segment of a log stands, by what is in it. */
import type { HostFiles } from '../../host/host-files.ts';
import { readEnd, type SegmentEnd } from './log-segments.ts';

const TAIL_BYTES = 65_536;

/** Undefined of one that does not tell how far it got, or is not there. */
export const findEnd = async (
  files: Pick<HostFiles, 'look' | 'readBytes'>,
  path: string,
): Promise<SegmentEnd | undefined> => {
  const sizeBytes = (await files.look(path))?.sizeBytes ?? 0;
  const offset = Math.max(0, sizeBytes - TAIL_BYTES);
  const tail = await files.readBytes({ path, offset, length: TAIL_BYTES });
  return tail === undefined ? undefined : readEnd(Buffer.from(tail));
};
