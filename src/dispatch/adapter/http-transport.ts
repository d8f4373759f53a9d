/** Adapter: the dispatcher over real sockets, by undici, on kept-alive connections; an answer is read up to a bound. */
import request from 'undici/lib/api/api-request.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import { FleetError, messageOf } from '../../base/errors.ts';
import type { DispatchTransport } from '../port/transport.ts';

const BODY_BYTES_MAX = 1024 * 1024;
const CONNECTIONS_MAX = 8;

export interface HttpDispatchTransport {
  readonly send: DispatchTransport;
  close(): Promise<void>;
}

export const createHttpDispatchTransport = (): HttpDispatchTransport => {
  const dispatcher = new Agent({ connections: CONNECTIONS_MAX, maxResponseSize: BODY_BYTES_MAX });
  return {
    send: async ({ method, url, headers, body, signal }) => {
      try {
        const { origin, pathname, search } = new URL(url);
        const options = { origin, path: `${pathname}${search}`, method, headers, body: body ?? null, signal };
        const response = await request.call(dispatcher, options);
        return {
          status: response.statusCode,
          headers: Object.fromEntries(
            Object.entries(response.headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
          ),
          body: await response.body.text(),
        };
      } catch (thrown) {
        if (signal.aborted && signal.reason instanceof FleetError) throw signal.reason;
        throw new FleetError('unavailable', {
          code: 'DispatcherUnreachable',
          message: `no whole answer came from the dispatcher: ${messageOf(thrown)}`,
          hint: 'Check the URL that this controller was given, and the network to it.',
          cause: thrown,
        });
      }
    },
    close: () => dispatcher.close(),
  };
};
