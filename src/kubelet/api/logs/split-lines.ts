/** Bytes of a growing file cut into lines for a log: whole ones, and pieces of those that are too long. Pure. */

export interface RawLine {
  readonly text: string;
  readonly isPiece: boolean;
  /** How many of the bytes are used up with it, its newline too. */
  readonly endsAt: number;
}

const NEWLINE = 0x0a;
const PIECE_BYTES_MAX = 16 * 1_024;

/** What comes after the last newline waits, unless there is no more to come (`all`) or it is long enough for a piece. */
export const splitLines = (bytes: Buffer, until: 'newline' | 'all'): readonly RawLine[] => {
  const lines: RawLine[] = [];
  let start = 0;
  while (start < bytes.length) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline < 0 ? bytes.length : newline;
    if (end - start > PIECE_BYTES_MAX) {
      const cut = backToCharacter(bytes, start + PIECE_BYTES_MAX);
      lines.push({ text: bytes.toString('utf8', start, cut), isPiece: true, endsAt: cut });
      start = cut;
      continue;
    }
    if (newline < 0 && until === 'newline') return lines;
    lines.push({ text: bytes.toString('utf8', start, end), isPiece: false, endsAt: newline < 0 ? end : newline + 1 });
    start = end + 1;
  }
  return lines;
};

/** A character of several bytes is not cut through. */
const backToCharacter = (bytes: Buffer, at: number): number => {
  let cut = at;
  while (cut > at - 4 && ((bytes[cut] ?? 0) & 0xc0) === 0x80) cut -= 1;
  return cut;
};
