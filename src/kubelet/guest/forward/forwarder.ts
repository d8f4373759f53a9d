/**
 * Ways into a VM from other machines, as a port. A VM is behind the Mac's own network; the Mac passes on what asks for a
 * Pod's metrics, from addresses that may ask.
 */
import { type Cidr, isInCidr, parseCidr } from '../../../base/cidr.ts';
import type { Pod } from '../../../kube/types/pod.ts';

export interface MetricsForward {
  /** Of this Mac. */
  readonly host: string;
  /** Of this Mac; metrics have the same in the VM. */
  readonly port: number;
  /** The VM's address; asked for now and then. */
  readonly upstream: (signal: AbortSignal) => Promise<string>;
}

export interface Forwarder {
  /** May be called twice. Lets requests under way end for a while. */
  close(): Promise<void>;
}

/** Rejects when the port is taken. */
export type OpenMetricsForward = (forward: MetricsForward) => Promise<Forwarder>;

export interface PortForward extends MetricsForward {
  /** Of the VM. */
  readonly targetPort: number;
}

/** Rejects when the port is taken. */
export type OpenPortForward = (forward: PortForward) => Promise<Forwarder>;

/** Private, shared, link-local and loopback addresses. */
export const DEFAULT_SOURCES: readonly Cidr[] = [
  ...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '169.254.0.0/16', '127.0.0.0/8'],
  ...['fc00::/7', 'fe80::/10', '::1/128'],
].map(parseCidr);

export const isAllowed = (address: string | undefined, sources: readonly Cidr[]): boolean =>
  address !== undefined && sources.some((range) => isInCidr(address, range));

export interface LocalAddress {
  readonly address: string;
  /** With the length of its prefix. */
  readonly cidr?: string | null;
}

/**
 * Which of our own addresses is in the network of the target: macOS finds no way to a VM's bridge unless a connection
 * begins there. Undefined when none is, or the target is no address.
 */
export const findLocalAddress = (target: string, own: readonly LocalAddress[]): string | undefined =>
  own.find(({ cidr = null }) => cidr !== null && isInCidr(target, parseCidr(cidr)))?.address;

const PORT_MAX = 65_535;

/** By the annotations that Prometheus knows; undefined when the Pod has no metrics. */
export const metricsPortOf = ({ metadata: { annotations = {} } }: Pod): number | undefined => {
  const text = annotations['prometheus.io/port'] ?? '';
  if (annotations['prometheus.io/scrape'] !== 'true' || !/^\d{1,5}$/.test(text)) return undefined;
  const port = Number(text);
  return port >= 1 && port <= PORT_MAX ? port : undefined;
};

/** What the Pod asks the host for. The port of its metrics has a way of its own. */
export const hostPortsOf = (pod: Pod): readonly { readonly port: number; readonly targetPort: number }[] => {
  const metrics = metricsPortOf(pod);
  return pod.spec.containers.flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort: port, containerPort: targetPort }) =>
      port === undefined || port === metrics ? [] : [{ port, targetPort }],
    ),
  );
};

const KEEP_MS = 30_000;

/** An answer counts for half a minute; an error is never kept. */
export const cacheAnswer = <T>(
  ask: (signal: AbortSignal) => Promise<T>,
  elapsedMs: () => number,
): ((signal: AbortSignal) => Promise<T>) => {
  let kept: { readonly value: T; readonly untilMs: number } | undefined;
  return async (signal) => {
    if (kept !== undefined && elapsedMs() < kept.untilMs) return kept.value;
    const value = await ask(signal);
    kept = { value, untilMs: elapsedMs() + KEEP_MS };
    return value;
  };
};
