/** The newest state of something, shown in place on a terminal, and below the last one elsewhere. */
import { stripVTControlCharacters } from 'node:util';
import type { CliIo } from './io.ts';

export const createRedraw = (
  io: Pick<CliIo, 'stdout' | 'isTerminal' | 'columns' | 'rows'>,
): ((text: string) => void) => {
  let drawnRows = 0;
  return (text) => {
    if (io.isTerminal !== true) {
      io.stdout(`${text}\n`);
      return;
    }
    const { shown, rows } = fit(text, io);
    io.stdout(`${drawnRows > 0 ? `\u001b[${drawnRows}A\u001b[J` : ''}${shown}\n`);
    drawnRows = rows;
  };
};

/** No higher than the terminal: what has left its screen cannot be drawn over. A line that is too wide takes several rows. */
const fit = (text: string, { columns = 0, rows: height = 0 }: Pick<CliIo, 'columns' | 'rows'>) => {
  const rowsOf = (line: string): number =>
    columns > 0 ? Math.max(1, Math.ceil(stripVTControlCharacters(line).length / columns)) : 1;
  const lines = text.split('\n');
  const rows = lines.reduce((sum, line) => sum + rowsOf(line), 0);
  // The cursor stands on a line of its own.
  const room = height > 1 ? height - 1 : Number.POSITIVE_INFINITY;
  if (rows <= room) return { shown: text, rows };
  const kept: string[] = [];
  let used = 1;
  for (const line of lines) {
    used += rowsOf(line);
    if (used > room) break;
    kept.push(line);
  }
  const more = `… ${lines.length - kept.length} more lines`;
  return { shown: [...kept, more].join('\n'), rows: kept.reduce((sum, line) => sum + rowsOf(line), 1) };
};
