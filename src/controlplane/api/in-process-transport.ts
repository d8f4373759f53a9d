/** The Kubernetes client's Transport straight into the API of this process: no sockets, no bytes copied. */
import { abortable, throwIfAborted } from '../../base/abort.ts';
import { FleetError } from '../../base/errors.ts';
import type { Transport } from '../../kube/client/transport.ts';
import type { User } from '../auth/user.ts';
import type { ApiServer } from './api-server.ts';
import type { ApiResponse, ByteSink } from './http.ts';
import { ApiRefusal, replyRefusal } from './refusal.ts';

export const createApiTransport = (api: ApiServer, user: User): Transport => ({
  send: async (request) => {
    throwIfAborted(request.signal);
    const { method, path, headers } = request;
    const response = await api.answer({
      method,
      path,
      headers,
      user,
      ...(request.body !== undefined && { body: request.body }),
    });
    return { status: response.status, headers: response.headers, body: readBody(response.body, request.signal) };
  },
  close: () => Promise.resolve(),
});

/** For whomever the API does not believe to be anybody. */
export const createRefusingTransport = (): Transport => ({
  send: async () => {
    const { status, headers, body } = replyRefusal(new ApiRefusal('Unauthorized', 'Unauthorized'));
    return { status, headers, body: once(typeof body === 'string' ? body : '') };
  },
  close: () => Promise.resolve(),
});

const readBody = (body: ApiResponse['body'], signal: AbortSignal): AsyncIterable<Uint8Array> =>
  typeof body === 'string' ? once(body) : stream(body, signal);

async function* once(text: string): AsyncGenerator<Uint8Array> {
  if (text !== '') yield Buffer.from(text);
}

type Open = Exclude<ApiResponse['body'], string>;

/** Opens at once, not at the first read: what happens until then is seen too. */
const stream = (open: Open, signal: AbortSignal): AsyncIterable<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  let end: 'open' | 'ended' | FleetError = 'open';
  let wake = (): void => undefined;
  const finish = (how: 'ended' | FleetError): void => {
    end = how;
    wake();
  };
  const sink: ByteSink = {
    push: (chunk) => {
      chunks.push(chunk);
      wake();
    },
    end: () => finish('ended'),
    fail: (why) => finish(new FleetError('unavailable', { code: 'ConnectionBroken', message: why })),
  };
  const stop = open(sink);
  signal.addEventListener('abort', stop, { once: true });
  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      while (true) {
        yield* chunks.splice(0);
        if (chunks.length > 0) continue;
        if (end === 'ended') return;
        if (end !== 'open') throw end;
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        await abortable(promise, signal);
      }
    } finally {
      signal.removeEventListener('abort', stop);
      stop();
    }
  }
  return read();
};
