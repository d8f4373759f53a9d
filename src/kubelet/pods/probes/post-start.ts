/** The hook after a start: asked once the VM has an address. One that fails ends the run, as on every Node. */
import { sleep } from '../../../base/clock.ts';
import { isKind, messageOf } from '../../../base/errors.ts';
import type { Attendance } from '../attendance.ts';
import type { PodPorts } from '../pod-ports.ts';
import { AGENT_PATIENCE_MS, askHandler } from './ask-handler.ts';

const HOOK_MS = 60_000;
const ASK_AGAIN_MS = 1_000;

/** A run that was told as started has had its hook. */
export const runPostStart = async (ports: PodPorts, attendance: Attendance): Promise<void> => {
  const { pod, run, memory, wake, signal } = attendance;
  const { clock } = ports;
  const handler = pod.spec.containers[0]?.lifecycle?.postStart;
  if (handler === undefined || memory.isStarted) return;
  const untilMs = clock.elapsed() + AGENT_PATIENCE_MS;
  while (!signal.aborted) {
    const ask = { pod, vm: run.vm, podIp: memory.podIp, handler, timeoutMs: HOOK_MS, signal };
    const failure = await askHandler(ports, ask).catch((thrown: unknown) => {
      if (isKind(thrown, 'unavailable') && clock.elapsed() < untilMs) return 'again' as const;
      return messageOf(thrown);
    });
    if (failure === undefined || signal.aborted) return;
    if (failure !== 'again') {
      memory.unwellBecause = `PostStartHook failed: ${failure}`;
      return wake();
    }
    await sleep(clock, ASK_AGAIN_MS, signal);
  }
};
