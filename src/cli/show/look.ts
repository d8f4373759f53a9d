/** What the place that text goes to can show: how wide it is, and whether it has colours. */
import type { CliIo } from '../io.ts';

export type Tone = 'good' | 'warn' | 'bad' | 'dim' | 'strong';

export interface Look {
  /** Absent: as wide as needed, as in a pipe or a file. */
  readonly columns?: number;
  readonly paint: (tone: Tone, text: string) => string;
}

const CODES: Readonly<Record<Tone, number>> = { good: 32, warn: 33, bad: 31, dim: 2, strong: 1 };

export const PLAIN: Look = { paint: (_, text) => text };

/** Colours for a person at a terminal that has them; NO_COLOR (no-color.org) is respected whatever its value. */
export const lookOf = ({ env, isTerminal, columns }: Pick<CliIo, 'env' | 'isTerminal' | 'columns'>): Look => {
  if (isTerminal !== true) return PLAIN;
  const isPlain = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb';
  const paint: Look['paint'] = isPlain ? PLAIN.paint : (tone, text) => `\u001b[${CODES[tone]}m${text}\u001b[0m`;
  return columns === undefined || columns <= 0 ? { paint } : { columns, paint };
};
