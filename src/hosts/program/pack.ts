/**
 * A program made small enough to travel as part of a command. SSH promises to carry packets of 32 KiB and no more (RFC 4253,
 * 6.1), and a command is one packet; all steps together are longer than that.
 */
import { gzipSync } from 'node:zlib';

/** A program that does what the given one does, with the same words and standard input. */
export const packProgram = (program: string): string => {
  const packed = gzipSync(program, { level: 9 }).toString('base64');
  return `eval "$(printf %s '${packed}' | /usr/bin/base64 --decode | /usr/bin/gzip -dc)"`;
};
