/** The ways into a VM that its Pod asks for, for as long as it runs: its metrics, and its hostPorts. */
import { toFleetError } from '../../base/errors.ts';
import { type Forwarder, hostPortsOf, metricsPortOf } from '../guest/forward/forwarder.ts';
import type { Attendance } from './attendance.ts';
import type { PodPorts } from './pod-ports.ts';

/** What cannot be bound is left: then nobody gets through, which is better than to another Pod's VM. */
export const openForwards = async (ports: PodPorts, attendance: Attendance): Promise<void> => {
  const { forwardMetrics, forwardPort, settings, vms } = ports;
  const { pod, run, memory, signal } = attendance;
  const { hostIp: host } = settings;
  if (host === undefined || signal.aborted) return;
  const upstream = (askSignal: AbortSignal): Promise<string> => vms.addressOf(run.vm, askSignal);
  const metrics = metricsPortOf(pod);
  if (forwardMetrics !== undefined && metrics !== undefined) {
    const isOpen = await hold(ports, attendance, forwardMetrics({ host, port: metrics, upstream }));
    if (isOpen) memory.servedIp = host;
  }
  for (const { port, targetPort } of hostPortsOf(pod)) {
    if (forwardPort !== undefined) await hold(ports, attendance, forwardPort({ host, port, targetPort, upstream }));
  }
};

/** Closes it with the run. Whether it is open. */
const hold = async (
  { logger }: PodPorts,
  { run, signal }: Attendance,
  opening: Promise<Forwarder>,
): Promise<boolean> => {
  try {
    const forwarder = await opening;
    const close = (): void => void forwarder.close();
    if (signal.aborted) close();
    else signal.addEventListener('abort', close, { once: true });
    return !signal.aborted;
  } catch (thrown) {
    logger.warn('A port of a Pod is not passed on', { vm: run.vm, error: toFleetError(thrown) });
    return false;
  }
};
