/** A Transport straight into a MemoryApi, without a network between; `intercept` makes it misbehave. */
import { abortable, throwIfAborted } from '../../base/abort.ts';
import type { Transport, TransportRequest } from '../client/transport.ts';
import type { MemoryApi, WatchSink } from './memory-api.ts';

export interface MemoryTransportOptions {
  /** Called before each request; what it throws is what the caller sees. */
  readonly intercept?: (request: TransportRequest) => void | Promise<void>;
}

export const createMemoryTransport = (api: MemoryApi, options: MemoryTransportOptions = {}): Transport => ({
  send: async (request) => {
    throwIfAborted(request.signal);
    await options.intercept?.(request);
    const { status, headers, body } = api.handle(request);
    return { status, headers, body: typeof body === 'string' ? onceOf(body) : streamOf(body, request.signal) };
  },
  close: async () => undefined,
});

async function* onceOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function* streamOf(open: (sink: WatchSink) => () => void, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let isEnded = false;
  let wake: () => void = () => undefined;
  const close = open({
    push: (chunk) => {
      chunks.push(chunk);
      wake();
    },
    end: () => {
      isEnded = true;
      wake();
    },
  });
  try {
    while (true) {
      yield* chunks.splice(0);
      if (isEnded) return;
      if (chunks.length > 0) continue;
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      await abortable(promise, signal);
    }
  } finally {
    close();
  }
}
