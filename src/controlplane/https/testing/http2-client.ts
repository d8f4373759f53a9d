/** For tests: requests over HTTP/2, all of one client on one connection. */
import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, type OutgoingHttpHeaders } from 'node:http2';
import type { SecureContextOptions } from 'node:tls';

export interface Http2Answer {
  readonly status: number | undefined;
  readonly text: string;
}

export interface Http2Client {
  readonly session: ClientHttp2Session;
  /** Sends the head; the caller writes and reads. */
  open(headers: OutgoingHttpHeaders): ClientHttp2Stream;
  ask(headers: OutgoingHttpHeaders, body?: Uint8Array): Promise<Http2Answer>;
  close(): void;
}

export const openHttp2Client = async (url: string, login: SecureContextOptions): Promise<Http2Client> => {
  const session = connect(url, { ...login, ALPNProtocols: ['h2'] });
  session.on('error', () => undefined);
  await once(session, 'connect');
  const open: Http2Client['open'] = (headers) => {
    const stream = session.request(headers, { endStream: headers[':method'] === undefined });
    stream.on('error', () => undefined);
    return stream;
  };
  return {
    session,
    open,
    ask: async (headers, body) => {
      const stream = open(headers);
      if (headers[':method'] !== undefined) stream.end(body);
      const [answered] = await once(stream, 'response');
      let text = '';
      for await (const part of stream.setEncoding('utf8')) text += part;
      return { status: answered[':status'], text };
    },
    close: () => session.destroy(),
  };
};
