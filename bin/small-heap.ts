/**
 * Keeps the agent small: it shares its Mac with VMs, and mostly waits. Imported before everything else, because the engine looks at these
 * when it compiles; the collector is exposed so that what starting took can be given back.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock } from '../src/base/clock.ts';

for (const flag of ['--optimize-for-size', '--semi-space-growth-factor=1', '--expose-gc']) setFlagsFromString(flag);

/** What starting took, and later every burst of work, is given back. */
const COLLECT_AFTER_MS = 10_000;
const COLLECT_EVERY_MS = 300_000;

/** Until the returned function is called. */
export const startCollecting = (clock: Clock): (() => void) => {
  const gc: unknown = runInNewContext('gc');
  const collect = (): void => {
    if (typeof gc === 'function') gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    cancel = clock.schedule(COLLECT_EVERY_MS, collect);
  };
  let cancel = clock.schedule(COLLECT_AFTER_MS, collect);
  return () => cancel();
};
