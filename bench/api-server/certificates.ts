/** A fresh authority and a certificate for the loopback address. */
import { createSystemRandom } from '../../src/base/random.ts';
import { createAuthority, issueCertificate } from '../../src/pki/authority.ts';
import { renderCertificate } from '../../src/pki/certificate.ts';
import { createKeyPair, renderPrivateKey } from '../../src/pki/key.ts';

export interface ServerCertificates {
  readonly caPem: string;
  readonly certificatePem: string;
  readonly keyPem: string;
}

const DAY_MS = 86_400_000;

export const createCertificates = (): ServerCertificates => {
  const random = createSystemRandom();
  const nowMs = Date.now();
  const life = { notBeforeMs: nowMs - DAY_MS, notAfterMs: nowMs + DAY_MS };
  const authority = createAuthority({
    subject: { commonName: 'bench' },
    keyPair: createKeyPair(random),
    random,
    ...life,
  });
  const keyPair = createKeyPair(random);
  const certificate = issueCertificate(authority, {
    identity: { commonName: 'api-server', ipAddresses: ['127.0.0.1'] },
    publicKey: keyPair.publicKey,
    usages: ['digital signature', 'server auth'],
    random,
    ...life,
  });
  return {
    caPem: renderCertificate(authority.certificate),
    certificatePem: renderCertificate(certificate),
    keyPem: renderPrivateKey(keyPair).reveal(),
  };
};
