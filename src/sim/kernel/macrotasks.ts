/** Adapter to the event loop: runs steps one by one and lets every promise chain finish between two of them. */
import { setImmediate } from 'node:timers';

/** Steps per turn of the event loop: saves a system call per step and still lets signals and timeouts through. */
const STEPS_PER_TURN = 64;

/**
 * Calls `step` until it returns false; rejects with what it throws. Before each call the tick and microtask queues
 * are empty, however deep the chains: Node empties both after every single `setImmediate` callback.
 * `schedule` wraps the calls that create macrotasks.
 */
export const eachMacrotask = (step: () => boolean, schedule: (run: () => void) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    let isOver = false;
    const runStep = (): void => {
      if (isOver) return;
      try {
        isOver = !step();
        if (isOver) resolve();
      } catch (error) {
        isOver = true;
        reject(error);
      }
    };
    const refill = (): void => {
      if (isOver) return;
      for (let at = 0; at < STEPS_PER_TURN; at += 1) setImmediate(runStep);
      setImmediate(() => schedule(refill));
    };
    schedule(refill);
  });
