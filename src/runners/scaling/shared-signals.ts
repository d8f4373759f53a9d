/** Signals of pools that share a fleet are asked for by each of them: a good answer serves for a while (§3.10-1). */
import type { Clock } from '../../base/clock.ts';
import type { Dispatcher, ScalingSignals } from '../../dispatch/port/dispatcher.ts';

const FRESH_MS = 4_000;

export type AskSignals = (pool: string, signal: AbortSignal) => Promise<ScalingSignals>;

/** Errors are nobody's to share. */
export const shareSignals = (dispatcher: Pick<Dispatcher, 'signals'>, clock: Clock): AskSignals => {
  const known = new Map<string, { readonly atMs: number; readonly signals: ScalingSignals }>();
  return async (pool, signal) => {
    const found = known.get(pool);
    if (found !== undefined && clock.elapsed() - found.atMs < FRESH_MS) return found.signals;
    known.delete(pool);
    const atMs = clock.elapsed();
    const signals = await dispatcher.signals(pool, signal);
    known.set(pool, { atMs, signals });
    return signals;
  };
};
