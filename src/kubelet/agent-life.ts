/** How long the agent lives: until somebody wants it to stop, and until it has said what has to be said before. */
import { neverAborted, withDeadline } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { toFleetError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';

export interface AgentLife {
  /** Aborted at its end. */
  readonly signal: AbortSignal;
  /** Has this done between the wish and the end; what it throws, or does not get done in time, is left. */
  beforeEnd(farewell: (signal: AbortSignal) => Promise<void>): void;
}

export interface AgentLifeOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Aborted by the wish that it stops. */
  readonly stop: AbortSignal;
}

/** launchd kills after twenty seconds. */
const FAREWELL_MS = 15_000;

export const createAgentLife = ({ clock, logger, stop }: AgentLifeOptions): AgentLife => {
  const life = new AbortController();
  let farewell = async (_signal: AbortSignal): Promise<void> => undefined;
  const end = async (): Promise<void> => {
    const limit = { clock, timeoutMs: FAREWELL_MS, signal: neverAborted(), doing: 'saying that the Mac shuts down' };
    await withDeadline(limit, (signal) => farewell(signal)).catch((thrown: unknown) =>
      logger.warn('Not everything was told before the end', { error: toFleetError(thrown) }),
    );
    life.abort(stop.reason);
  };
  if (stop.aborted) life.abort(stop.reason);
  else stop.addEventListener('abort', () => void end(), { once: true });
  return {
    signal: life.signal,
    beforeEnd: (given) => {
      farewell = given;
    },
  };
};
