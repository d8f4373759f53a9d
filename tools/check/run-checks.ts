/** Runs several checks side by side, all of them whatever the others say, and tells how each ended. */
import { neverAborted } from '../../src/base/abort.ts';
import type { Clock } from '../../src/base/clock.ts';
import { renderDuration } from '../../src/base/duration.ts';
import { messageOf } from '../../src/base/errors.ts';
import { createLimiter } from '../../src/base/limiter.ts';

export interface Check {
  readonly name: string;
  readonly command: readonly string[];
}

export interface CheckOutcome {
  readonly exitCode: number;
  readonly output: string;
}

export interface CheckDeps {
  readonly clock: Clock;
  /** How many may run at once. */
  readonly places: number;
  /** Rejects when the command cannot be started. */
  readonly run: (check: Check) => Promise<CheckOutcome>;
  readonly print: (text: string) => void;
}

/** Prints a line per check as it ends, then the output of those that failed. True when none did. */
export const runChecks = async (
  checks: readonly Check[],
  { clock, places, run, print }: CheckDeps,
): Promise<boolean> => {
  const limiter = createLimiter(places);
  const runOne = async (check: Check): Promise<string | undefined> => {
    const startMs = clock.elapsed();
    const { exitCode, output } = await run(check).catch((error: unknown) => ({
      exitCode: 1,
      output: messageOf(error),
    }));
    const took = renderDuration(clock.elapsed() - startMs);
    print(`${exitCode === 0 ? '✔' : '✖'} ${check.name} (${took})\n`);
    return exitCode === 0 ? undefined : `\n✖ ${check.name}: ${check.command.join(' ')}\n${output.trimEnd()}\n`;
  };
  const failures = await Promise.all(checks.map((check) => limiter.run(() => runOne(check), neverAborted())));
  for (const failure of failures) if (failure !== undefined) print(failure);
  return failures.every((failure) => failure === undefined);
};
