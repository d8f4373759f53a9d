/** Watchers that do not read what they asked for: they are cut off, and nobody else notices. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { Readable } from 'node:stream';
import { after, test } from 'node:test';
import { connect } from 'node:tls';
import { createSystemClock } from '../base/clock.ts';
import { silentLogger } from '../base/logger.ts';
import { createSystemRandom } from '../base/random.ts';
import { Secret } from '../base/secret.ts';
import { renderCertificate } from '../pki/certificate.ts';
import type { ByteSink } from './api/http.ts';
import { issueServerCertificate } from './auth/client-certificate.ts';
import { createControlPlane } from './control-plane.ts';
import { openHttp2Client } from './https/testing/http2-client.ts';
import { renderGreeting, renderRequest } from './https/testing/http2-frames.ts';
import type { UnsentLimits } from './https/unsent.ts';
import { type HttpsServer, startHttpsServer } from './https-server.ts';

const clock = createSystemClock();
const random = createSystemRandom();
const LIMIT = { timeout: 60_000 };
const KB = 1024;
const CHUNK = Buffer.alloc(64 * KB, 'x');
/** Far more than the kernel keeps for a connection that nobody reads. */
const CHUNKS = 600;

const knownTokens = [{ token: new Secret('t0ken'), user: { name: 'robot', groups: ['system:masters'] } }];
const plane = createControlPlane({ clock, random, logger: silentLogger, knownTokens });
after(() => plane.close());

const ca = renderCertificate(plane.authority.certificate);
const headers = { authorization: 'Bearer t0ken' };

/** A server all of whose answers are streams, written by the test. */
const startStreams = async (unsentLimits: UnsentLimits) => {
  const sinks = new Set<ByteSink>();
  const body = (sink: ByteSink) => {
    sinks.add(sink);
    return () => void sinks.delete(sink);
  };
  const response = { status: 200, headers: {}, body };
  const server = await startHttpsServer({
    ...{ tokens: plane.tokens, clock, logger: silentLogger, port: 0, unsentLimits, clientAuthority: ca },
    api: { handle: () => response, answer: async () => response, close: () => undefined },
    serving: issueServerCertificate(
      { authority: plane.authority, clock, random },
      { dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] },
    ),
  });
  return { server, sinks };
};

/** Opens a stream that nobody reads until somebody does. */
type OpenStream = () => Promise<Readable>;

const overHttp1 =
  ({ url }: HttpsServer): OpenStream =>
  async () => {
    const sending = request(`${url}/`, { ca, headers, agent: false });
    sending.on('error', () => undefined);
    sending.end();
    const [answer]: IncomingMessage[] = await once(sending, 'response');
    assert.ok(answer);
    answer.on('error', () => undefined);
    return answer;
  };

const overOneConnection = async ({ url }: HttpsServer): Promise<OpenStream> => {
  const client = await openHttp2Client(url, { ca });
  return async () => {
    const stream = client.open(headers);
    await once(stream, 'response');
    return stream;
  };
};

/** Its client promises to take everything, and takes nothing. */
const overConnectionsOfTheirOwn =
  ({ port }: HttpsServer): OpenStream =>
  async () => {
    const socket = connect({ host: '127.0.0.1', port, ca, ALPNProtocols: ['h2'] });
    socket.on('error', () => undefined);
    await once(socket, 'secureConnect');
    const asked = { ':method': 'GET', ':scheme': 'https', ':path': '/', ':authority': 'localhost', ...headers };
    socket.write(Buffer.concat([renderGreeting(), renderRequest(1, asked)]));
    await once(socket, 'readable');
    return socket;
  };

const ways: readonly {
  readonly over: string;
  begin(server: HttpsServer): Promise<Readonly<Record<'silent' | 'reader', OpenStream>>>;
}[] = [
  { over: 'HTTP/1.1', begin: async (server) => ({ silent: overHttp1(server), reader: overHttp1(server) }) },
  {
    over: 'one connection of HTTP/2',
    begin: async (server) => {
      const open = await overOneConnection(server);
      return { silent: open, reader: open };
    },
  },
  {
    over: 'connections of HTTP/2',
    begin: async (server) => ({ silent: overConnectionsOfTheirOwn(server), reader: await overOneConnection(server) }),
  },
];

const rows: readonly { readonly story: string; readonly limits: UnsentLimits; readonly left: number }[] = [
  {
    story: 'each that lets too much pile up is cut off',
    limits: { oneBytesMax: 512 * KB, slowBytes: 256 * KB, allBytesMax: Number.MAX_SAFE_INTEGER },
    left: 0,
  },
  {
    story: 'together they may not let more pile up than memory allows',
    limits: { oneBytesMax: Number.MAX_SAFE_INTEGER, slowBytes: 256 * KB, allBytesMax: 512 * KB },
    left: 1,
  },
];

for (const { story, limits, left, over, begin } of rows.flatMap((row) => ways.map((way) => ({ ...row, ...way })))) {
  test(`over ${over}, of watchers that do not read, ${story}, and one that reads gets everything`, LIMIT, async () => {
    const { server, sinks } = await startStreams(limits);
    const open = await begin(server);
    for (let silent = 0; silent < 5; silent += 1) await open.silent();
    const reader = await open.reader();
    while (sinks.size < 6) await new Promise(setImmediate);
    let readBytes = 0;
    let arrived = (): void => undefined;
    reader.on('data', (bytes: Buffer) => {
      readBytes += bytes.length;
      arrived();
    });
    for (let sent = 1; sent <= CHUNKS; sent += 1) {
      for (const sink of [...sinks]) sink.push(CHUNK);
      while (readBytes < sent * CHUNK.length) {
        await new Promise<void>((resolve) => {
          arrived = resolve;
        });
      }
    }
    assert.equal(readBytes, CHUNKS * CHUNK.length);
    assert.ok(sinks.size <= left + 1, `${sinks.size} are left`);
    await server.close();
  });
}

const SMALL_ROOM: UnsentLimits = { oneBytesMax: 512 * KB, slowBytes: 256 * KB, allBytesMax: Number.MAX_SAFE_INTEGER };

/** As whoever can wait writes. */
const writeWithRoom = async (sink: ByteSink | undefined): Promise<void> => {
  for (let sent = 0; sent < CHUNKS; sent += 1) {
    sink?.push(CHUNK);
    await sink?.room?.();
  }
  sink?.end();
};

// Readers of the third way read as those of the second.
for (const { over, begin } of ways.slice(0, 2)) {
  test(`over ${over}, what waits for room is never too much for its reader, and arrives whole`, LIMIT, async () => {
    const { server, sinks } = await startStreams(SMALL_ROOM);
    const reader = await (await begin(server)).reader();
    const [sink] = sinks;
    const writing = writeWithRoom(sink);
    let readBytes = 0;
    for await (const bytes of reader) readBytes += bytes.length;
    await writing;
    assert.equal(readBytes, CHUNKS * CHUNK.length);
    await server.close();
  });

  test(`over ${over}, nobody waits for room that a reader who has gone would make`, LIMIT, async () => {
    const { server, sinks } = await startStreams(SMALL_ROOM);
    const reader = await (await begin(server)).reader();
    const [sink] = sinks;
    const writing = writeWithRoom(sink);
    await once(reader, 'readable');
    reader.destroy();
    await writing;
    await server.close();
  });
}
