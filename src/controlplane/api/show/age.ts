/** Durations as kubectl shows them: two units at most, coarser with age. */

const SECOND = 1;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

interface Step {
  /** Durations below this are shown so. */
  readonly belowSeconds: number;
  readonly unit: readonly [seconds: number, letter: string];
  readonly rest?: readonly [seconds: number, letter: string];
}

const STEPS: readonly Step[] = [
  { belowSeconds: 2 * MINUTE, unit: [SECOND, 's'] },
  { belowSeconds: 10 * MINUTE, unit: [MINUTE, 'm'], rest: [SECOND, 's'] },
  { belowSeconds: 3 * HOUR, unit: [MINUTE, 'm'] },
  { belowSeconds: 8 * HOUR, unit: [HOUR, 'h'], rest: [MINUTE, 'm'] },
  { belowSeconds: 2 * DAY, unit: [HOUR, 'h'] },
  { belowSeconds: 8 * DAY, unit: [DAY, 'd'], rest: [HOUR, 'h'] },
  { belowSeconds: 2 * YEAR, unit: [DAY, 'd'] },
  { belowSeconds: 8 * YEAR, unit: [YEAR, 'y'], rest: [DAY, 'd'] },
  { belowSeconds: Number.POSITIVE_INFINITY, unit: [YEAR, 'y'] },
];

export const renderAge = (ageMs: number): string => {
  const seconds = Math.floor(ageMs / 1_000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  for (const { belowSeconds, unit, rest } of STEPS) {
    if (seconds >= belowSeconds) continue;
    const [size, letter] = unit;
    const whole = `${Math.floor(seconds / size)}${letter}`;
    const left = rest === undefined ? 0 : Math.floor((seconds % size) / rest[0]);
    return left === 0 ? whole : `${whole}${left}${rest?.[1]}`;
  }
  return '<unknown>';
};
