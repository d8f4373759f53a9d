/**
 * How full the disks of guests are, as a figure. It is the guest's own doing, so that it never says anything about the Node: a job that fills
 * its disk would take its Mac out of service (K24).
 */
import { type Clock, pause } from '../../base/clock.ts';
import { FleetError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { VmPort } from '../vm/vm-port.ts';

export interface GuestDiskGauge {
  set(labels: { readonly vm: string }, percent: number): void;
  /** Forgets all VMs. */
  reset(): void;
}

export interface GuestDisksOptions {
  readonly vms: Pick<VmPort, 'running' | 'exec'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly gauge: GuestDiskGauge;
  /** Whether a VM is one of our Pods. */
  readonly owns: (vm: string) => boolean;
}

const SWEEP_EVERY_MS = 60_000;
const TIMEOUT_MS = 15_000;

/** Until the signal is aborted. */
export const watchGuestDisks = async (options: GuestDisksOptions, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    await pause(options.clock, SWEEP_EVERY_MS, signal);
    if (!signal.aborted) await sweepGuestDisks(options, signal);
  }
};

/** Looks at each once; a guest that does not answer is left out. */
export const sweepGuestDisks = async (options: GuestDisksOptions, signal: AbortSignal): Promise<void> => {
  const { vms, gauge, logger, owns } = options;
  gauge.reset();
  const ask = async (vm: string): Promise<void> => {
    const argv = ['/bin/df', '-k', '/'] as const;
    const { stdout } = await vms.exec({ vm, argv, timeoutMs: TIMEOUT_MS, signal });
    gauge.set({ vm }, parseDiskPercent(stdout));
  };
  const running = await vms.running(signal).catch((error: unknown) => {
    logger.debug('Nobody can tell which VMs run', { error });
    return [];
  });
  const asking = running
    .filter(owns)
    .map((vm) =>
      ask(vm).catch((error: unknown) => logger.debug('A guest does not tell how full its disk is', { vm, error })),
    );
  await Promise.all(asking);
};

const PERCENT = /^(\d+)%$/;

/** Of what `df -k /` prints: the first share of the last line, which is that of blocks and not of files. */
export const parseDiskPercent = (text: string): number => {
  const [, ...lines] = text.trim().split('\n');
  const found = lines
    .at(-1)
    ?.split(/\s+/)
    .map((word) => PERCENT.exec(word)?.[1])
    .find((share) => share !== undefined);
  if (found !== undefined) return Number(found);
  throw new FleetError('contract', { code: 'StrangeDf', message: 'df in the guest printed what nobody understands' });
};
