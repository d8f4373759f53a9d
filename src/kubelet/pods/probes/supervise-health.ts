/**
 * The health of a VM as its probes tell it: startup first, then readiness and liveness side by side, each at its own pace
 * and with its own thresholds, as a kubelet does it. Without probes a VM with an address is well.
 */
import { withDeadline } from '../../../base/abort.ts';
import { sleep } from '../../../base/clock.ts';
import { messageOf } from '../../../base/errors.ts';
import { PODS } from '../../../kube/types/core.ts';
import type { Probe } from '../../../kube/types/pod.ts';
import type { Attendance } from '../attendance.ts';
import type { PodPorts } from '../pod-ports.ts';
import { askHandler } from './ask-handler.ts';

const DEFAULTS = {
  initialDelaySeconds: 0,
  timeoutSeconds: 1,
  periodSeconds: 10,
  successThreshold: 1,
  failureThreshold: 3,
};

type ProbeKind = 'Startup' | 'Readiness' | 'Liveness';

interface Following {
  readonly kind: ProbeKind;
  readonly probe: Probe;
  /** Called when the verdict changes. The probing ends when it answers so. */
  readonly onVerdict: (isWell: 'well' | 'unwell', why: string) => 'go on' | 'end';
}

export const superviseHealth = async (ports: PodPorts, attendance: Attendance): Promise<void> => {
  const { pod, memory, wake } = attendance;
  const [container] = pod.spec.containers;
  if (memory.unwellBecause !== undefined) return;
  const become = (change: Partial<Pick<typeof memory, 'isReady' | 'isStarted'>>): void => {
    Object.assign(memory, change);
    wake();
  };
  const giveUp = (kind: ProbeKind, why: string): 'end' => {
    memory.unwellBecause = `${kind} probe failed: ${why}`;
    wake();
    return 'end';
  };
  const { startupProbe, readinessProbe, livenessProbe } = container ?? {};
  if (startupProbe !== undefined) {
    wake();
    await follow(ports, attendance, {
      ...{ kind: 'Startup', probe: startupProbe },
      onVerdict: (isWell, why) => (isWell === 'well' ? 'end' : giveUp('Startup', why)),
    });
    if (memory.unwellBecause !== undefined) return;
  }
  become(readinessProbe === undefined ? { isStarted: true, isReady: true } : { isStarted: true });
  await Promise.all([
    readinessProbe &&
      follow(ports, attendance, {
        ...{ kind: 'Readiness', probe: readinessProbe },
        onVerdict: (isWell) => {
          become({ isReady: isWell === 'well' });
          return 'go on';
        },
      }),
    livenessProbe &&
      follow(ports, attendance, {
        ...{ kind: 'Liveness', probe: livenessProbe },
        onVerdict: (isWell, why) => (isWell === 'well' ? 'go on' : giveUp('Liveness', why)),
      }),
  ]);
};

/** Asks again and again; a verdict changes only after as many equal answers in a row as the probe says. */
const follow = async (
  ports: PodPorts,
  attendance: Attendance,
  { kind, probe, onVerdict }: Following,
): Promise<void> => {
  const { clock, events } = ports;
  const { pod, signal } = attendance;
  const pace = { ...DEFAULTS, ...probe };
  let verdict: 'well' | 'unwell' | undefined;
  let inARow = 0;
  let last: 'well' | 'unwell' | undefined;
  await sleep(clock, pace.initialDelaySeconds * 1_000, signal);
  for (;;) {
    const failure = await ask(ports, attendance, { probe, timeoutMs: pace.timeoutSeconds * 1_000 });
    if (signal.aborted) return;
    const answer = failure === undefined ? 'well' : 'unwell';
    inARow = answer === last ? inARow + 1 : 1;
    last = answer;
    if (failure !== undefined) {
      const message = `${kind} probe failed: ${failure}`;
      events.publish(PODS, pod, [{ type: 'Warning', reason: 'Unhealthy', message }]);
    }
    const needed = answer === 'well' ? pace.successThreshold : pace.failureThreshold;
    if (answer !== verdict && inARow >= needed) {
      verdict = answer;
      if (onVerdict(answer, failure ?? '') === 'end') return;
    }
    await sleep(clock, pace.periodSeconds * 1_000, signal);
  }
};

/** Why it failed; undefined when it did not. */
const ask = (
  ports: PodPorts,
  { pod, run, memory, signal }: Attendance,
  { probe, timeoutMs }: { readonly probe: Probe; readonly timeoutMs: number },
): Promise<string | undefined> =>
  withDeadline({ clock: ports.clock, timeoutMs, signal, doing: 'the probe' }, (probeSignal) =>
    askHandler(ports, { pod, vm: run.vm, podIp: memory.podIp, handler: probe, timeoutMs, signal: probeSignal }),
  ).catch((thrown: unknown) => messageOf(thrown));
