/**
 * Adapter: lets the event loop turn before every request. Without a network between, a chain of requests and answers
 * would otherwise keep signals, sockets and timers waiting for as long as it lasts.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Transport } from '../kube/client/transport.ts';

export const createFairTransport = (inner: Transport): Transport => ({
  send: async (request) => {
    await nextTurn();
    return inner.send(request);
  },
  close: inner.close,
});
