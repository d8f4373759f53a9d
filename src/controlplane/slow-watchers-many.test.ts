/** A thousand watchers on connections of their own, a part of which never reads: those are cut off, and nobody else notices. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { connect, type TLSSocket } from 'node:tls';
import { neverAborted } from '../base/abort.ts';
import { createSystemClock } from '../base/clock.ts';
import { silentLogger } from '../base/logger.ts';
import { createSystemRandom } from '../base/random.ts';
import { Secret } from '../base/secret.ts';
import { renderCertificate } from '../pki/certificate.ts';
import { issueServerCertificate } from './auth/client-certificate.ts';
import { createControlPlane } from './control-plane.ts';
import { type HttpsServer, startHttpsServer } from './https-server.ts';

const KB = 1024;
const READERS = 950;
const SILENT = 50;
const OPENED_AT_ONCE = 50;
/** Together many times what the kernel keeps for a connection that nobody reads. */
const WRITES = 80;
/** One write in so many is also one for those that read. */
const SMALL_EVERY = 8;
const TEXT = 'x'.repeat(512 * KB);
/** Without a limit 50 watchers would hold back two gigabytes. */
const GROWTH_BYTES_MAX = 600 * KB * KB;
const LIMIT = { timeout: 120_000 };

const clock = createSystemClock();
const random = createSystemRandom();
const robot = { name: 'robot', groups: ['system:masters'] };
const knownTokens = [{ token: new Secret('t0ken'), user: robot }];
const plane = createControlPlane({ clock, random, logger: silentLogger, knownTokens });
const transport = plane.transportFor(robot);
const authority = renderCertificate(plane.authority.certificate);
let server: HttpsServer;
let session: Buffer | undefined;

before(async () => {
  server = await startHttpsServer({
    ...{ api: plane.api, tokens: plane.tokens, clock, logger: silentLogger, port: 0, clientAuthority: authority },
    serving: issueServerCertificate(
      { authority: plane.authority, clock, random },
      { dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] },
    ),
    unsentLimits: { oneBytesMax: 1024 * KB, slowBytes: 256 * KB, allBytesMax: 16 * 1024 * KB },
  });
});

after(async () => {
  plane.close();
  await server.close();
});

const write = async (namespace: string, name: string, text: string): Promise<void> => {
  const body = Buffer.from(JSON.stringify({ metadata: { name }, data: { text } }));
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const headers = { 'content-type': 'application/json' };
  const { status } = await transport.send({ method: 'POST', path, headers, body, signal: neverAborted() });
  assert.equal(status, 201);
};

/** A watch as bytes on a connection: a client library for each would cost more than the server. */
const openWatch = async (namespace: string): Promise<TLSSocket> => {
  const options = { port: server.port, host: '127.0.0.1', ca: authority, ...(session !== undefined && { session }) };
  const socket = connect(options);
  socket.on('error', () => undefined);
  socket.once('session', (ticket: Buffer) => {
    session = ticket;
  });
  await once(socket, 'secureConnect');
  const path = `/api/v1/namespaces/${namespace}/configmaps?watch=1&resourceVersion=0`;
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer t0ken\r\n\r\n`);
  const [head] = await once(socket, 'data');
  assert.match(String(head), /^HTTP\/1.1 200/);
  return socket;
};

const openMany = async (count: number, namespace: string): Promise<readonly TLSSocket[]> => {
  const sockets: TLSSocket[] = [];
  while (sockets.length < count) {
    sockets.push(...(await Promise.all(Array.from({ length: OPENED_AT_ONCE }, () => openWatch(namespace)))));
  }
  return sockets;
};

test(
  'of a thousand watchers those that do not read are cut off, within bounds, and all others see every event',
  LIMIT,
  async () => {
    const readers = await openMany(READERS, 'kube-public');
    let seen = 0;
    const { promise: allSeen, resolve } = Promise.withResolvers<void>();
    for (const reader of readers) {
      reader.on('data', (bytes: Buffer) => {
        seen += bytes.toString().split('"type":"ADDED"').length - 1;
        if (seen === (READERS * WRITES) / SMALL_EVERY) resolve();
      });
    }
    const silent = await openMany(SILENT, 'default');
    for (const socket of silent) socket.pause();
    const before = process.memoryUsage().rss;
    let highest = before;
    for (let at = 0; at < WRITES; at += 1) {
      await write('default', `large-${at}`, TEXT);
      if (at % SMALL_EVERY === 0) await write('kube-public', `small-${at}`, '');
      await new Promise(setImmediate);
      highest = Math.max(highest, process.memoryUsage().rss);
    }
    await allSeen;
    assert.ok(readers.every(({ destroyed }) => !destroyed));
    assert.ok(highest - before < GROWTH_BYTES_MAX, `memory grew by ${Math.round((highest - before) / KB / KB)} MB`);
    // What the kernel had taken can still be read; then the connection ends, in the middle of an answer.
    await Promise.all(
      silent.map(async (socket) => {
        const closed = once(socket, 'close');
        socket.resume();
        await closed;
      }),
    );
    for (const reader of readers) reader.destroy();
  },
);
