/** The power of one Mac: what runs on it runs from power-on to power-off, one change after the other. */
import { type Clock, pause } from '../../../base/clock.ts';
import type { Sandbox } from './sandbox.ts';

const BOOT_MS = 20_000;

export interface PowerDeps {
  readonly clock: Clock;
  readonly startSandbox: () => Promise<Sandbox>;
  /** What the Mac does as soon as programs can run on it, and before they no longer do. */
  readonly boot: () => void;
  readonly shutDown: () => void;
}

export interface Power {
  /** Undefined while it is off. */
  sandbox(): Sandbox | undefined;
  /** Nothing happens when it is on, or for ever off. */
  on(): Promise<void>;
  off(): Promise<void>;
  /** Off, and on again after the time that a boot takes. */
  reboot(): Promise<void>;
  /** Off, and never on again. */
  offForEver(): Promise<void>;
  /** Called when the power goes, until the returned function is called. */
  onOff(listener: () => void): () => void;
}

export const createPower = ({ clock, startSandbox, boot, shutDown }: PowerDeps): Power => {
  const listeners = new Set<() => void>();
  const scrapped = new AbortController();
  let sandbox: Sandbox | undefined;
  let last: Promise<void> = Promise.resolve();
  const inTurn = (change: () => Promise<void>): Promise<void> => {
    const done = last.then(change);
    last = done.catch(() => undefined);
    return done;
  };
  const goOn = async (): Promise<void> => {
    if (sandbox !== undefined || scrapped.signal.aborted) return;
    sandbox = await startSandbox();
    boot();
  };
  const goOff = async (): Promise<void> => {
    const running = sandbox;
    sandbox = undefined;
    if (running === undefined) return;
    for (const listener of listeners) listener();
    shutDown();
    await running.stop();
  };
  return {
    sandbox: () => sandbox,
    on: () => inTurn(goOn),
    off: () => inTurn(goOff),
    reboot: () =>
      inTurn(async () => {
        await goOff();
        // Who scraps a Mac does not wait for its boot.
        await pause(clock, BOOT_MS, scrapped.signal);
        await goOn();
      }),
    offForEver: () => {
      scrapped.abort();
      return inTurn(goOff);
    },
    onOff: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
};
