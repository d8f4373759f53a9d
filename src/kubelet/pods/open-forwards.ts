/** The ways into a VM that its Pod asks for, for as long as it runs: its metrics, and its hostPorts. */
import { toFleetError } from '../../base/errors.ts';
import { PODS } from '../../kube/types/core.ts';
import { type Forwarder, hostPortsOf, metricsPortOf } from '../guest/forward/forwarder.ts';
import type { Attendance } from './attendance.ts';
import type { PodPorts } from './pod-ports.ts';

/** What cannot be bound is left, and an event says so: then nobody gets through, which is better than to another Pod's VM. */
export const openForwards = async (ports: PodPorts, attendance: Attendance): Promise<void> => {
  const { forwardMetrics, forwardPort, settings, vms } = ports;
  const { pod, run, memory, signal } = attendance;
  const { hostIp: host } = settings;
  if (host === undefined || signal.aborted) return;
  const upstream = (askSignal: AbortSignal): Promise<string> => vms.addressOf(run.vm, askSignal);
  const metrics = metricsPortOf(pod);
  if (forwardMetrics !== undefined && metrics !== undefined) {
    const opening = forwardMetrics({ host, port: metrics, upstream });
    const isOpen = await hold(ports, attendance, { what: `metrics at port ${metrics} are`, opening });
    if (isOpen) memory.servedIp = host;
  }
  for (const { port, targetPort } of hostPortsOf(pod)) {
    if (forwardPort === undefined) continue;
    const opening = forwardPort({ host, port, targetPort, upstream });
    await hold(ports, attendance, { what: `hostPort ${port} is`, opening });
  }
};

interface Way {
  /** `hostPort 8080 is` */
  readonly what: string;
  readonly opening: Promise<Forwarder>;
}

/** Closes it with the run. Whether it is open. */
const hold = async (
  { logger, events }: PodPorts,
  { run, pod, signal }: Attendance,
  { what, opening }: Way,
): Promise<boolean> => {
  try {
    const forwarder = await opening;
    const close = (): void => void forwarder.close();
    if (signal.aborted) close();
    else signal.addEventListener('abort', close, { once: true });
    return !signal.aborted;
  } catch (thrown) {
    const error = toFleetError(thrown);
    logger.warn('A port of a Pod is not passed on', { vm: run.vm, error });
    const message = `${what} not passed on: ${error.message}`;
    events.publish(PODS, pod, [{ type: 'Warning', reason: 'PortNotForwarded', message }]);
    return false;
  }
};
