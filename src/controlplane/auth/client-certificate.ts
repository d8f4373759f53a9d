/** Certificates for the API itself and for those who talk to it. */
import type { Clock } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import type { Secret } from '../../base/secret.ts';
import { type Authority, issueCertificate } from '../../pki/authority.ts';
import { renderCertificate } from '../../pki/certificate.ts';
import { createKeyPair, renderPrivateKey } from '../../pki/key.ts';
import { AUTHENTICATED_GROUP, type User } from './user.ts';

export interface IssuerDeps {
  readonly authority: Authority;
  readonly clock: Clock;
  readonly random: Random;
}

export interface PemPair {
  readonly certificate: string;
  readonly key: Secret<string>;
}

const YEAR_MS = 365 * 86_400_000;
const BACKDATED_MS = 5 * 60_000;

const lifeFrom = (clock: Clock) => ({ notBeforeMs: clock.now() - BACKDATED_MS, notAfterMs: clock.now() + YEAR_MS });

/** Common name and organizations are what the API reads back as user and groups. */
export const issueClientCertificate = ({ authority, clock, random }: IssuerDeps, user: User): PemPair => {
  const keyPair = createKeyPair(random);
  const certificate = issueCertificate(authority, {
    identity: {
      commonName: user.name,
      organizations: user.groups.filter((group) => group !== AUTHENTICATED_GROUP),
    },
    publicKey: keyPair.publicKey,
    usages: ['digital signature', 'key encipherment', 'client auth'],
    random,
    ...lifeFrom(clock),
  });
  return { certificate: renderCertificate(certificate), key: renderPrivateKey(keyPair) };
};

/** For a server that is reached under these addresses. */
export const issueServerCertificate = (
  { authority, clock, random }: IssuerDeps,
  addresses: { readonly dnsNames: readonly string[]; readonly ipAddresses: readonly string[] },
): PemPair => {
  const keyPair = createKeyPair(random);
  const certificate = issueCertificate(authority, {
    identity: { commonName: 'macfleet-apiserver', organizations: [], ...addresses },
    publicKey: keyPair.publicKey,
    usages: ['digital signature', 'key encipherment', 'server auth'],
    random,
    ...lifeFrom(clock),
  });
  return { certificate: renderCertificate(certificate), key: renderPrivateKey(keyPair) };
};
