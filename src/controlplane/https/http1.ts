/** An exchange over HTTP/1.1. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Exchange, headersOf, type Outgoing, roomIn } from './exchange.ts';

/** What is sent to many is put into a chunk of HTTP once. */
export type Frames = WeakMap<Uint8Array, Uint8Array>;

const CRLF = Buffer.from('\r\n');

export const createHttp1Exchange = (frames: Frames, request: IncomingMessage, response: ServerResponse): Exchange => ({
  socket: request.socket,
  method: request.method ?? 'GET',
  path: request.url ?? '/',
  host: request.headers.host ?? '',
  headers: headersOf(request.headers),
  body: request,
  skipBody: () => void request.resume(),
  refuseBody: () => void response.setHeader('connection', 'close'),
  reply: ({ status, headers }, text) => {
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) });
    response.end(text);
  },
  open: ({ status, headers }) => {
    response.writeHead(status, headers);
    response.flushHeaders();
    return createOutgoing(frames, response);
  },
  abort: () => void response.destroy(),
});

const createOutgoing = (frames: Frames, response: ServerResponse): Outgoing => ({
  unsentBytes: () => response.writableLength,
  isClosed: () => response.destroyed,
  onClose: (run) => void response.once('close', run),
  write: (chunk) => writeChunk(frames, response, chunk),
  room: () => roomIn(response.chunkedEncoding ? (response.socket ?? response) : response),
  end: () => void response.end(),
});

/**
 * Straight to the socket: Node would frame the same bytes for each of a thousand watchers, in three writes, which is a
 * third of what an event costs. Where it does not frame, or another answer is still going out, it has its way.
 */
const writeChunk = (frames: Frames, response: ServerResponse, chunk: Uint8Array): void => {
  // An empty chunk would be the end.
  if (chunk.length === 0) return;
  if (!response.chunkedEncoding || response.socket === null) {
    response.write(chunk);
    return;
  }
  const known = frames.get(chunk);
  const frame = known ?? Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, CRLF]);
  if (known === undefined) frames.set(chunk, frame);
  response.socket.write(frame);
};
