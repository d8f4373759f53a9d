/** Results and the list of benchmarks as text. Pure. */
import type { Benchmark } from './benchmark.ts';
import { type FigureResult, renderGoal } from './judge.ts';

const HEADER = ['bench', 'figure', 'ours', 'peer', 'ratio', 'goal', 'met'] as const;

/** Columns that hold numbers line up at their right edge. */
const RIGHT: ReadonlySet<string> = new Set(['ours', 'peer', 'ratio']);

export const renderTable = (results: readonly FigureResult[]): string => {
  const rows = [[...HEADER], ...results.map(toCells)];
  const widths = HEADER.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const rule = widths.map((width) => '-'.repeat(width));
  return [rows[0] ?? [], rule, ...rows.slice(1)].map((row) => renderRow(row, widths)).join('');
};

const renderRow = (cells: readonly string[], widths: readonly number[]): string => {
  const padded = cells.map((cell, column) => {
    const width = widths[column] ?? 0;
    return RIGHT.has(HEADER[column] ?? '') ? cell.padStart(width) : cell.padEnd(width);
  });
  return `${padded.join('  ').trimEnd()}\n`;
};

const toCells = (result: FigureResult): string[] => [
  result.bench,
  result.figure,
  renderNumber(result.ours),
  renderNumber(result.peer),
  renderNumber(result.ratio),
  result.goal ?? '',
  renderMet(result),
];

const renderMet = ({ goal, met }: FigureResult): string => {
  if (goal === null) return '';
  if (met === null) return 'not measured';
  return met ? 'yes' : 'no';
};

/** Thousands are set apart by commas, whatever the machine's language. */
const renderNumber = (value: number | null): string => {
  if (value === null) return '-';
  const [whole = '', fraction] = String(value).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
};

/** One line of `--json`. */
export const renderJsonLine = (result: FigureResult): string => `${JSON.stringify(result)}\n`;

export const renderList = (benchmarks: readonly Benchmark[]): string => {
  const width = Math.max(...benchmarks.map(({ id }) => id.length));
  return benchmarks.map(({ id, about, figures }) => `${id.padEnd(width)}  ${about}${renderGoals(figures)}\n`).join('');
};

const renderGoals = (figures: Benchmark['figures']): string => {
  const goals = figures.flatMap(({ name, goal }) => (goal === undefined ? [] : [`${name}: ${renderGoal(goal)}`]));
  return goals.length === 0 ? '' : ` (${goals.join('; ')})`;
};
