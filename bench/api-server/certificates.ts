/** A fresh authority, a certificate for the loopback address, and those of clients. */
import { createSystemRandom } from '../../src/base/random.ts';
import { createAuthority, issueCertificate } from '../../src/pki/authority.ts';
import { renderCertificate } from '../../src/pki/certificate.ts';
import type { Usage } from '../../src/pki/extensions.ts';
import type { Identity } from '../../src/pki/identity.ts';
import { createKeyPair, renderPrivateKey } from '../../src/pki/key.ts';

interface CertifiedKey {
  readonly certificatePem: string;
  readonly keyPem: string;
}

export interface ServerCertificates extends CertifiedKey {
  readonly caPem: string;
  /** For a client of this name. */
  issueClient(commonName: string): CertifiedKey;
}

const DAY_MS = 86_400_000;

export const createCertificates = (): ServerCertificates => {
  const random = createSystemRandom();
  const nowMs = Date.now();
  const life = { notBeforeMs: nowMs - DAY_MS, notAfterMs: nowMs + DAY_MS };
  const subject = { commonName: 'bench' };
  const authority = createAuthority({ subject, keyPair: createKeyPair(random), random, ...life });
  const issue = (identity: Partial<Identity>, usage: Usage): CertifiedKey => {
    const keyPair = createKeyPair(random);
    const { publicKey } = keyPair;
    const usages: readonly Usage[] = ['digital signature', usage];
    const certificate = issueCertificate(authority, { identity, publicKey, usages, random, ...life });
    return { certificatePem: renderCertificate(certificate), keyPem: renderPrivateKey(keyPair).reveal() };
  };
  return {
    caPem: renderCertificate(authority.certificate),
    ...issue({ commonName: 'api-server', ipAddresses: ['127.0.0.1'] }, 'server auth'),
    issueClient: (commonName) => issue({ commonName }, 'client auth'),
  };
};
