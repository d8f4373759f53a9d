/**
 * Keeps the agent small: it shares its Mac with VMs, and mostly waits. The engine is told only when starting is over: Node's own modules
 * lie in the program as compiled code, which is good for the flags it was made with, and is compiled anew under any others.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock } from '../src/base/clock.ts';

/** The collector is exposed so that what starting took can be given back. */
const FLAGS = ['--optimize-for-size', '--semi-space-growth-factor=1', '--expose-gc'];

/** What starting took, and later every burst of work, is given back. */
const COLLECT_AFTER_MS = 10_000;
const COLLECT_EVERY_MS = 300_000;

/** Until the returned function is called. */
export const keepHeapSmall = (clock: Clock): (() => void) => {
  const collect = (gc: unknown): void => {
    if (typeof gc === 'function') gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    cancel = clock.schedule(COLLECT_EVERY_MS, () => collect(gc));
  };
  const begin = (): void => {
    for (const flag of FLAGS) setFlagsFromString(flag);
    collect(runInNewContext('gc'));
  };
  let cancel = clock.schedule(COLLECT_AFTER_MS, begin);
  return () => cancel();
};
