/**
 * Exchanges over HTTP/2, which all clients of client-go prefer: each puts everything it asks on one connection, so an event
 * for its fifty watches costs one write and not fifty. Bounds are those of a real API server where Node has them; Node
 * itself ends connections that reset streams or send invalid frames by the hundred.
 */
import type { IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { Clock } from '../../base/clock.ts';
import { toFleetError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { type Exchange, headersOf, type Outgoing, roomIn } from './exchange.ts';

export interface Http2Options {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onExchange: (exchange: Exchange) => void;
}

export interface Http2Connections {
  /** Takes over a connection whose ends have agreed on HTTP/2. */
  accept(socket: TLSSocket): void;
  /** Tells all clients that nothing more is answered. Closing the sockets is up to the caller. */
  sayGoodbye(): void;
}

const STREAMS_MAX = 100;
/** Most requests fit in here without a word from us in between. */
const UPLOAD_WINDOW_BYTES = 256 * 1024;
const IDLE_MS = 90_000;
/** How long a client that was told goodbye may take to close its end. */
const GOODBYE_MS = 1_000;

export const createHttp2Connections = (options: Http2Options): Http2Connections => {
  const sessions = new Set<ServerHttp2Session>();
  const serve = async (socket: TLSSocket): Promise<void> => {
    // Loaded for the first who speaks it: it costs half a megabyte.
    const { performServerHandshake } = await import('node:http2');
    if (socket.destroyed) return;
    const session = performServerHandshake(socket, {
      settings: { maxConcurrentStreams: STREAMS_MAX, initialWindowSize: UPLOAD_WINDOW_BYTES },
    });
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
    serveSession(options, session, socket);
  };
  return {
    accept: (socket) => {
      // The session tells of it; before there is one, nobody has asked anything yet.
      socket.on('error', () => undefined);
      serve(socket).catch((error: unknown) => {
        options.logger.warn('A connection could not be served', { error: toFleetError(error) });
        socket.destroy();
      });
    },
    sayGoodbye: () => {
      for (const session of sessions) session.destroy();
    },
  };
};

const serveSession = (
  { clock, logger, onExchange }: Http2Options,
  session: ServerHttp2Session,
  socket: TLSSocket,
): void => {
  let streams = 0;
  const endIfIdle = (): (() => void) =>
    clock.schedule(IDLE_MS, () => {
      session.close();
      cancel = clock.schedule(GOODBYE_MS, () => void socket.destroy());
    });
  let cancel = endIfIdle();
  session.on('error', (error: unknown) => {
    logger.debug('An HTTP/2 connection broke', { error: toFleetError(error) });
  });
  session.on('stream', (stream, headers) => {
    cancel();
    streams += 1;
    // A client that resets what it asked for has nothing more to hear.
    stream.on('error', () => undefined);
    stream.once('close', () => {
      streams -= 1;
      if (streams === 0 && !session.destroyed) cancel = endIfIdle();
    });
    onExchange(createHttp2Exchange(socket, stream, headers));
  });
  socket.once('close', () => cancel());
};

const createHttp2Exchange = (socket: TLSSocket, stream: ServerHttp2Stream, asked: IncomingHttpHeaders): Exchange => ({
  socket,
  method: asked[':method'] ?? 'GET',
  path: asked[':path'] ?? '/',
  host: asked[':authority'] ?? asked.host ?? '',
  headers: headersOf(asked),
  body: stream,
  // Node resets a stream that was answered and never read.
  skipBody: () => undefined,
  refuseBody: () => void stream.once('finish', () => stream.destroy()),
  reply: ({ status, headers }, text) => {
    if (isGone(stream)) return;
    stream.respond({ ...headers, ':status': status, 'content-length': Buffer.byteLength(text) });
    stream.end(text);
  },
  open: ({ status, headers }) => {
    if (!isGone(stream)) stream.respond({ ...headers, ':status': status });
    return createOutgoing(stream);
  },
  abort: (why) => void stream.destroy(why),
});

/** What the client has reset is closed before it is destroyed. */
const isGone = (stream: ServerHttp2Stream): boolean => stream.destroyed || stream.closed;

const createOutgoing = (stream: ServerHttp2Stream): Outgoing => ({
  unsentBytes: () => stream.writableLength,
  isClosed: () => isGone(stream),
  onClose: (run) => void stream.once('close', run),
  write: (chunk) => void stream.write(chunk),
  room: () => roomIn(stream),
  end: () => void stream.end(),
});
