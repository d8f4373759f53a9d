/** Node's own TLS as judge of our certificates: a real handshake on the loopback, client certificate required. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { createSystemRandom } from '../base/random.ts';
import { createAuthority, issueCertificate } from './authority.ts';
import { parseCertificateDer, renderCertificate } from './certificate.ts';
import type { Usage } from './extensions.ts';
import { createKeyPair, type KeyAlgorithm, renderPrivateKey } from './key.ts';

const random = createSystemRandom();
const life = { notBeforeMs: Date.UTC(2000, 0, 1), notAfterMs: Date.UTC(2090, 0, 1) };

const anAuthority = (algorithm: KeyAlgorithm) =>
  createAuthority({ subject: { commonName: 'ca' }, keyPair: createKeyPair(random, algorithm), random, ...life });

const aParty = (authority: ReturnType<typeof anAuthority>, usage: Usage) => {
  const keyPair = createKeyPair(random);
  const certificate = issueCertificate(authority, {
    identity: { commonName: 'system:node:mac-1', organizations: ['system:nodes'], ipAddresses: ['127.0.0.1'] },
    publicKey: keyPair.publicKey,
    usages: ['digital signature', usage],
    random,
    ...life,
  });
  return { cert: renderCertificate(certificate), key: renderPrivateKey(keyPair).reveal() };
};

/** What the server learned about its client, or the error with which it turned it away. */
const handshake = async (server: object, client: object): Promise<Buffer | string> => {
  const listener = createServer({ requestCert: true, rejectUnauthorized: true, ...server });
  const outcome = new Promise<Buffer | string>((resolve) => {
    listener.on('secureConnection', (socket: TLSSocket) => resolve(socket.getPeerCertificate(true).raw));
    listener.on('tlsClientError', (error: Error & { code?: string }) => resolve(error.code ?? error.message));
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  const socket = connect({ host: '127.0.0.1', port, ...client });
  socket.on('error', () => undefined);
  try {
    return await outcome;
  } finally {
    socket.destroy();
    listener.close();
  }
};

describe('a TLS handshake', () => {
  for (const algorithm of ['ec-p256', 'ed25519'] as const) {
    test(`succeeds under an ${algorithm} authority, and the server knows its client`, async () => {
      const authority = anAuthority(algorithm);
      const ca = renderCertificate(authority.certificate);
      const peer = await handshake(
        { ca, ...aParty(authority, 'server auth') },
        { ca, ...aParty(authority, 'client auth') },
      );
      assert.ok(Buffer.isBuffer(peer), String(peer));
      const { commonName, organizations } = parseCertificateDer(peer);
      assert.deepEqual([commonName, organizations], ['system:node:mac-1', ['system:nodes']]);
    });
  }

  const authority = anAuthority('ec-p256');
  const ca = renderCertificate(authority.certificate);
  const refused: readonly (readonly [string, object, object])[] = [
    ['no client certificate', aParty(authority, 'server auth'), {}],
    ['a client of another authority', aParty(authority, 'server auth'), aParty(anAuthority('ec-p256'), 'client auth')],
    ['a client certificate that is for servers', aParty(authority, 'server auth'), aParty(authority, 'server auth')],
  ];
  for (const [story, server, client] of refused) {
    test(`is refused with ${story}`, async () => {
      assert.equal(typeof (await handshake({ ca, ...server }, { ca, ...client })), 'string');
    });
  }

  test('is refused by the client when the server certificate is for clients', async () => {
    const answer = await handshake(
      { ca, ...aParty(authority, 'client auth') },
      { ca, ...aParty(authority, 'client auth') },
    );
    assert.equal(typeof answer, 'string');
  });
});
