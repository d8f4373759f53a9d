/** Ends or suspends a VM: through Tart, and by force when that does not help. Only processes of exactly this VM are touched. */
import { sleep } from '../../base/clock.ts';
import { FleetError, isKind, toFleetError } from '../../base/errors.ts';
import type { StopVm } from './vm-port.ts';
import { observeVmProcesses, type VmWork } from './vm-work.ts';

/** Past the grace Tart kills by itself; so much later it hangs. */
const TART_HANGS_AFTER_MS = 30_000;
const LOOK_EVERY_MS = 50;
/** After SIGTERM, and again after SIGKILL. */
const FORCE_MS = 2_000;
const SUSPEND_MS = 60_000;

export const stopVm = async (work: VmWork, { vm, graceMs, signal }: StopVm): Promise<void> => {
  const pids = await pidsOf(work, vm, signal);
  if (pids.length === 0) return;
  const refusal = await askTart(work, { vm, graceMs, signal });
  if (await areGone(work, pids, { withinMs: refusal === undefined ? FORCE_MS : 0, signal })) return;
  for (const force of ['SIGTERM', 'SIGKILL'] as const) {
    for (const pid of await pidsOf(work, vm, signal)) work.commands.kill(pid, force);
    if (await areGone(work, pids, { withinMs: FORCE_MS, signal })) return;
  }
  throw new FleetError('unavailable', {
    code: 'VmDoesNotStop',
    message: `tart stop: the process of ${vm} outlives SIGKILL`,
    hint: 'Look at the Mac; a process that cannot be killed waits for a disk or the kernel.',
    cause: refusal,
  });
};

/** Tart only passes the wish on, and whether it came true shows in the process alone. */
export const suspendVm = async (work: VmWork, vm: string, signal: AbortSignal): Promise<void> => {
  const pids = await pidsOf(work, vm, signal);
  await work.cli.ask({ doing: 'tart suspend', words: ['suspend', vm], timeoutMs: SUSPEND_MS, signal });
  if (await areGone(work, pids, { withinMs: SUSPEND_MS, signal })) return;
  throw new FleetError('unavailable', {
    code: 'VmDoesNotSuspend',
    message: `tart suspend: ${vm} still runs after ${SUSPEND_MS} ms`,
    hint: 'Only a VM that was started as suspendable can be suspended.',
  });
};

const pidsOf = async (work: VmWork, vm: string, signal: AbortSignal): Promise<readonly number[]> =>
  (await observeVmProcesses(work, signal)).filter((process) => process.vm === vm).map(({ pid }) => pid);

/** What Tart had against it, if it did not do it. */
const askTart = async ({ cli }: VmWork, { vm, graceMs, signal }: StopVm): Promise<FleetError | undefined> => {
  try {
    await cli.ask({
      doing: 'tart stop',
      words: ['stop', vm, '--timeout', String(Math.ceil(graceMs / 1_000))],
      timeoutMs: graceMs + TART_HANGS_AFTER_MS,
      signal,
    });
    return undefined;
  } catch (thrown) {
    if (isKind(thrown, 'cancelled')) throw thrown;
    return toFleetError(thrown);
  }
};

interface Patience {
  readonly withinMs: number;
  readonly signal: AbortSignal;
}

const areGone = async (
  { clock, commands }: VmWork,
  pids: readonly number[],
  { withinMs, signal }: Patience,
): Promise<boolean> => {
  const untilMs = clock.elapsed() + withinMs;
  for (;;) {
    if (!pids.some((pid) => commands.isAlive(pid))) return true;
    if (clock.elapsed() >= untilMs) return false;
    await sleep(clock, LOOK_EVERY_MS, signal);
  }
};
