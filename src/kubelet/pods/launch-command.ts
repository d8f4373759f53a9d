/**
 * Has the guest start what its Pod's container says, through the guest agent, which may be a while in coming. Until then nothing
 * of the Pod runs, however well its VM is, and the Pod does not say otherwise.
 */
import { sleep } from '../../base/clock.ts';
import { FleetError, toFleetError } from '../../base/errors.ts';
import { PODS } from '../../kube/types/core.ts';
import type { Pod } from '../../kube/types/pod.ts';
import { hasCommand, LAUNCHER } from '../guest/guest-command.ts';
import type { Attendance } from './attendance.ts';
import type { PodPorts } from './pod-ports.ts';
import { AGENT_PATIENCE_MS } from './probes/ask-handler.ts';
import type { Waiting } from './render-status.ts';

/** Far beyond any boot that was only slow: a VM was once destroyed again and again after eight minutes. */
export const BOOT_MS = 900_000;

const TIMEOUT_MS = 15_000;
/** It comes at most a tenth later than the guest is there for it. */
const WAIT_SHARE = 0.1;
const WAIT_MIN_MS = 1_000;
const WAIT_MAX_MS = 30_000;

export const runsCommand = ({ spec: { containers } }: Pod): boolean =>
  containers[0] !== undefined && hasCommand(containers[0]);

/** What is said of a run whose command is about to be launched. */
export const NOT_LAUNCHED: Waiting = {
  reason: 'ContainerCreating',
  message: 'the VM has an address; its guest has not been reached yet to launch the command',
};

/**
 * Settles when the command was launched, now or by an earlier life, or when it was given up (`unwellBecause`). What is wrong with
 * the Mac's own Tart is told and waited out: it says nothing of the VM.
 */
export const launchCommand = async (ports: PodPorts, attendance: Attendance): Promise<void> => {
  const { pod, run, memory, wake, signal } = attendance;
  const { clock, logger } = ports;
  if (!runsCommand(pod)) return;
  const sinceMs = clock.elapsed();
  let said = '';
  while (!signal.aborted) {
    const failure = await tryLaunch(ports, attendance);
    if (signal.aborted) return;
    if (failure === undefined) {
      delete memory.launching;
      return;
    }
    const why = failure.hint === undefined ? failure.message : `${failure.message}. ${failure.hint}`;
    const waitedMs = clock.elapsed() - sinceMs;
    if (waitedMs >= BOOT_MS && isOfTheGuest(failure, memory.podIp)) {
      memory.unwellBecause ??= `its command could not be launched in ${BOOT_MS / 60_000} minutes: ${why}`;
      return wake();
    }
    if (why !== said) logger.info('The command of a Pod could not be launched yet', { vm: run.vm, error: failure });
    said = why;
    if (waitedMs >= AGENT_PATIENCE_MS) tellWhy(ports, attendance, `its command could not be launched: ${why}`);
    await sleep(clock, Math.min(WAIT_MAX_MS, Math.max(WAIT_MIN_MS, waitedMs * WAIT_SHARE)), signal);
  }
};

/** Once per reason. */
const tellWhy = ({ events }: PodPorts, { pod, memory, wake }: Attendance, message: string): void => {
  if (memory.launching?.message === message) return;
  const reason = 'CommandNotLaunched';
  memory.launching = { reason, message, podReason: reason };
  events.publish(PODS, pod, [{ type: 'Warning', reason, message }]);
  wake();
};

/** Why it was not launched. The share tells of a launch whose answer was lost, or that an earlier life saw. */
const tryLaunch = async (
  { vms, shares }: PodPorts,
  { run: { vm }, signal }: Attendance,
): Promise<FleetError | undefined> => {
  try {
    if (await shares.isLaunched(vm)) return undefined;
    const argv = ['/bin/bash', '-c', LAUNCHER] as const;
    const { code, stderr } = await vms.exec({ vm, argv, timeoutMs: TIMEOUT_MS, signal });
    return code === 0 ? undefined : noShare(code, stderr);
  } catch (thrown) {
    return toFleetError(thrown);
  }
};

const noShare = (code: number, stderr: string): FleetError =>
  new FleetError('unavailable', {
    code: 'LauncherFailed',
    message: `the guest ended the launcher with code ${code}: ${stderr.trim().slice(-200)}`,
    hint: 'Check that the image mounts its shares under /Volumes/My Shared Files.',
  });

const OF_THE_GUEST = ['GuestAgentSilent', 'DeadlineExceeded', 'TartHangs', 'LauncherFailed'];

/** A guest that is silent because it has not come up is judged by its address. */
const isOfTheGuest = ({ code }: FleetError, podIp: string | undefined): boolean =>
  OF_THE_GUEST.includes(code) && podIp !== undefined;
