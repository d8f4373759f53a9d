import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSeededRandom } from '../../base/random.ts';
import { parseCsr } from '../../pki/csr.ts';
import { createKeyPair } from '../../pki/key.ts';
import { createHarness } from '../testing/harness.ts';
import { CERTIFICATE_SIGNING_REQUESTS, type CertificateSigningRequest } from '../types/certificates.ts';
import { requestNodeCertificate } from './node-certificate.ts';

const keyPair = createKeyPair(createSeededRandom('node certificate'));

const startAsking = async () => {
  const { client, clock, stop, advance } = createHarness();
  const { signal } = stop;
  const ask = () => requestNodeCertificate({ client, clock, nodeName: 'mac-1', keyPair }, signal);
  const answer = ask();
  answer.catch(() => undefined);
  await advance(0);
  const requests = async (): Promise<readonly CertificateSigningRequest[]> =>
    (await client.list(CERTIFICATE_SIGNING_REQUESTS, { signal })).items;
  const tell = async (status: CertificateSigningRequest['status']): Promise<void> => {
    const [request] = await requests();
    const name = request?.metadata.name ?? '';
    await client.patch(
      CERTIFICATE_SIGNING_REQUESTS,
      { name },
      { type: 'merge', body: { status } },
      { signal, subresource: 'status' },
    );
    for (let turn = 0; turn < 4; turn += 1) await advance(250);
  };
  return { ask, answer, advance, requests, tell };
};

describe('the certificate of a Node', () => {
  it('is asked for by name, group, signer and usages as the Node authorizer wants them', async () => {
    const { requests } = await startAsking();
    const [request] = await requests();
    const { commonName, organizations, dnsNames } = parseCsr(
      Buffer.from(request?.spec.request ?? '', 'base64').toString(),
    );
    assert.deepEqual([commonName, organizations, dnsNames], ['system:node:mac-1', ['system:nodes'], []]);
    assert.equal(request?.spec.signerName, 'kubernetes.io/kube-apiserver-client-kubelet');
    assert.deepEqual(request?.spec.usages, ['digital signature', 'client auth']);
    assert.equal(request?.spec.expirationSeconds, 3_600);
  });

  it('is given once it was signed, and a second ask for the same key waits on the same request', async () => {
    const { ask, answer, advance, requests, tell } = await startAsking();
    const again = ask();
    await advance(250);
    assert.equal((await requests()).length, 1);
    await tell({
      conditions: [{ type: 'Approved', status: 'True' }],
      certificate: Buffer.from('a certificate').toString('base64'),
    });
    assert.deepEqual(await Promise.all([answer, again]), ['a certificate', 'a certificate']);
  });

  it('is an error that says why when somebody denied it', async () => {
    const { answer, tell } = await startAsking();
    await tell({ conditions: [{ type: 'Denied', status: 'True', reason: 'Foreign', message: 'not a Mac of ours' }] });
    await assert.rejects(answer, {
      kind: 'denied',
      code: 'CertificateDenied',
      message: /mac-1 is denied: not a Mac of ours/,
    });
  });
});
