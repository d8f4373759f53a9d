/** How long ago, in the few letters that a table has room for: `45s`, `12m`, `3h`, `5d`. Pure. */
import { parseTimestamp } from '../../base/clock.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

export const renderSpan = (spanMs: number): string => {
  const ms = Math.max(0, spanMs);
  if (ms < 2 * MINUTE_MS) return `${Math.floor(ms / 1_000)}s`;
  if (ms < 2 * HOUR_MS) return `${Math.floor(ms / MINUTE_MS)}m`;
  if (ms < 2 * DAY_MS) return `${Math.floor(ms / HOUR_MS)}h`;
  return `${Math.floor(ms / DAY_MS)}d`;
};

/** Since then; `-` where nobody knows. */
export const renderSince = (timestamp: string | undefined, nowMs: number): string => {
  const atMs = parseTimestamp(timestamp);
  return atMs === undefined ? '-' : renderSpan(nowMs - atMs);
};
