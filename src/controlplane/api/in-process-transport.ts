/** The Kubernetes client's Transport straight into the API of this process: no sockets, no bytes copied. */
import { reasonOf, throwIfAborted } from '../../base/abort.ts';
import { FleetError } from '../../base/errors.ts';
import type { ParsedChunks, Transport } from '../../kube/client/transport.ts';
import type { User } from '../auth/user.ts';
import type { ApiServer } from './api-server.ts';
import type { ApiResponse, ByteSink } from './http.ts';
import { ApiRefusal, replyRefusal } from './refusal.ts';

/** Everybody who is given the same `parsed` reads a line of a watch once for all of them. */
export const createApiTransport = (api: ApiServer, user: User, parsed?: ParsedChunks): Transport => ({
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
    const body = readBody(response.body, request.signal);
    return { status: response.status, headers: response.headers, body, ...(parsed && { parsed }) };
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
  typeof body === 'string' ? once(body) : openStream(body, signal);

async function* once(text: string): AsyncGenerator<Uint8Array> {
  if (text !== '') yield Buffer.from(text);
}

type Open = Exclude<ApiResponse['body'], string>;
type Next = IteratorResult<Uint8Array, undefined>;

const DONE: Next = { value: undefined, done: true };

/** Opens at once, not at the first read: what happens until then is seen too. */
const openStream = (open: Open, signal: AbortSignal): AsyncIterable<Uint8Array> => {
  const stream = new ChunkStream(signal);
  stream.open(open);
  return stream;
};

/** Written out, because every watch of a fleet waits in one of these, and a generator that waits takes several times as much. */
class ChunkStream implements AsyncIterableIterator<Uint8Array, undefined>, ByteSink {
  readonly #signal: AbortSignal;
  #stop = (): void => undefined;
  #chunks: Uint8Array[] = [];
  /** How many of them were read. */
  #read = 0;
  #end: 'open' | 'ended' | FleetError = 'open';
  #reader: PromiseWithResolvers<Next> | undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  open(open: Open): void {
    this.#stop = open(this);
    this.#signal.addEventListener('abort', this, { once: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** One at a time, as a loop asks. */
  next(): Promise<Next> {
    this.#reader = Promise.withResolvers();
    const { promise } = this.#reader;
    this.#answer();
    return promise;
  }

  async return(): Promise<Next> {
    this.#close();
    this.#end = 'ended';
    this.#chunks = [];
    return DONE;
  }

  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#answer();
  }

  end(): void {
    this.#finish('ended');
  }

  fail(why: string): void {
    this.#finish(new FleetError('unavailable', { code: 'ConnectionBroken', message: why }));
  }

  /** The signal was aborted. */
  handleEvent(): void {
    this.#stop();
    this.#answer();
  }

  #finish(how: 'ended' | FleetError): void {
    this.#end = how;
    this.#answer();
  }

  /** What was pushed comes first, whatever happened since. */
  #answer(): void {
    const reader = this.#reader;
    if (reader === undefined) return;
    const chunk = this.#take();
    if (chunk === undefined && this.#end === 'open' && !this.#signal.aborted) return;
    this.#reader = undefined;
    if (chunk !== undefined) {
      reader.resolve({ value: chunk, done: false });
      return;
    }
    this.#close();
    if (this.#end === 'ended') reader.resolve(DONE);
    else reader.reject(this.#end === 'open' ? reasonOf(this.#signal) : this.#end);
  }

  #take(): Uint8Array | undefined {
    const chunk = this.#chunks[this.#read];
    this.#read += 1;
    if (this.#read < this.#chunks.length) return chunk;
    this.#chunks = [];
    this.#read = 0;
    return chunk;
  }

  #close(): void {
    this.#signal.removeEventListener('abort', this);
    this.#stop();
  }
}
