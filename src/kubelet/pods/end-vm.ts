/** Ends a Pod's VM: first the guest is asked, then the VM is stopped, within the grace that the Pod has; then its disk goes. */
import { abortable } from '../../base/abort.ts';
import { isKind, toFleetError } from '../../base/errors.ts';
import type { VmRun } from '../vm/vm-port.ts';
import { type Grace, type GraceLimit, LAST_GRACE_MS } from './grace.ts';
import type { JournalEntry } from './journal-entry.ts';
import type { PodPorts } from './pod-ports.ts';

export interface StopRun {
  readonly vm: string;
  readonly run: VmRun | undefined;
  /** May get shorter meanwhile. */
  readonly grace: Grace;
  /** What the Pod wants done before; its failure changes nothing. */
  readonly preStop?: (signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
}

/** How long Tart itself has to switch a VM off, whatever grace the Pod had. */
const POWER_OFF_MS = 10_000;
const ASK_MS = 5_000;

const SHUT_DOWN = ['/usr/bin/sudo', '-n', '/sbin/shutdown', '-h', 'now'] as const;

/** Returns when no process of the VM is left and its end is known: before that whoever looks would stop it again. */
export const stopRun = async (ports: PodPorts, { vm, run, grace, preStop, signal }: StopRun): Promise<void> => {
  const { vms, logger } = ports;
  /** What does not succeed in its time is left. */
  const attempt = (
    limit: Omit<GraceLimit, 'signal'>,
    work: (limited: AbortSignal) => Promise<unknown>,
  ): Promise<unknown> =>
    grace.within({ ...limit, signal }, work).catch((thrown: unknown) => {
      const error = toFleetError(thrown);
      if (signal.aborted) throw error;
      logger.info('The guest did not end by itself', { vm, doing: limit.doing, error });
    });
  const timeoutMs = Math.min(ASK_MS, grace.leftMs());
  if (run !== undefined && timeoutMs > 0) {
    if (preStop !== undefined) await attempt({ doing: `the preStop hook of ${vm}` }, preStop);
    const doing = `letting the guest of ${vm} end by itself`;
    await attempt({ doing, atLeastMs: LAST_GRACE_MS }, async (limited) => {
      await vms.exec({ vm, argv: SHUT_DOWN, timeoutMs, signal: limited });
      await run.exited;
    });
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
