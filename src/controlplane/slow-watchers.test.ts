/** Watchers that do not read what they asked for: they are cut off, and nobody else notices. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { after, test } from 'node:test';
import { createSystemClock } from '../base/clock.ts';
import { silentLogger } from '../base/logger.ts';
import { createSystemRandom } from '../base/random.ts';
import { Secret } from '../base/secret.ts';
import { renderCertificate } from '../pki/certificate.ts';
import type { ByteSink } from './api/http.ts';
import { issueServerCertificate } from './auth/client-certificate.ts';
import { createControlPlane } from './control-plane.ts';
import { startHttpsServer, type UnsentLimits } from './https-server.ts';

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

/** A server all of whose answers are streams, written by the test. */
const startStreams = async (unsentLimits: UnsentLimits) => {
  const sinks = new Set<ByteSink>();
  const body = (sink: ByteSink) => {
    sinks.add(sink);
    return () => void sinks.delete(sink);
  };
  const response = { status: 200, headers: {}, body };
  const server = await startHttpsServer({
    ...{ tokens: plane.tokens, clock, logger: silentLogger, port: 0, unsentLimits },
    api: { handle: () => response, answer: async () => response, close: () => undefined },
    serving: issueServerCertificate(
      { authority: plane.authority, clock, random },
      { dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] },
    ),
    clientAuthority: renderCertificate(plane.authority.certificate),
  });
  const open = async (): Promise<IncomingMessage> => {
    const headers = { authorization: 'Bearer t0ken' };
    const ca = renderCertificate(plane.authority.certificate);
    const sending = request(`${server.url}/`, { ca, headers, agent: false });
    sending.on('error', () => undefined);
    sending.end();
    const [answer]: IncomingMessage[] = await once(sending, 'response');
    assert.ok(answer);
    answer.on('error', () => undefined);
    return answer;
  };
  return { server, sinks, open };
};

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

for (const { story, limits, left } of rows) {
  test(`of watchers that do not read, ${story}, and one that reads gets everything`, LIMIT, async () => {
    const { server, sinks, open } = await startStreams(limits);
    for (let silent = 0; silent < 5; silent += 1) await open();
    const reader = await open();
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
