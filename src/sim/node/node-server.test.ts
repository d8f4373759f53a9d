import assert from 'node:assert/strict';
import { request } from 'node:https';
import { after, before, describe, it } from 'node:test';
import { createSystemClock } from '../../base/clock.ts';
import { createSeededRandom } from '../../base/random.ts';
import { createAuthority, issueCertificate } from '../../pki/authority.ts';
import { renderCertificate } from '../../pki/certificate.ts';
import { createKeyPair, renderPrivateKey } from '../../pki/key.ts';
import { createServeNode, type NodeServer } from './node-server.ts';

const clock = createSystemClock();
const random = createSeededRandom('node-server');
const life = { notBeforeMs: clock.now() - 3_600_000, notAfterMs: clock.now() + 3_600_000 };
const authorityOf = (commonName: string) =>
  createAuthority({ subject: { commonName, organizations: [] }, keyPair: createKeyPair(random), random, ...life });
const ours = authorityOf('ours');
const theirs = authorityOf('theirs');

const issue = (authority: typeof ours, commonName: string, usage: 'client auth' | 'server auth') => {
  const keyPair = createKeyPair(random);
  const certificate = issueCertificate(authority, {
    identity: { commonName, organizations: [], dnsNames: [], ipAddresses: ['127.0.0.1'] },
    ...{ publicKey: keyPair.publicKey, usages: ['digital signature', usage], random, ...life },
  });
  return { certificatePem: renderCertificate(certificate), keyPem: renderPrivateKey(keyPair) };
};

describe('the server of a Node agent', () => {
  let server: NodeServer;
  before(async () => {
    const serve = createServeNode({
      ...{ host: '127.0.0.1', clientAuthority: renderCertificate(ours.certificate), caller: 'the-api-server' },
    });
    server = await serve(() => ({ status: 200, headers: {}, body: 'hello' }));
  });
  after(() => server?.close());

  const ask = (client: Partial<ReturnType<typeof issue>>): Promise<number | string> =>
    new Promise((resolve) => {
      const { certificatePem: cert, keyPem } = client;
      const asked = request(
        {
          ...{ host: '127.0.0.1', port: server.port, path: '/', agent: false, ca: renderCertificate(ours.certificate) },
          ...(cert !== undefined && { cert, key: keyPem?.reveal() }),
        },
        (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        },
      );
      asked.on('error', () => resolve('refused'));
      asked.end();
    });

  it('answers the API server alone, and nobody before it has a certificate', async () => {
    const friend = issue(ours, 'the-api-server', 'client auth');
    assert.equal(await ask(friend), 'refused');
    server.useCertificate?.(issue(ours, 'system:node:n', 'server auth'));
    assert.equal(await ask(friend), 200);
    assert.equal(await ask({}), 401);
    assert.equal(await ask(issue(theirs, 'the-api-server', 'client auth')), 401);
    assert.equal(await ask(issue(ours, 'system:node:other', 'client auth')), 403);
  });
});
