/** An entry of the record as a line for a person who looks on. Pure. */
import type { DispatchEntry } from './dispatch-record.ts';

export const renderEntry = ({ atMs, number: _, ...entry }: DispatchEntry): string =>
  `${new Date(atMs).toISOString().slice(11, 19)} ${describe(entry)}`;

const describe = (entry: Omit<DispatchEntry, 'atMs' | 'number'>): string => {
  const { event, ...facts } = entry;
  const shown = Object.entries(facts).filter(([name]) => name !== 'uid');
  return [event, ...shown.map(([name, value]) => `${name}=${String(value)}`)].join(' ');
};
