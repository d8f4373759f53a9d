/** Waiting for what a control plane does by itself. */
import { setTimeout as sleep } from 'node:timers/promises';
import { FleetError } from '../../src/base/errors.ts';

const LOOK_EVERY_MS = 100;
const TIMEOUT_MS = 540_000;

/** Outside of what is measured: it looks now and then. */
export const until = async (what: string, isThere: () => Promise<boolean>): Promise<void> => {
  const endMs = performance.now() + TIMEOUT_MS;
  while (!(await isThere())) {
    if (performance.now() > endMs) throw tooLong(what);
    await sleep(LOOK_EVERY_MS);
  }
};

export interface Counter {
  /** Counts each name once. */
  add(name: string): void;
  /** Settles at the moment of the last one. */
  readonly reached: Promise<void>;
}

export const countTo = (count: number, what: string): Counter => {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const names = new Set<string>();
  const timer = setTimeout(() => reject(tooLong(`${what}: ${names.size} of ${count}`)), TIMEOUT_MS);
  const reached = promise.finally(() => clearTimeout(timer));
  return {
    reached,
    add: (name) => {
      names.add(name);
      if (names.size === count) resolve();
    },
  };
};

const tooLong = (what: string): FleetError =>
  new FleetError('unavailable', { code: 'BenchWaitTooLong', message: `waited ${TIMEOUT_MS} ms for ${what}` });
