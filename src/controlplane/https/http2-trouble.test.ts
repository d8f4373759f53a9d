/** Clients of HTTP/2 that ask too much, say nothing or do not go: each loses its connection or its stream, and nobody else notices. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { after, before, test } from 'node:test';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { createSystemClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { createSystemRandom } from '../../base/random.ts';
import { Secret } from '../../base/secret.ts';
import { createManualClock } from '../../base/testing/manual-clock.ts';
import { renderCertificate } from '../../pki/certificate.ts';
import { issueServerCertificate } from '../auth/client-certificate.ts';
import { createControlPlane } from '../control-plane.ts';
import { type HttpsServer, startHttpsServer } from '../https-server.ts';
import { type Http2Client, openHttp2Client } from './testing/http2-client.ts';
import { renderGreeting, renderRequest, renderReset } from './testing/http2-frames.ts';

const LIMIT = { timeout: 20_000 };
const NODES = '/api/v1/nodes';
const IDLE_MS = 90_000;
const GOODBYE_MS = 1_000;
/** Many times what Node lets a client reset at once. */
const RESETS = 20_000;
const NO_ERROR = 0;
const CANCEL = 8;

const clock = createSystemClock();
const random = createSystemRandom();
const knownTokens = [{ token: new Secret('t0ken'), user: { name: 'robot', groups: ['system:masters'] } }];
const plane = createControlPlane({ clock, random, logger: silentLogger, knownTokens });
const ca = renderCertificate(plane.authority.certificate);
const robot = { authorization: 'Bearer t0ken' };
const get = { ':path': NODES, ...robot };
const watch = { ':path': `${NODES}?watch=1`, ...robot };

const start = (onClock = createManualClock(clock.now())) =>
  startHttpsServer({
    ...{ api: plane.api, tokens: plane.tokens, clock: onClock, logger: silentLogger, port: 0, clientAuthority: ca },
    serving: issueServerCertificate(
      { authority: plane.authority, clock, random },
      { dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] },
    ),
  });

let server: HttpsServer;
before(async () => {
  server = await start();
});
after(async () => {
  plane.close();
  await server.close();
});

/** A client that does what the test does, and is not surprised by anything. */
const openRaw = async ({ port }: HttpsServer, options: { readonly allowHalfOpen?: true } = {}): Promise<TLSSocket> => {
  const socket = connectTls({ host: '127.0.0.1', port, ca, ALPNProtocols: ['h2'], ...options });
  socket.on('error', () => undefined);
  await once(socket, 'secureConnect');
  return socket;
};

const closed = async (socket: TLSSocket): Promise<void> => {
  if (!socket.closed) await once(socket.resume(), 'close');
};

/** What the manual clock does not move: sockets. */
const until = async (isSo: () => boolean): Promise<void> => {
  const endMs = clock.elapsed() + LIMIT.timeout;
  while (!isSo()) {
    assert.ok(clock.elapsed() < endMs, 'it did not come to that');
    await new Promise(setImmediate);
  }
};

test(
  'a client that resets what it asked, again and again, loses its connection, and others are answered',
  LIMIT,
  async () => {
    const raw = await openRaw(server);
    const head = { ':method': 'GET', ':scheme': 'https', ':path': watch[':path'], ':authority': 'localhost', ...robot };
    raw.write(renderGreeting());
    for (let at = 0; at < RESETS && !raw.destroyed; at += 1) {
      const stream = 2 * at + 1;
      const isTaken = raw.write(Buffer.concat([renderRequest(stream, head), renderReset(stream, CANCEL)]));
      if (!isTaken && !raw.destroyed) await Promise.race([once(raw, 'drain'), once(raw, 'close')]);
    }
    await closed(raw);
    const other = await openHttp2Client(server.url, { ca });
    assert.equal((await other.ask(get)).status, 200);
    other.close();
  },
);

test('a request with more headers than any client has is refused, and its connection goes on', LIMIT, async () => {
  const client = await openHttp2Client(server.url, { ca });
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`x-${at}`, 'x']));
  await assert.rejects(client.ask({ ...get, ...many }), /ENHANCE_YOUR_CALM/);
  assert.equal((await client.ask(get)).status, 200);
  client.close();
});

test('a client is told how many requests it may have open, as a real API server tells it', LIMIT, async () => {
  const session = connectHttp2(server.url, { ca });
  const [settings] = await once(session, 'remoteSettings');
  assert.equal(settings.maxConcurrentStreams, 100);
  session.destroy();
});

const large = Buffer.alloc(4 * 1024 * 1024, 'x');
const post = { ...get, ':method': 'POST' };
const idlers: readonly { readonly story: string; act(client: Http2Client): unknown }[] = [
  { story: 'has said nothing', act: () => undefined },
  { story: 'was answered', act: ({ ask }) => ask(get) },
  { story: 'sent more than it may', act: ({ ask }) => ask(post, large) },
  { story: 'said that it would', act: ({ ask }) => ask({ ...post, 'content-length': large.length }, large) },
  { story: 'sent much and was not believed', act: ({ ask }) => ask({ ...post, authorization: 'Bearer no' }, large) },
  {
    story: 'has cancelled its watch',
    act: async ({ open }) => {
      const watching = open(watch);
      await once(watching, 'response');
      watching.close(CANCEL);
    },
  },
  {
    story: 'has closed its watch without saying why',
    act: async ({ open }) => {
      const watching = open(watch);
      await once(watching, 'response');
      watching.close(NO_ERROR);
    },
  },
  {
    story: 'gave up sending',
    act: async ({ open, ask }) => {
      const sending = open(post);
      sending.write('{');
      // By then the server has begun to read the first.
      await ask(get);
      sending.close(CANCEL);
    },
  },
];
for (const { story, act } of idlers) {
  test(`a client that ${story}, and asks nothing more, is told goodbye after a while`, LIMIT, async () => {
    const manual = createManualClock(clock.now());
    const served = await start(manual);
    const client = await openHttp2Client(served.url, { ca });
    await act(client);
    await until(() => manual.timers === 1);
    manual.advance(IDLE_MS);
    await until(() => client.session.destroyed && manual.timers === 0);
    await served.close();
  });
}

test('a client with a watch stays for as long as it likes', LIMIT, async () => {
  const manual = createManualClock(clock.now());
  const served = await start(manual);
  const client = await openHttp2Client(served.url, { ca });
  await once(client.open(watch), 'response');
  assert.equal(manual.timers, 0);
  manual.advance(10 * IDLE_MS);
  assert.equal((await client.ask(get)).status, 200);
  client.close();
  await served.close();
});

test('a client that was told goodbye and does not go loses its connection', LIMIT, async () => {
  const manual = createManualClock(clock.now());
  const served = await start(manual);
  const raw = await openRaw(served, { allowHalfOpen: true });
  await until(() => manual.timers === 1);
  manual.advance(IDLE_MS);
  await once(raw.resume(), 'end');
  manual.advance(GOODBYE_MS);
  await until(() => {
    raw.write(renderGreeting());
    return raw.closed;
  });
  await served.close();
});

test('a server that closes tells its clients, and waits for nobody', LIMIT, async () => {
  const served = await start();
  const silent = connectTcp(served.port, '127.0.0.1');
  silent.on('error', () => undefined);
  await once(silent, 'connect');
  const raw = await openRaw(served);
  const client = await openHttp2Client(served.url, { ca });
  await once(client.open(watch), 'response');
  const told = once(client.session, 'goaway');
  await served.close();
  assert.equal((await told)[0], 0);
  await closed(raw);
});
