/** Ends a Pod's VM: first the guest is asked, then the VM is stopped, within the grace that the Pod has; then its disk goes. */
import { abortable, withDeadline } from '../../base/abort.ts';
import { isKind, toFleetError } from '../../base/errors.ts';
import type { VmRun } from '../vm/vm-port.ts';
import type { JournalEntry } from './journal-entry.ts';
import type { PodPorts } from './pod-ports.ts';

export interface StopRun {
  readonly vm: string;
  readonly run: VmRun | undefined;
  readonly graceMs: number;
  /** What the Pod wants done before; its failure changes nothing. */
  readonly preStop?: (signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
}

/** How long Tart itself has to switch a VM off, whatever grace the Pod had. */
const POWER_OFF_MS = 10_000;
const ASK_MS = 5_000;
/** However long the hook took, the guest has this long to shut down; kubelet's figure. */
const LAST_GRACE_MS = 2_000;

const SHUT_DOWN = ['/usr/bin/sudo', '-n', '/sbin/shutdown', '-h', 'now'] as const;

/** Returns when no process of the VM is left and its end is known: before that whoever looks would stop it again. */
export const stopRun = async (ports: PodPorts, { vm, run, graceMs, preStop, signal }: StopRun): Promise<void> => {
  const { vms, clock, logger } = ports;
  const untilMs = clock.elapsed() + graceMs;
  /** What does not succeed in its time is left. */
  const attempt = (
    doing: string,
    timeoutMs: number,
    work: (limit: AbortSignal) => Promise<unknown>,
  ): Promise<unknown> =>
    withDeadline({ clock, timeoutMs, signal, doing }, work).catch((thrown: unknown) => {
      const error = toFleetError(thrown);
      if (signal.aborted) throw error;
      logger.info('The guest did not end by itself', { vm, doing, error });
    });
  if (run !== undefined && graceMs > 0) {
    if (preStop !== undefined) await attempt(`the preStop hook of ${vm}`, graceMs, preStop);
    await attempt(
      `letting the guest of ${vm} end by itself`,
      Math.max(LAST_GRACE_MS, untilMs - clock.elapsed()),
      async (limit) => {
        await vms.exec({ vm, argv: SHUT_DOWN, timeoutMs: Math.min(ASK_MS, graceMs), signal: limit });
        await run.exited;
      },
    );
  }
  await vms.stop({ vm, graceMs: POWER_OFF_MS, signal });
  if (run !== undefined) await abortable(run.exited, signal);
};

/** Nothing of the VM is left when this resolves, and the journal says so. */
export const removeVm = async (ports: PodPorts, entry: JournalEntry, signal: AbortSignal): Promise<void> => {
  const { vms, shares, journal } = ports;
  const { vm, uid } = entry;
  await vms.remove(vm, signal).catch(async (thrown: unknown) => {
    if (!isKind(thrown, 'conflict')) throw thrown;
    await vms.stop({ vm, graceMs: POWER_OFF_MS, signal });
    await vms.remove(vm, signal);
  });
  await shares.remove(vm);
  if (entry.outcome === undefined) await journal.drop(uid);
  else await journal.put({ ...entry, stage: 'cleared' });
};
