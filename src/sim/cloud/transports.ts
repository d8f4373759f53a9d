/**
 * What carries requests to the simulated cloud inside one process: in real time with a delay, for `up`, and as two-step
 * calls of a kernel actor, so that lost requests, lost answers and late effects come from the kernel.
 */
import { abortable, throwIfAborted } from '../../base/abort.ts';
import { type Clock, sleep } from '../../base/clock.ts';
import { FleetError } from '../../base/errors.ts';
import type { CloudRequest, CloudResponse, CloudTransport } from '../../scaleway/port/transport.ts';
import type { ApiAnswer } from '../http/api-message.ts';
import type { Actor } from '../kernel/actor.ts';
import type { SimCloud } from './sim-cloud.ts';

export interface SimCloudTransportOptions {
  readonly clock: Clock;
  /** One way. */
  readonly latencyMs: number;
  /** For the audit. */
  readonly caller?: string;
}

export const createSimCloudTransport = (cloud: SimCloud, options: SimCloudTransportOptions): CloudTransport => {
  const { clock, latencyMs, caller = 'manager' } = options;
  const send = async (request: CloudRequest): Promise<CloudResponse> => {
    const { signal } = request;
    throwIfAborted(signal);
    if (latencyMs > 0) await sleep(clock, latencyMs, signal);
    const { delayMs = 0, ...answer } = answerOf(cloud, request, caller);
    if (latencyMs + delayMs > 0) await sleep(clock, latencyMs + delayMs, signal);
    return answer;
  };
  return (request) => abortable(send(request), request.signal);
};

export interface KernelCloudTransportOptions {
  /** The actor that answers, if the API can be frozen or killed. The servers themselves live on the cloud's own clock. */
  readonly to?: string;
}

/** Sites: `cloud:GET`, `cloud:PATCH`, `cloud:POST`, `cloud:DELETE`. */
export const createKernelCloudTransport = (
  cloud: SimCloud,
  actor: Actor,
  { to }: KernelCloudTransportOptions = {},
): CloudTransport => {
  const caller = `${actor.name}#${actor.epoch}`;
  return async (request) => {
    const { delayMs = 0, ...answer } = await actor.call({
      site: `cloud:${request.method}`,
      effect: () => answerOf(cloud, request, caller),
      signal: request.signal,
      ...(to !== undefined && { to }),
    });
    if (delayMs > 0) await sleep(actor.clock, delayMs, request.signal);
    return answer;
  };
};

const answerOf = (cloud: SimCloud, { method, url, headers, body = '' }: CloudRequest, caller: string): ApiAnswer => {
  const { pathname, search } = new URL(url);
  const answer = cloud.serve({ method, target: `${pathname}${search}`, headers, body, caller });
  if (answer !== undefined) return answer;
  throw new FleetError('unavailable', {
    code: 'CloudUnreachable',
    message: 'the connection broke before an answer came',
  });
};
