/** What `tart pull` prints while it works. Pure. */

export interface PullNews {
  readonly percent?: number;
  readonly compressedBytes?: number;
}

/** What a terminal would obey. */
const TERMINAL = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*[A-Za-z]|\\r`, 'g');
const GB = 1_000_000_000;

export const parsePullLine = (line: string): PullNews => {
  const text = line.replace(TERMINAL, '').trim();
  const percent = /^(\d{1,3})%$/.exec(text)?.[1];
  if (percent !== undefined) return { percent: Math.min(Number(percent), 100) };
  const compressed = /^pulling disk \(([\d.]+) GB compressed\)/.exec(text)?.[1];
  return compressed === undefined ? {} : { compressedBytes: Math.round(Number(compressed) * GB) };
};
