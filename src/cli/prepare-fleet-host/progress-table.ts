/** What a person sees of many Macs at once: a table on a terminal, a line for each change elsewhere. */
import type { StepProgress } from '../../hosts/port.ts';
import type { CliIo } from '../io.ts';
import { createRedraw } from '../redraw.ts';

export interface ProgressTable {
  /** How far a host is; told only where it differs from what was told before. */
  show(host: string, row: HostRow): void;
}

const STATES = ['waiting', 'connecting', 'at work', 'prepared', 'failed'] as const;
/** So that columns do not jump. */
const STATE_WIDTH = Math.max(...STATES.map(({ length }) => length));

export interface HostRow {
  readonly state: (typeof STATES)[number];
  readonly steps: readonly StepProgress[];
}

export const createProgressTable = (hosts: readonly string[], io: CliIo): ProgressTable => {
  const rows = new Map<string, HostRow>(hosts.map((host) => [host, { state: 'waiting', steps: [] }]));
  const redraw = createRedraw(io);
  let shown = '';
  return {
    show: (host, row) => {
      const line = renderLine(host, row);
      const before = rows.get(host);
      rows.set(host, row);
      if (io.isTerminal !== true) {
        if (before === undefined || renderLine(host, before) !== line) io.stdout(`${line}\n`);
        return;
      }
      const table = renderTable(rows);
      if (table !== shown) redraw(table);
      shown = table;
    },
  };
};

const renderSteps = ({ steps }: HostRow): string =>
  steps
    .filter(({ state }) => state !== 'pending')
    .map(({ id, state }) => `${id} ${WORDS[state]}`)
    .join(', ');

const WORDS: Readonly<Record<StepProgress['state'], string>> = {
  pending: 'to do',
  running: '…',
  done: 'done',
  skipped: 'was done',
  failed: 'failed',
};

const renderLine = (host: string, row: HostRow): string => {
  const steps = renderSteps(row);
  return `${host}  ${row.state}${steps === '' ? '' : `: ${steps}`}`;
};

const HEADERS = ['HOST', 'STATE', 'STEPS'];

const renderTable = (rows: ReadonlyMap<string, HostRow>): string => {
  const cells = [
    HEADERS,
    ...Array.from(rows, ([host, row]) => [host, row.state.padEnd(STATE_WIDTH), renderSteps(row)]),
  ];
  const widths = HEADERS.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)));
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};
