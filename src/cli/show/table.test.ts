import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lookOf } from './look.ts';
import { type Column, renderTable } from './table.ts';

interface Row {
  readonly name: string;
  readonly since: string;
  readonly why: string;
}

const COLUMNS: readonly Column<Row>[] = [
  { header: 'NAME', cell: ({ name }) => name },
  { header: 'SINCE', cell: ({ since }) => since, drop: 1 },
  { header: 'ONLY', cell: () => 'w', only: 'wide', drop: 2 },
  { header: 'FOR', cell: ({ why }) => why },
];
const ROWS: readonly Row[] = [
  { name: 'mac-1', since: '5m', why: 'a free Mac in the pool tuist-pool-' },
  { name: 'mac-22', since: '12s', why: 'two\nlines' },
];

describe('a table', () => {
  it('is as wide as its cells where nobody says how wide it may be', () => {
    assert.equal(
      renderTable(COLUMNS, ROWS),
      'NAME    SINCE  FOR\nmac-1   5m     a free Mac in the pool tuist-pool-\nmac-22  12s    two lines',
    );
  });
  it('has more columns when wide', () => {
    assert.match(renderTable(COLUMNS, ROWS, { shape: 'wide' }), /^NAME {4}SINCE {2}ONLY {2}FOR\n/);
  });
  const widths = [60, 40, 34, 24, 12, 5, 1];
  for (const columns of widths) {
    it(`fits ${columns} columns`, () => {
      const look = lookOf({ env: { TERM: 'dumb' }, isTerminal: true, columns });
      for (const line of renderTable(COLUMNS, ROWS, { look, shape: 'wide' }).split('\n')) {
        assert.ok(line.length <= columns, `${line.length}: ${line}`);
      }
    });
  }
  it('cuts prose before it drops a column, and drops what matters least first', () => {
    const look = (columns: number) => ({ columns, paint: (_: string, text: string) => text });
    assert.match(renderTable(COLUMNS, ROWS, { look: look(34) }), /^NAME {4}SINCE {2}FOR\n.*a free Mac in the …/);
    assert.match(renderTable(COLUMNS, ROWS, { look: look(26) }), /^NAME {4}FOR\nmac-1 {3}a free Mac in the…/);
  });
});

describe('colours', () => {
  const rows: readonly { story: string; io: Parameters<typeof lookOf>[0]; isPainted: boolean }[] = [
    { story: 'are for a terminal', io: { env: {}, isTerminal: true }, isPainted: true },
    { story: 'are not for a pipe', io: { env: {}, isTerminal: false }, isPainted: false },
    { story: 'are not for whoever says NO_COLOR', io: { env: { NO_COLOR: '1' }, isTerminal: true }, isPainted: false },
    { story: 'are for an empty NO_COLOR', io: { env: { NO_COLOR: '' }, isTerminal: true }, isPainted: true },
    { story: 'are not for a dumb terminal', io: { env: { TERM: 'dumb' }, isTerminal: true }, isPainted: false },
  ];
  for (const { story, io, isPainted } of rows) {
    it(story, () => assert.equal(lookOf(io).paint('bad', 'held') !== 'held', isPainted));
  }
  it('change no width: a pipe has none', () => {
    assert.equal(lookOf({ env: {}, isTerminal: false, columns: 40 }).columns, undefined);
  });
});
