import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { silentLogger } from '../../base/logger.ts';
import { Secret } from '../../base/secret.ts';
import { createAuthority, issueCertificate } from '../../pki/authority.ts';
import { parseCertificates, renderCertificate } from '../../pki/certificate.ts';
import { parseCsr } from '../../pki/csr.ts';
import { createKeyPair } from '../../pki/key.ts';
import type { KubeClient } from '../client/client.ts';
import type { Credentials, CredentialsSource } from '../client/login/credentials.ts';
import { createHarness } from '../testing/harness.ts';
import { CERTIFICATE_SIGNING_REQUESTS, type CertificateSigningRequest } from '../types/certificates.ts';
import { parseKeptIdentity } from './kept-identity.ts';
import { createNodeCredentials, type IdentityDisk, type NodeCredentials } from './node-identity.ts';

const HOUR_MS = 3_600_000;

/** Tells of every object that is made. */
const noting = (client: KubeClient, note: () => void): KubeClient => ({
  ...client,
  create: (...args) => {
    note();
    return client.create(...args);
  },
});

/** One Mac; an agent on it may be started again, and only its disk stays. */
const stageMac = () => {
  const { client, clock, random, stop, advance } = createHarness();
  const { signal } = stop;
  const written: Secret<string>[] = [];
  const disk: IdentityDisk = {
    read: async () => written.at(-1),
    write: async (text) => void written.push(text),
  };
  const keyPair = createKeyPair(random);
  const life = { notBeforeMs: clock.now(), notAfterMs: clock.now() + 100 * HOUR_MS };
  const authority = createAuthority({ subject: { commonName: 'authority' }, keyPair, random, ...life });
  /** How each request was made: with the token, or with a certificate. */
  const ways: string[] = [];
  const start = (nodeName = 'mac-1'): NodeCredentials => {
    const joining = noting(client, () => ways.push('token'));
    const connect = () => ({ client: noting(client, () => ways.push('certificate')), close: () => Promise.resolve() });
    return createNodeCredentials({ clock, random, logger: silentLogger, nodeName, disk, joining, connect });
  };
  const requests = async (): Promise<readonly CertificateSigningRequest[]> =>
    (await client.list(CERTIFICATE_SIGNING_REQUESTS, { signal })).items;
  const tell = async ({ metadata }: CertificateSigningRequest, status: CertificateSigningRequest['status']) => {
    const patch = { type: 'merge', body: { status } } as const;
    await client.patch(CERTIFICATE_SIGNING_REQUESTS, { name: metadata.name }, patch, { signal, subresource: 'status' });
  };
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 8; turn += 1) await advance(1_000);
  };
  /** Signs everything that waits, for an hour. */
  const sign = async (): Promise<void> => {
    await settle();
    for (const request of await requests()) {
      if (request.status !== undefined) continue;
      const csr = parseCsr(Buffer.from(request.spec.request, 'base64').toString());
      const hour = { notBeforeMs: clock.now(), notAfterMs: clock.now() + HOUR_MS };
      const { publicKey } = csr;
      const issued = issueCertificate(authority, {
        identity: csr,
        publicKey,
        usages: ['client auth'],
        random,
        ...hour,
      });
      await tell(request, { certificate: Buffer.from(renderCertificate(issued)).toString('base64') });
    }
    await settle();
  };
  const current = async (agent: CredentialsSource): Promise<Credentials> => {
    const answer = agent.current(signal);
    answer.catch(() => undefined);
    await sign();
    return answer;
  };
  const deny = async (): Promise<void> => {
    await settle();
    for (const request of await requests())
      await tell(request, { conditions: [{ type: 'Denied', status: 'True', message: 'the token was used before' }] });
    await settle();
  };
  return { start, current, sign, requests, deny, settle, advance, disk, written, ways, signal };
};

const nameIn = ({ certificate }: Credentials): string | undefined =>
  parseCertificates(certificate?.certificatePem ?? '')[0].commonName;

describe('the identity of an agent', () => {
  it('comes by the token once, with a key that was on the disk before anybody saw it', async () => {
    const { start, current, settle, requests, written, ways } = stageMac();
    const agent = start();
    const answer = current(agent);
    await settle();
    const [first] = written;
    assert.ok(first !== undefined && parseKeptIdentity(first).nextKeyPem !== undefined);
    assert.equal(nameIn(await answer), 'system:node:mac-1');
    assert.deepEqual([ways, (await requests()).length], [['token'], 1]);
  });

  it('is there again after a start, and nobody is asked', async () => {
    const { start, current, requests } = stageMac();
    const before = await current(start());
    const after = await current(start());
    assert.equal(after.certificate?.certificatePem, before.certificate?.certificatePem);
    assert.equal((await requests()).length, 1);
  });

  it('is waited for by the next agent too, when the first died before it came', async () => {
    const { start, current, requests, settle, signal } = stageMac();
    const dead = start().current(signal);
    dead.catch(() => undefined);
    await settle();
    assert.equal(nameIn(await current(start())), 'system:node:mac-1');
    assert.equal((await requests()).length, 1, 'for the same key');
  });

  it('is renewed by the certificate in good time', async () => {
    const { start, current, advance, ways } = stageMac();
    const agent = start();
    const first = await current(agent);
    await advance(HOUR_MS * 0.95);
    assert.equal(await current(agent), first, 'good until the next is there');
    const second = await current(agent);
    assert.notEqual(second.certificate?.certificatePem, first.certificate?.certificatePem);
    assert.deepEqual(ways, ['token', 'certificate']);
  });

  it('is shown until its end while nobody approves the next', async () => {
    const { start, current, advance, settle, requests, signal } = stageMac();
    const agent = start();
    const first = await current(agent);
    await advance(HOUR_MS * 0.91);
    for (let minute = 0; minute < 4; minute += 1) {
      let shown: Credentials | undefined;
      agent.current(signal).then((credentials) => {
        shown = credentials;
      }, assert.fail);
      await settle();
      assert.equal(shown, first);
      await advance(52_000);
    }
    assert.equal((await requests()).length, 2, 'one key is asked for, however often it is looked');
  });

  it('comes by the token again once the certificate has expired', async () => {
    const { start, current, advance, ways } = stageMac();
    await current(start());
    await advance(HOUR_MS + 1_000);
    assert.equal(nameIn(await current(start())), 'system:node:mac-1');
    assert.deepEqual(ways, ['token', 'token']);
  });

  it('of another Node is of no use', async () => {
    const { start, current } = stageMac();
    await current(start('mac-1'));
    assert.equal(nameIn(await current(start('mac-2'))), 'system:node:mac-2');
  });

  it('is asked for with another key after it was denied', async () => {
    const { start, current, deny, advance, requests, signal } = stageMac();
    const agent = start();
    const denied = assert.rejects(agent.current(signal), { code: 'CertificateDenied' });
    await deny();
    await denied;
    await advance(11_000);
    assert.equal(nameIn(await current(agent)), 'system:node:mac-1');
    assert.equal((await requests()).length, 2);
  });

  it('is asked for ever more rarely by whoever is turned away', async () => {
    const { start, deny, advance, requests, signal } = stageMac();
    const agent = start();
    for (let minute = 0; minute < 120; minute += 1) {
      agent.current(signal).catch(() => undefined);
      await deny();
      await advance(52_000);
    }
    const count = (await requests()).length;
    assert.ok(count > 10 && count < 80, `${count} requests in two hours`);
  });

  it('is renewed in good time while nobody asks for anything', async () => {
    const { start, current, advance, sign, ways } = stageMac();
    const agent = start();
    await current(agent);
    const stop = new AbortController();
    const kept = agent.keep(stop.signal);
    for (let minute = 0; minute < 58; minute += 1) {
      await advance(52_000);
      await sign();
    }
    assert.deepEqual(ways, ['token', 'certificate']);
    stop.abort();
    await kept;
  });

  it('that cannot be read is told without a word of the key in it', () => {
    const text = new Secret('{"key": "-----BEGIN');
    assert.throws(
      () => parseKeptIdentity(text),
      (error: Error) => /cannot be read/.test(error.message) && !/BEGIN/.test(error.message),
    );
  });
});
