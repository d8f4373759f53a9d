/** How `up` tells what happens: a table redrawn in place on a terminal, lines of what changed elsewhere, JSON where that was asked for. */
import type { CliIo } from '../io.ts';
import { createRedraw } from '../redraw.ts';
import type { FleetPicture } from './fleet-picture.ts';
import { findChanges, renderChange } from './picture-changes.ts';
import { renderPicture } from './render-picture.ts';

export interface Display {
  /** A sentence for the person. */
  say(text: string): void;
  /** The newest picture, and what stands below it on a terminal. */
  show(picture: FleetPicture, footer: string): void;
  /** Whether ages are shown, so that a picture changes by itself. */
  readonly isLive: boolean;
}

export const createDisplay = (io: CliIo, as: 'json' | 'text', startedMs: number): Display => {
  if (as === 'json') return createJsonDisplay(io, startedMs);
  return io.isTerminal === true ? createTable(io) : createLines(io, startedMs);
};

const createTable = (io: CliIo): Display => {
  const draw = createRedraw(io);
  let shown = '';
  return {
    isLive: true,
    say: (text) => {
      io.stdout(`${text}\n`);
      shown = '';
    },
    show: (picture, footer) => {
      const text = fitRows(renderPicture(picture, io.columns), footer, io.rows);
      if (text !== shown) draw(text);
      shown = text;
    },
  };
};

/** What is redrawn in place must not be higher than the terminal: the table goes before what stands below it. */
const fitRows = (table: string, footer: string, rows = Number.POSITIVE_INFINITY): string => {
  const lines = table.split('\n');
  const below = footer === '' ? [] : ['', ...footer.split('\n')];
  // The cursor stands on a line of its own.
  const room = rows - 1;
  if (lines.length + below.length <= room) return [...lines, ...below].join('\n');
  const left = Math.max(room - below.length, Math.min(room, TABLE_ROWS_MIN));
  const shown = lines.length <= left ? lines : [...lines.slice(0, left - 1), '…'];
  return [...shown, ...below].slice(0, room).join('\n');
};

/** So much of the table is shown even if nothing fits below it. */
const TABLE_ROWS_MIN = 12;

const createLines = (io: CliIo, startedMs: number): Display => {
  let last: FleetPicture | undefined;
  return {
    isLive: false,
    say: (text) => io.stdout(`${text}\n`),
    show: (picture) => {
      const after = `${((picture.atMs - startedMs) / 1_000).toFixed(1)}s`.padStart(7);
      for (const change of findChanges(last, picture)) io.stdout(`${after}  ${renderChange(change)}\n`);
      last = picture;
    },
  };
};

const createJsonDisplay = (io: CliIo, startedMs: number): Display => {
  let last: FleetPicture | undefined;
  const tell = (line: object): void => io.stdout(`${JSON.stringify(line)}\n`);
  return {
    isLive: false,
    say: (text) => tell({ kind: 'note', text }),
    show: (picture) => {
      const afterMs = Math.round(picture.atMs - startedMs);
      for (const { kind, name, fields } of findChanges(last, picture)) {
        const isGone = Object.keys(fields).length === 0;
        tell({ kind, name, afterMs, ...fields, ...(isGone && { gone: true }) });
      }
      last = picture;
    },
  };
};
