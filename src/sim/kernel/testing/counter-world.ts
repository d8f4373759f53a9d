/** A toy system for the kernel's own tests: a client adds five to a counter over a bad network and may be killed. */
import { neverAborted, withDeadline } from '../../../base/abort.ts';
import { sleep } from '../../../base/clock.ts';
import { isKind } from '../../../base/errors.ts';
import type { Actor } from '../actor.ts';
import { createKernel, type Kernel, type KernelOptions } from '../kernel.ts';
import type { RunResult } from '../run.ts';

export interface CounterWorld {
  readonly kernel: Kernel;
  /** The server's truth. */
  readonly server: { value: number; readonly seen: Set<string> };
  /** What the client keeps over a restart. */
  readonly disk: { done: number };
  run(): Promise<RunResult>;
}

/** `careful` names each addition, so that the server can tell a repetition; `naive` does not. */
export type ClientKind = 'careful' | 'naive';

export const GOAL = 5;

export const createCounterWorld = (client: ClientKind, options: KernelOptions): CounterWorld => {
  const kernel = createKernel(options);
  const server = { value: 0, seen: new Set<string>() };
  const disk = { done: 0 };
  const add = (id: string): void => {
    if (client === 'careful' && server.seen.has(id)) return;
    server.seen.add(id);
    server.value += 1;
  };
  kernel.boot('client', async (actor) => {
    while (disk.done < GOAL) {
      const id = `addition-${disk.done}`;
      if (await tryToAdd(actor, () => add(id))) disk.done += 1;
      else await sleep(actor.clock, 100 + actor.random.integer(400), neverAborted());
    }
  });
  const run = (): Promise<RunResult> => kernel.run({ maxEvents: 10_000, maxVirtualMs: 3_600_000 });
  return { kernel, server, disk, run };
};

const tryToAdd = async (actor: Actor, effect: () => void): Promise<boolean> => {
  const deadline = { clock: actor.clock, timeoutMs: 1_000, signal: neverAborted(), doing: 'adding' };
  try {
    await withDeadline(deadline, (signal) => actor.call({ site: 'counter:add', effect, signal }));
    return true;
  } catch (error) {
    if (isKind(error, 'unavailable')) return false;
    throw error;
  }
};

export const STORMY: NonNullable<KernelOptions['network']> = {
  default: {
    lateMs: 5_000,
    faults: { 'fail-before': 0.1, 'fail-after': 0.1, 'late-effect': 0.1, 'late-answer': 0.1, duplicate: 0.1 },
  },
};
