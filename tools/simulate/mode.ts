/** What the modes of the tool share. */
import type { SimulateFlags } from './flags.ts';

export interface ModeContext {
  readonly flags: SimulateFlags;
  readonly print: (text: string) => void;
  /** What was found, for a person: on standard error where standard output is one line of JSON. */
  readonly tell: (text: string) => void;
  readonly signal: AbortSignal;
  /** Processors that may be used. */
  readonly cores: number;
  /** Milliseconds of real time, for rates. */
  readonly elapsedMs: () => number;
}

/** Runs one mode to its end. True: every promise was kept, or, for mutants, none survived. */
export type Mode = (context: ModeContext) => Promise<boolean>;

/** Columns as wide as their widest cell. */
export const renderTable = (rows: readonly (readonly string[])[]): string => {
  const widths = rows.reduce<readonly number[]>(
    (known, row) => row.map((cell, at) => Math.max(known[at] ?? 0, cell.length)),
    [],
  );
  const renderRow = (row: readonly string[]): string =>
    row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0))).join('  ');
  return rows.map(renderRow).join('\n');
};
