/** After a reboot: the session that a host gives again, and only the host it was before. */
import { type Clock, sleep } from '../../base/clock.ts';
import { isKind } from '../../base/errors.ts';
import type { HostSession, Hosts, HostTarget } from '../port.ts';

export interface WaitForHost {
  readonly hosts: Hosts;
  readonly target: HostTarget & { readonly pinnedHostKey: string };
  readonly clock: Clock;
  readonly everyMs: number;
}

/**
 * Tries until the host lets us in. Rejects at once with what waiting does not change: another host key, a refused login,
 * an abort. The caller's signal is the limit.
 */
export const waitForHost = async (wait: WaitForHost, signal: AbortSignal): Promise<HostSession> => {
  for (;;) {
    try {
      return await wait.hosts.open(wait.target, signal);
    } catch (error) {
      if (!isKind(error, 'unavailable')) throw error;
    }
    await sleep(wait.clock, wait.everyMs, signal);
  }
};
