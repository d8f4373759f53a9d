/** One call of a guest: to the dispatcher, or to the GitHub behind it. */
import { withDeadline } from '../../../base/abort.ts';
import { isKind } from '../../../base/errors.ts';
import type { DispatchResponse } from '../../../dispatch/port/transport.ts';
import type { GuestPorts } from './guest-ports.ts';

const TIMEOUT_MS = 10_000;

/** The path is one beside the dispatch URL's. Undefined: no answer. */
export const ask = async (ports: GuestPorts, path: string, body: object): Promise<DispatchResponse | undefined> => {
  const { clock, transport, token, settings, signal } = ports;
  const headers = {
    authorization: `Bearer ${token().trim()}`,
    ...{ 'content-type': 'application/json', 'user-agent': settings.podName },
  };
  const url = new URL(path, settings.dispatchUrl).href;
  const limit = { clock, signal, timeoutMs: TIMEOUT_MS, doing: `POST ${path}` };
  try {
    return await withDeadline(limit, (within) =>
      transport({ method: 'POST', url, headers, body: JSON.stringify(body), signal: within }),
    );
  } catch (error) {
    if (!isKind(error, 'unavailable', 'cancelled')) throw error;
    return undefined;
  }
};

/** The code of what a SIGTERM ended. */
export const TERMINATED = 143;
