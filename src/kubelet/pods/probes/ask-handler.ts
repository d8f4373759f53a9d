/** Asks something inside a VM, as a probe or a hook says: a program through the guest agent, HTTP, or a connection. */
import { sleep } from '../../../base/clock.ts';
import type { LifecycleHandler, Pod, Probe } from '../../../kube/types/pod.ts';
import type { PodPorts } from '../pod-ports.ts';

/** How long a guest's agent may be in coming. */
export const AGENT_PATIENCE_MS = 300_000;

export interface AskHandler {
  readonly pod: Pod;
  readonly vm: string;
  readonly podIp: string | undefined;
  readonly handler: LifecycleHandler & Pick<Probe, 'grpc'>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Why it did not succeed; undefined when it did. Rejects when nobody answered. */
export const askHandler = async (
  ports: Pick<PodPorts, 'vms' | 'dial' | 'clock'>,
  ask: AskHandler,
): Promise<string | undefined> => {
  const { handler, signal, timeoutMs, vm } = ask;
  if (handler.sleep !== undefined) {
    await sleep(ports.clock, handler.sleep.seconds * 1_000, signal);
    return undefined;
  }
  if (handler.exec !== undefined) {
    const [program, ...words] = handler.exec.command ?? [];
    if (program === undefined) return 'it names no command';
    const { code, stdout, stderr } = await ports.vms.exec({ vm, argv: [program, ...words], timeoutMs, signal });
    return code === 0 ? undefined : `${program} ended with code ${code}: ${(stderr || stdout).trim().slice(-200)}`;
  }
  return askNetwork(ports.dial, ask);
};

const askNetwork = async (
  dial: PodPorts['dial'],
  { pod, podIp, handler, signal }: AskHandler,
): Promise<string | undefined> => {
  const { httpGet, tcpSocket, grpc } = handler;
  const host = httpGet?.host ?? tcpSocket?.host ?? podIp;
  if (host === undefined) return 'the VM has no address';
  if (grpc !== undefined) {
    const status = await dial.grpc({ host, port: grpc.port, service: grpc.service ?? '', signal });
    return status === 'SERVING' ? undefined : `gRPC ${status}`;
  }
  const port = portOf(pod, httpGet?.port ?? tcpSocket?.port);
  if (port === undefined) return `no port of the container is called ${httpGet?.port ?? tcpSocket?.port}`;
  if (httpGet === undefined) {
    await dial.tcp({ host, port, signal });
    return undefined;
  }
  const scheme = httpGet.scheme === 'HTTPS' ? 'https' : 'http';
  const headers = Object.fromEntries((httpGet.httpHeaders ?? []).map(({ name, value }) => [name, value]));
  const status = await dial.http({ scheme, host, port, path: httpGet.path ?? '/', headers, signal });
  return status >= 200 && status < 400 ? undefined : `HTTP ${status}`;
};

/** A number, a number as text, or the name of a port of the container. */
const portOf = ({ spec }: Pod, port: number | string | undefined): number | undefined => {
  if (typeof port === 'number') return port;
  const named = spec.containers[0]?.ports?.find(({ name }) => name === port)?.containerPort;
  return named ?? (port !== undefined && /^\d+$/.test(port) ? Number(port) : undefined);
};
