/**
 * Sees that a guest was started anew while its command ran: macOS does that after a panic, and `tart run` does not end with it. Nobody starts
 * the command a second time (it may have done half of its work), so its run is over.
 */
import { sleep } from '../../base/clock.ts';
import { toFleetError } from '../../base/errors.ts';
import type { Attendance } from './attendance.ts';
import { runsCommand } from './launch-command.ts';
import type { PodPorts } from './pod-ports.ts';

const LOOK_EVERY_MS = 60_000;
const TIMEOUT_MS = 10_000;
/** macOS draws another one at each start. */
const ASK_BOOT = ['/usr/sbin/sysctl', '-n', 'kern.bootsessionuuid'] as const;

/** Until the run ends. A guest that does not know is not asked again; one that does not answer says nothing. */
export const watchBoot = async (ports: PodPorts, attendance: Attendance, launched: Promise<void>): Promise<void> => {
  const { pod, run, memory, wake, signal } = attendance;
  if (!runsCommand(pod)) return;
  await launched;
  for (; ; await sleep(ports.clock, LOOK_EVERY_MS, signal)) {
    if (signal.aborted || memory.unwellBecause !== undefined) return;
    const boot = await askBoot(ports, attendance);
    if (boot === 'unknown') return;
    if (boot === 'silent' || (await ports.shares.firstBoot(run.vm, boot.id)) === boot.id) continue;
    // What it left before it went down counts.
    if (signal.aborted || (await ports.shares.readReport(run.vm)) !== undefined) return;
    memory.unwellBecause ??= 'the guest was started anew while its command ran, and the command ended with that';
    return wake();
  }
};

const askBoot = async (
  { vms, logger }: PodPorts,
  { run: { vm }, signal }: Attendance,
): Promise<{ readonly id: string } | 'silent' | 'unknown'> => {
  try {
    const { code, stdout } = await vms.exec({ vm, argv: ASK_BOOT, timeoutMs: TIMEOUT_MS, signal });
    const id = stdout.trim();
    return code === 0 && id !== '' ? { id } : 'unknown';
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    logger.debug('A guest does not say when it was started', { vm, error: toFleetError(thrown) });
    return 'silent';
  }
};
