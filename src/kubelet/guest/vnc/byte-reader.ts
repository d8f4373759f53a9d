/** Reads so many bytes, or a line, from chunks as they come; what was not read yet can be taken back. */
import { FleetError } from '../../../base/errors.ts';

export interface ByteReader {
  exactly(count: number): Promise<Buffer>;
  /** Without its end; one that is longer than `bytesMax` is an error. */
  line(bytesMax: number): Promise<string>;
  /** Everything that came and was not read. Nothing can be read afterwards. */
  rest(): Buffer;
}

const NEWLINE = 0x0a;

export const createByteReader = (chunks: AsyncIterator<Buffer>): ByteReader => {
  let held: Buffer = Buffer.alloc(0);
  const more = async (): Promise<void> => {
    const next = await chunks.next();
    if (next.done === true) {
      throw new FleetError('unavailable', {
        code: 'ConnectionEnded',
        message: 'the connection ended in the middle of a word',
      });
    }
    held = Buffer.concat([held, next.value]);
  };
  const take = (count: number): Buffer => {
    const taken = held.subarray(0, count);
    held = held.subarray(count);
    return taken;
  };
  return {
    exactly: async (count) => {
      while (held.length < count) await more();
      return take(count);
    },
    line: async (bytesMax) => {
      while (!held.includes(NEWLINE)) {
        if (held.length > bytesMax) break;
        await more();
      }
      const at = held.indexOf(NEWLINE);
      if (at >= 0 && at <= bytesMax)
        return take(at + 1)
          .subarray(0, -1)
          .toString('utf8');
      throw new FleetError('invalid', {
        code: 'LineTooLong',
        message: `a line of more than ${bytesMax} bytes was sent`,
      });
    },
    rest: () => take(held.length),
  };
};
