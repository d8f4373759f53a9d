/**
 * The health of a VM as its probes tell it: startup first, then readiness and liveness side by side, each at its own pace
 * and with its own thresholds, as a kubelet does it. Without probes a VM with an address is well.
 */
import { withDeadline } from '../../../base/abort.ts';
import { sleep } from '../../../base/clock.ts';
import { toFleetError } from '../../../base/errors.ts';
import { PODS } from '../../../kube/types/core.ts';
import type { Probe } from '../../../kube/types/pod.ts';
import type { Attendance } from '../attendance.ts';
import type { PodPorts } from '../pod-ports.ts';
import { AGENT_PATIENCE_MS, askHandler } from './ask-handler.ts';

const DEFAULTS = {
  initialDelaySeconds: 0,
  timeoutSeconds: 1,
  periodSeconds: 10,
  successThreshold: 1,
  failureThreshold: 3,
};

type ProbeKind = 'Startup' | 'Readiness' | 'Liveness';

/** `nothing`: nobody could ask, which says nothing of the VM. A kubelet throws that away, too. */
type Answer = { readonly is: 'well' } | { readonly is: 'unwell' | 'nothing'; readonly why: string };

type Ask = (probe: Probe, timeoutMs: number) => Promise<Answer>;

interface Following {
  readonly ask: Ask;
  readonly kind: ProbeKind;
  readonly probe: Probe;
  /** Called when the verdict changes. The probing ends when it answers so. */
  readonly onVerdict: (isWell: 'well' | 'unwell', why: string) => 'go on' | 'end';
}

export const superviseHealth = async (ports: PodPorts, attendance: Attendance): Promise<void> => {
  const { pod, memory, wake, signal } = attendance;
  const [container] = pod.spec.containers;
  if (memory.unwellBecause !== undefined) return;
  const become = (change: Partial<Pick<typeof memory, 'isReady' | 'isStarted'>>): void => {
    Object.assign(memory, change);
    wake();
  };
  const giveUp = (kind: ProbeKind, { terminationGracePeriodSeconds: seconds }: Probe, why: string): 'end' => {
    memory.unwellBecause = `${kind} probe failed: ${why}`;
    if (seconds !== undefined) memory.unwellGraceSeconds = seconds;
    wake();
    return 'end';
  };
  const { startupProbe, readinessProbe, livenessProbe } = container ?? {};
  const ask = createAsk(ports, attendance);
  // One that was told as started is not asked for that again: what it answers now is another matter.
  if (startupProbe !== undefined && !memory.isStarted) {
    wake();
    await follow(ports, attendance, {
      ...{ ask, kind: 'Startup', probe: startupProbe },
      onVerdict: (isWell, why) => (isWell === 'well' ? 'end' : giveUp('Startup', startupProbe, why)),
    });
    if (memory.unwellBecause !== undefined || signal.aborted) return;
  }
  become(readinessProbe === undefined ? { isStarted: true, isReady: true } : { isStarted: true });
  await Promise.all([
    readinessProbe &&
      follow(ports, attendance, {
        ...{ ask, kind: 'Readiness', probe: readinessProbe },
        onVerdict: (isWell) => {
          become({ isReady: isWell === 'well' });
          return 'go on';
        },
      }),
    livenessProbe &&
      follow(ports, attendance, {
        ...{ ask, kind: 'Liveness', probe: livenessProbe },
        onVerdict: (isWell, why) => (isWell === 'well' ? 'go on' : giveUp('Liveness', livenessProbe, why)),
      }),
  ]);
};

/** Asks again and again; a verdict changes only after as many equal answers in a row as the probe says. */
const follow = async (
  { clock, events }: PodPorts,
  { pod, signal }: Attendance,
  { ask, kind, probe, onVerdict }: Following,
): Promise<void> => {
  const pace = { ...DEFAULTS, ...probe };
  const say = (message: string): void => events.publish(PODS, pod, [{ type: 'Warning', reason: 'Unhealthy', message }]);
  let verdict: 'well' | 'unwell' | undefined;
  let inARow = 0;
  let last: 'well' | 'unwell' | undefined;
  await sleep(clock, pace.initialDelaySeconds * 1_000, signal);
  for (; ; await sleep(clock, pace.periodSeconds * 1_000, signal)) {
    const answer = await ask(probe, pace.timeoutSeconds * 1_000);
    if (signal.aborted) return;
    if (answer.is === 'nothing') {
      say(`${kind} probe could not be asked: ${answer.why}`);
      continue;
    }
    inARow = answer.is === last ? inARow + 1 : 1;
    last = answer.is;
    const why = answer.is === 'well' ? '' : answer.why;
    if (answer.is === 'unwell') say(`${kind} probe failed: ${why}`);
    const needed = answer.is === 'well' ? pace.successThreshold : pace.failureThreshold;
    if (answer.is === verdict || inARow < needed) continue;
    verdict = answer.is;
    if (onVerdict(answer.is, why) === 'end') return;
  }
};

/** What is thrown because of the VM: nobody listens, or it takes too long. */
const OF_THE_VM = ['GuestUnreachable', 'DeadlineExceeded', 'TartHangs'];

/** For the probes of one run. That its agent is silent is its fault once it answered, or had all the time to come. */
const createAsk = (ports: PodPorts, { pod, run, memory, signal }: Attendance): Ask => {
  const { clock } = ports;
  const untilMs = clock.elapsed() + AGENT_PATIENCE_MS;
  let hasAgent = false;
  return async (probe, timeoutMs) => {
    const { podIp } = memory;
    try {
      const failure = await withDeadline({ clock, timeoutMs, signal, doing: 'the probe' }, (probeSignal) =>
        askHandler(ports, { pod, vm: run.vm, podIp, handler: probe, timeoutMs, signal: probeSignal }),
      );
      hasAgent ||= probe.exec !== undefined;
      return failure === undefined ? { is: 'well' } : { is: 'unwell', why: failure };
    } catch (thrown) {
      const { code, message, hint } = toFleetError(thrown);
      const isAgentDue = hasAgent || clock.elapsed() >= untilMs;
      const counts = OF_THE_VM.includes(code) || (code === 'GuestAgentSilent' && isAgentDue);
      return { is: counts ? 'unwell' : 'nothing', why: hint === undefined ? message : `${message}. ${hint}` };
    }
  };
};
