/** A schedule as a table of steps that a person can follow. */
import type { SeedResult } from './run-seed.ts';

const renderTime = (ms: number): string => {
  const seconds = Math.floor(ms / 1_000);
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
};

export const renderSchedule = ({ seed, steps, violations }: SeedResult): string => {
  const lines = [
    ...steps.map(({ atMs, what }) => ({ atMs, what })),
    ...violations.map(({ atMs, property, message }) => ({ atMs, what: `${property} is broken: ${message}` })),
  ];
  const table = lines.map(({ atMs, what }, at) => `${String(at + 1).padStart(4)}  ${renderTime(atMs)}  ${what}`);
  return [`seed ${seed}`, 'step  time      what happens', ...table].join('\n');
};
