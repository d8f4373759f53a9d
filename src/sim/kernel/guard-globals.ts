/**
 * Adapter that makes the platform's clocks, timers and randomness throw while a simulation runs. It costs about a
 * millisecond per run, so use it for some runs of a search rather than for all.
 *
 * Sound because Node's own code keeps private references from its start, so what gets here is called by our code or
 * by a library; a caller whose stack matches `allow` is let through. `new Date(ms)` only converts and stays. Not seen:
 * a reference that a module took before the run (`const now = Date.now`); timers taken so are found by the leak detector.
 */
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { FleetError } from '../../base/errors.ts';

export interface GuardOptions {
  /** Also told of every violation, since simulated code may catch the error. */
  readonly report: (error: FleetError) => void;
  /** Callers that may: matched against the stack. */
  readonly allow?: RegExp;
}

type Callable = (...args: readonly unknown[]) => unknown;

const isCallable = (value: unknown): value is Callable => typeof value === 'function';

/** Object, the name of its member, and what to call it in the message. */
const listGuarded = (): readonly (readonly [object, string, string])[] => [
  [Date, 'now', 'Date.now'],
  [Math, 'random', 'Math.random'],
  [performance, 'now', 'performance.now'],
  [process.hrtime, 'bigint', 'process.hrtime.bigint'],
  [process, 'hrtime', 'process.hrtime'],
  [globalThis, 'setTimeout', 'setTimeout'],
  [globalThis, 'setInterval', 'setInterval'],
  [globalThis, 'setImmediate', 'setImmediate'],
  [globalThis, 'fetch', 'fetch'],
  [AbortSignal, 'timeout', 'AbortSignal.timeout'],
  [globalThis.crypto, 'randomUUID', 'crypto.randomUUID'],
  [globalThis.crypto, 'getRandomValues', 'crypto.getRandomValues'],
  [crypto, 'randomUUID', 'crypto.randomUUID'],
  [crypto, 'randomBytes', 'crypto.randomBytes'],
  [crypto, 'randomInt', 'crypto.randomInt'],
  [crypto, 'randomFillSync', 'crypto.randomFillSync'],
];

/** Replaces them all; the returned function puts everything back and may be called twice. */
export const guardGlobals = (options: GuardOptions): (() => void) => {
  const check = (name: string): void => {
    const { stack = '' } = new Error(name);
    if (options.allow?.test(stack) === true) return;
    const error = leaked(name, stack);
    options.report(error);
    throw error;
  };
  const restorers = listGuarded().map(([holder, member, name]) =>
    replace(holder, member, (original) => {
      const guarded = (...args: readonly unknown[]): unknown => {
        check(name);
        return Reflect.apply(original, holder, args);
      };
      return Object.assign(guarded, original);
    }),
  );
  restorers.push(guardDate(check));
  syncBuiltinESMExports();
  return () => {
    for (const restore of restorers.splice(0)) restore();
    syncBuiltinESMExports();
  };
};

const replace = (holder: object, member: string, wrap: (original: Callable) => Callable): (() => void) => {
  const own = Object.getOwnPropertyDescriptor(holder, member);
  const original: unknown = Reflect.get(holder, member);
  if (!isCallable(original)) return () => undefined;
  Object.defineProperty(holder, member, {
    value: wrap(original),
    configurable: true,
    writable: true,
    enumerable: true,
  });
  return () => {
    if (own === undefined) Reflect.deleteProperty(holder, member);
    else Object.defineProperty(holder, member, own);
  };
};

/** Only a Date without arguments reads the clock. */
const guardDate = (check: (name: string) => void): (() => void) => {
  const own = Object.getOwnPropertyDescriptor(globalThis, 'Date');
  const value = new Proxy(Date, {
    construct: (target, args, newTarget) => {
      if (args.length === 0) check('new Date()');
      return Reflect.construct(target, args, newTarget);
    },
    apply: (target, self, args) => {
      check('Date()');
      return Reflect.apply(target, self, args);
    },
  });
  Object.defineProperty(globalThis, 'Date', { value, configurable: true, writable: true, enumerable: false });
  return () => {
    if (own !== undefined) Object.defineProperty(globalThis, 'Date', own);
  };
};

const leaked = (name: string, stack: string): FleetError =>
  new FleetError('bug', {
    code: 'SimulationLeak',
    message: `${name} was called inside the simulation`,
    hint: 'Use the injected clock, random or ids instead.',
    details: { name, stack },
  });
