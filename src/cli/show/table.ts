/**
 * A table that fits: columns as wide as their widest cell; where that is too wide, columns go in the order in which they
 * matter least, and at last cells are cut. Pure.
 */
import { type Look, PLAIN, type Tone } from './look.ts';

export interface Cell {
  readonly text: string;
  readonly tone?: Tone;
}

export interface Column<Row> {
  readonly header: string;
  readonly cell: (row: Row) => string | Cell;
  /** When it goes where there is no room: higher ones first. Absent: never. */
  readonly drop?: number;
  /** No narrower than this, so that a table that is drawn again does not jump. */
  readonly least?: number;
  /** Only with -o wide. */
  readonly only?: 'wide';
}

export interface TableOptions {
  readonly look?: Look;
  readonly shape?: 'table' | 'wide';
}

const GAP = '  ';

export const renderTable = <Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { look = PLAIN, shape = 'table' }: TableOptions = {},
): string => {
  const wanted = columns.filter(({ only }) => only === undefined || shape === 'wide');
  const kept = fitColumns(
    wanted.map((column) => measure(column, rows)),
    look.columns,
  );
  const lines = Array.from({ length: rows.length + 1 }, (_, line) => renderLine(kept, line, look));
  return lines.join('\n');
};

interface Measured {
  readonly cells: readonly Cell[];
  readonly width: number;
  readonly drop: number | undefined;
}

const measure = <Row>({ header, cell, drop, least = 0 }: Column<Row>, rows: readonly Row[]): Measured => {
  const cells: readonly Cell[] = [{ text: header, tone: 'dim' }, ...rows.map((row) => toCell(cell(row)))];
  return { cells, width: cells.reduce((most, { text }) => Math.max(most, text.length), least), drop };
};

const toCell = (cell: string | Cell): Cell => (typeof cell === 'string' ? { text: oneLine(cell) } : cell);

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

const totalOf = (columns: readonly Measured[]): number =>
  columns.reduce((sum, { width }) => sum + width, 0) + GAP.length * Math.max(0, columns.length - 1);

const LAST_LEAST = 16;

const fitColumns = (columns: readonly Measured[], most: number | undefined): readonly Measured[] => {
  if (most === undefined || totalOf(columns) <= most) return columns;
  const cut = cutLast(columns, most);
  if (totalOf(cut) <= most) return cut;
  const drops = columns.flatMap(({ drop }) => (drop === undefined ? [] : [drop]));
  if (drops.length === 0) return cut;
  const first = Math.max(...drops);
  return fitColumns(
    columns.filter(({ drop }) => drop !== first),
    most,
  );
};

/** The last column is prose as a rule, and bears being cut best. */
const cutLast = (columns: readonly Measured[], most: number): readonly Measured[] => {
  const last = columns.at(-1);
  if (last === undefined) return columns;
  const width = Math.max(Math.min(last.width, LAST_LEAST), last.width - (totalOf(columns) - most));
  return [...columns.slice(0, -1), { ...last, width }];
};

const renderLine = (columns: readonly Measured[], line: number, look: Look): string => {
  let room = look.columns ?? Number.POSITIVE_INFINITY;
  const parts: string[] = [];
  for (const [at, { cells, width }] of columns.entries()) {
    if (room <= 0) break;
    const { text, tone } = cells[line] ?? { text: '' };
    const shown = cutTo(text, Math.min(width, room));
    const isLast = at === columns.length - 1;
    const padding = isLast ? '' : ' '.repeat(Math.max(0, Math.min(width, room) - shown.length));
    parts.push(`${tone === undefined || shown === '' ? shown : look.paint(tone, shown)}${padding}`);
    room -= width + GAP.length;
  }
  return parts.join(GAP).trimEnd();
};

export const cutTo = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, Math.max(0, most - 1))}…`;
