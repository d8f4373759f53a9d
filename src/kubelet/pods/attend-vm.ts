/**
 * What goes on beside a VM that runs: its address is found, its command launched, its tokens are renewed, its probes asked.
 * Nothing of it is stored; after a restart of the agent it begins again.
 */
import { type LinkedController, linkedController } from '../../base/abort.ts';
import { sleep } from '../../base/clock.ts';
import { isKind, toFleetError } from '../../base/errors.ts';
import type { Attendance } from './attendance.ts';
import { BOOT_MS, launchCommand, NOT_LAUNCHED, runsCommand } from './launch-command.ts';
import { poolOf } from './make-vm.ts';
import { openForwards } from './open-forwards.ts';
import type { PodPorts } from './pod-ports.ts';
import { runPostStart } from './probes/post-start.ts';
import { superviseHealth } from './probes/supervise-health.ts';
import { firstDueMs, mintTokens, tokensOf } from './tokens.ts';
import { watchBoot } from './watch-boot.ts';

/** Goes on until the run ends or the returned function is called. */
export const attendVm = (ports: PodPorts, attendance: Attendance): (() => void) => {
  const life: LinkedController = linkedController(attendance.signal);
  const { run } = attendance;
  const within = { ...attendance, signal: life.signal };
  void run.exited.then(() => life.abort());
  const watch = async (doing: string, work: Promise<void>): Promise<void> => {
    await work.catch((thrown: unknown) => {
      const error = toFleetError(thrown);
      if (!life.signal.aborted) ports.logger.error('Attending to a VM failed', { vm: run.vm, doing, error });
    });
  };
  // One that was told as running was launched.
  if (runsCommand(attendance.pod) && attendance.memory.podIp === undefined) attendance.memory.launching = NOT_LAUNCHED;
  const launched = launchCommand(ports, within);
  const all = [
    watch('finding its address', findAddress(ports, within, launched)),
    watch('launching its command', launched),
    watch('seeing whether it is started anew', watchBoot(ports, within, launched)),
    watch('renewing its tokens', keepTokens(ports, within)),
    watch('waiting for its command', awaitReport(ports, within)),
  ];
  void Promise.all(all).then(() => life.release());
  return life.abort;
};

const ASK_AGAIN_MS = 1_000;

/** Then looks after its health, once its command was launched. */
const findAddress = async (ports: PodPorts, attendance: Attendance, launched: Promise<void>): Promise<void> => {
  const { pod, run, memory, made, wake, signal } = attendance;
  const { clock, metrics } = ports;
  const untilMs = clock.elapsed() + BOOT_MS;
  while (!signal.aborted) {
    const found = await askAddress(ports, attendance);
    if (found !== undefined) {
      memory.podIp = found;
      if (made !== undefined) metrics.booted(poolOf(pod), (clock.now() - run.startedAtMs) / 1_000);
      break;
    }
    if (clock.elapsed() >= untilMs && !(await doesGuestAnswer(ports, attendance))) return giveUp(attendance);
    await sleep(clock, ASK_AGAIN_MS, signal);
  }
  await openForwards(ports, attendance);
  if (memory.launching !== undefined) wake();
  await launched;
  if (memory.unwellBecause !== undefined) return;
  await runPostStart(ports, attendance);
  await superviseHealth(ports, attendance);
};

const askAddress = async ({ vms, logger }: PodPorts, { run, signal }: Attendance): Promise<string | undefined> => {
  try {
    return await vms.addressOf(run.vm, signal);
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    logger.debug('The VM has no address yet', { vm: run.vm, error: toFleetError(thrown) });
    return undefined;
  }
};

const ANSWER_MS = 10_000;

const doesGuestAnswer = async ({ vms }: PodPorts, { run, signal }: Attendance): Promise<boolean> => {
  const asked = vms.exec({ vm: run.vm, argv: ['/usr/bin/true'], timeoutMs: ANSWER_MS, signal });
  return asked.then(() => true).catch(() => signal.aborted);
};

const NO_ADDRESS_HINT =
  'Run a VM of the image by hand (tart run) and see whether it boots; if it does, look whether macOS has addresses left for VMs (/var/db/dhcpd_leases).';

const giveUp = ({ memory, wake }: Attendance): void => {
  const what = `the VM has no address after ${BOOT_MS / 60_000} minutes, and nobody in it answers`;
  memory.unwellBecause ??= `${what}. ${NO_ADDRESS_HINT}`;
  wake();
};

/** A guest that runs a command does not switch itself off: its report is its end. */
const awaitReport = async (
  { shares, logger }: PodPorts,
  { pod, run, memory, wake, signal }: Attendance,
): Promise<void> => {
  if (!runsCommand(pod)) return;
  let isTold = false;
  const onTrouble = (thrown: unknown): void => {
    if (!isTold) logger.warn('The report of a guest cannot be read', { vm: run.vm, error: toFleetError(thrown) });
    isTold = true;
  };
  const found = await shares.untilReported(run.vm, { onTrouble, signal });
  if (found === undefined || memory.run !== run) return;
  memory.isDone = true;
  wake();
};

const RENEW_FAILED_MS = 30_000;
/** Also where an API server gives none that lives longer. */
const RENEW_SOONEST_MS = 10_000;

/** Of a run that was found nobody knows how old its tokens are: they are renewed at once. */
const keepTokens = async (ports: PodPorts, { pod, run, made, signal }: Attendance): Promise<void> => {
  const { shares, clock, logger } = ports;
  if (tokensOf(pod).length === 0) return;
  let waitMs = made === undefined ? 0 : Math.max(0, made.tokensDueMs - clock.now());
  while (!signal.aborted) {
    await sleep(clock, waitMs, signal);
    try {
      const tokens = await mintTokens(pod, { ...ports, signal });
      await shares.renewTokens(run.vm, tokens);
      waitMs = Math.max(RENEW_SOONEST_MS, firstDueMs(tokens) - clock.now());
    } catch (thrown) {
      if (isKind(thrown, 'cancelled')) return;
      logger.warn('The tokens of a Pod could not be renewed', { vm: run.vm, error: toFleetError(thrown) });
      waitMs = RENEW_FAILED_MS;
    }
  }
};
