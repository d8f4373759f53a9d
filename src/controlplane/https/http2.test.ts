/** What holds over HTTP/1.1 (https-server.test.ts) holds over HTTP/2, and what only HTTP/2 can do wrong does no harm. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { constants } from 'node:http2';
import { after, before, describe, test } from 'node:test';
import { type Clock, createSystemClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { createSystemRandom } from '../../base/random.ts';
import { Secret } from '../../base/secret.ts';
import { renderCertificate } from '../../pki/certificate.ts';
import { issueClientCertificate, issueServerCertificate } from '../auth/client-certificate.ts';
import { ADMIN } from '../auth/user.ts';
import { createControlPlane } from '../control-plane.ts';
import { type HttpsServer, startHttpsServer } from '../https-server.ts';
import { openHttp2Client } from './testing/http2-client.ts';

const LIMIT = { timeout: 60_000 };
const NODES = '/api/v1/nodes';
const MB = 1024 * 1024;
const clock = createSystemClock();
const random = createSystemRandom();
const knownTokens = [{ token: new Secret('t0ken'), user: { name: 'robot', groups: ['system:masters'] } }];
const plane = createControlPlane({ clock, random, logger: silentLogger, knownTokens });
const issuer = { authority: plane.authority, clock, random };
const ca = renderCertificate(plane.authority.certificate);
const { certificate: cert, key } = issueClientCertificate(issuer, ADMIN);
const admin = { ca, cert, key: key.reveal() };
const robot = { authorization: 'Bearer t0ken' };
const watchNodes = { ':path': `${NODES}?watch=1`, ...robot };

const start = (onClock: Clock = clock): Promise<HttpsServer> =>
  startHttpsServer({
    ...{ api: plane.api, tokens: plane.tokens, clock: onClock, logger: silentLogger, port: 0, clientAuthority: ca },
    serving: issueServerCertificate(issuer, { dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] }),
  });

let server: HttpsServer;
before(async () => {
  server = await start();
});
after(async () => {
  plane.close();
  await server.close();
});

describe('over HTTP/2', LIMIT, () => {
  const rows = [
    { story: 'a certificate says who asks', login: admin, headers: {}, status: 200 },
    { story: 'a token says who asks', login: { ca }, headers: robot, status: 200 },
    { story: 'who shows nothing may not', login: { ca }, headers: {}, status: 403 },
    { story: 'a wrong token is refused', login: { ca }, headers: { authorization: 'Bearer wrong' }, status: 401 },
    { story: 'another name of its own will do', login: admin, headers: { ':authority': 'LOCALHOST:1' }, status: 200 },
    { story: 'a foreign name is refused', login: admin, headers: { ':authority': 'evil.example' }, status: 403 },
    {
      story: 'a foreign name is refused, whatever Host says',
      ...{ login: admin, headers: { ':authority': 'evil.example', host: 'localhost' }, status: 403 },
    },
    { story: 'a method that is not served', login: admin, headers: { ':method': 'HEAD' }, status: 405 },
  ];
  for (const { story, login, headers, status } of rows) {
    test(`${story}: ${status}`, async () => {
      const client = await openHttp2Client(server.url, login);
      assert.equal((await client.ask({ ':path': NODES, ...headers })).status, status);
      client.close();
    });
  }

  test('a certificate that ends while its connection lasts is no longer believed', async () => {
    let nowMs = clock.now();
    const short = await start({ ...clock, now: () => nowMs });
    const client = await openHttp2Client(short.url, admin);
    assert.equal((await client.ask({ ':path': NODES })).status, 200);
    nowMs += 2 * 365 * 86_400_000;
    assert.equal((await client.ask({ ':path': NODES })).status, 401);
    client.close();
    await short.close();
  });

  const bodies = [
    { story: 'too large, as it says', bytes: 4 * MB, headers: { ...robot, 'content-length': 4 * MB }, status: 413 },
    { story: 'too large, without saying so', bytes: 4 * MB, headers: robot, status: 413 },
    { story: 'within bounds', bytes: 2 * MB, headers: robot, status: 400 },
    {
      story: 'of somebody who is not believed',
      bytes: 2 * MB,
      headers: { authorization: 'Bearer wrong' },
      status: 401,
    },
  ];
  for (const { story, bytes, headers, status } of bodies) {
    test(`a body ${story} is answered with ${status}, and the connection goes on`, async () => {
      const client = await openHttp2Client(server.url, { ca });
      const head = { ':path': NODES, ':method': 'POST', ...headers };
      assert.equal((await client.ask(head, Buffer.alloc(bytes, 'x'))).status, status);
      assert.equal((await client.ask({ ':path': NODES, ...robot })).status, 200);
      client.close();
    });
  }

  test('many watches share a connection, each sees its events, and one that is cancelled harms no other', async () => {
    const client = await openHttp2Client(server.url, { ca });
    const watches = Array.from({ length: 50 }, () => client.open(watchNodes));
    await Promise.all(watches.map((watch) => once(watch, 'response')));
    const [first, ...others] = watches;
    first?.close(constants.NGHTTP2_CANCEL);
    const seen = others.map((watch) => once(watch, 'data'));
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'shared' } };
    const head = { ':path': NODES, ':method': 'POST', 'content-type': 'application/json', ...robot };
    assert.equal((await client.ask(head, Buffer.from(JSON.stringify(node)))).status, 201);
    for (const [event] of await Promise.all(seen)) assert.match(String(event), /"ADDED".*"shared"/);
    client.close();
  });
});
