/**
 * The simulated cloud behind the Cloud port, twice: in real time with a delay, for `up`, and as two-step calls of a kernel
 * actor, so that lost requests, lost answers and late effects come from the kernel.
 */
import { abortable, throwIfAborted } from '../../base/abort.ts';
import { type Clock, sleep } from '../../base/clock.ts';
import type { Cloud } from '../../scaleway/port.ts';
import type { Actor } from '../kernel/actor.ts';
import type { SimCloudApi } from './cloud-api.ts';
import type { SimCloud } from './sim-cloud.ts';

export interface SimCloudPortOptions {
  readonly clock: Clock;
  /** One way. */
  readonly latencyMs: number;
  /** For the audit. */
  readonly caller?: string;
}

/** Carries one request: over a wire of its own kind. */
type Send = <T>(verb: string, effect: () => T, signal: AbortSignal) => Promise<T>;

export const createSimCloudPort = (cloud: SimCloud, options: SimCloudPortOptions): Cloud => {
  const { clock, latencyMs, caller = 'manager' } = options;
  const send: Send = async (_verb, effect, signal) => {
    throwIfAborted(signal);
    if (latencyMs > 0) await sleep(clock, latencyMs, signal);
    const answer = effect();
    if (latencyMs > 0) await sleep(clock, latencyMs, signal);
    return answer;
  };
  return createPort(cloud.as(caller), (verb, effect, signal) => abortable(send(verb, effect, signal), signal));
};

export interface KernelCloudPortOptions {
  /** The actor that answers, if the API can be frozen or killed. The servers themselves live on the cloud's own clock. */
  readonly to?: string;
}

/** Sites: `cloud:list`, `cloud:get`, `cloud:rename`, `cloud:reinstall`, `cloud:reboot`. */
export const createKernelCloudPort = (cloud: SimCloud, actor: Actor, { to }: KernelCloudPortOptions = {}): Cloud => {
  const api = cloud.as(`${actor.name}#${actor.epoch}`);
  return createPort(api, (verb, effect, signal) =>
    actor.call({ site: `cloud:${verb}`, effect, signal, ...(to !== undefined && { to }) }),
  );
};

const createPort = (api: SimCloudApi, send: Send): Cloud => ({
  listServers: (zone, signal) => send('list', () => api.list(zone), signal),
  getServer: (server, signal) => send('get', () => api.get(server), signal),
  renameServer: (server, name, signal) => send('rename', () => api.rename(server, name), signal),
  reinstallServer: (server, osFamily, signal) => send('reinstall', () => api.reinstall(server, osFamily), signal),
  rebootServer: (server, signal) => send('reboot', () => api.reboot(server), signal),
});
