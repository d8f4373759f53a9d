/** Durations as people write them in flags and specs (`30s`, `1h30m`), converted once at the edge. */
import { assert, FleetError } from './errors.ts';

const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
]);

const PART = /^(\d+(?:\.\d+)?)(ms|d|h|m|s)/;

/** Milliseconds, or an `invalid` error that shows what a duration looks like. `0` needs no unit. */
export const parseDuration = (text: string): number => {
  const trimmed = text.trim();
  if (trimmed === '0') return 0;
  let rest = trimmed;
  let totalMs = 0;
  let smallestMs = Number.POSITIVE_INFINITY;
  while (rest !== '') {
    const [whole, amount, unit] = PART.exec(rest) ?? [];
    const unitMs = UNIT_MS.get(unit ?? '');
    if (whole === undefined || unitMs === undefined || unitMs >= smallestMs) throw notADuration(text);
    totalMs += Number(amount) * unitMs;
    smallestMs = unitMs;
    rest = rest.slice(whole.length);
  }
  if (trimmed === '' || !Number.isSafeInteger(Math.round(totalMs))) throw notADuration(text);
  return Math.round(totalMs);
};

/** A text that parses back to the same number; a negative one is a bug of the caller. */
export const renderDuration = (durationMs: number): string => {
  assert(durationMs >= 0, `a duration is never negative, got ${durationMs}`);
  let leftMs = Math.round(durationMs);
  if (leftMs === 0) return '0s';
  let text = '';
  for (const [unit, unitMs] of UNIT_MS) {
    const count = Math.floor(leftMs / unitMs);
    if (count > 0) text += `${count}${unit}`;
    leftMs -= count * unitMs;
  }
  return text;
};

const notADuration = (text: string): FleetError =>
  new FleetError('invalid', {
    code: 'BadDuration',
    message: `"${text}" is not a duration`,
    hint: 'Write a number and a unit, largest unit first: 30s, 5m, 1h30m, 250ms.',
  });
