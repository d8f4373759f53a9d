/**
 * Whom credentials make that are shown without TLS, by a client in this process. A certificate counts while the cluster's authority
 * vouches for it, it has not expired, and whoever shows it has its key: as the TLS library judges elsewhere.
 */
import type { Clock } from '../../base/clock.ts';
import type { ClientCertificate, Credentials } from '../../kube/client/login/credentials.ts';
import type { Authority } from '../../pki/authority.ts';
import { parseCertificates } from '../../pki/certificate.ts';
import { checkChain } from '../../pki/chain.ts';
import { isSameKey, parsePrivateKey } from '../../pki/key.ts';
import { authenticate, type ShownCertificate } from './authenticate.ts';
import type { Tokens } from './tokens/tokens.ts';
import type { User } from './user.ts';

export interface ShownCredentialsDeps {
  readonly authority: Authority;
  /** The API's. */
  readonly clock: Clock;
  readonly tokens: () => Tokens;
}

/** Undefined: what was shown is not believed. */
export type UserOfCredentials = (shown: Credentials) => User | undefined;

export const createShownCredentials = ({ authority, clock, tokens }: ShownCredentialsDeps): UserOfCredentials => {
  /** Read once; whether it is still valid is asked every time. */
  const vouched = new WeakMap<ClientCertificate, Vouched>();
  const judge = (certificate: ClientCertificate): ShownCertificate => {
    const found = vouched.get(certificate) ?? vouchFor(certificate, authority, clock.now());
    vouched.set(certificate, found);
    return clock.now() >= found.notAfterMs ? { is: 'bad' } : found.shown;
  };
  return ({ certificate, token }) =>
    authenticate(
      {
        certificate: certificate && judge(certificate),
        authorization: token && `Bearer ${token.reveal()}`,
      },
      tokens(),
    );
};

/** No more of a certificate than is asked for: there are as many as there are Macs. */
interface Vouched {
  readonly shown: ShownCertificate;
  readonly notAfterMs: number;
}

const vouchFor = (
  { certificatePem, keyPem }: ClientCertificate,
  { certificate: root }: Authority,
  atMs: number,
): Vouched => {
  const [certificate] = parseCertificates(certificatePem);
  const { commonName = '', organizations, fingerprintSha256: sha256, notAfterMs } = certificate;
  const isOurs = checkChain({ certificate, roots: [root], atMs, usage: 'client auth' }).trusted;
  const isItsOwn = isOurs && isSameKey(certificate.publicKey, parsePrivateKey(keyPem).publicKey);
  return { shown: isItsOwn ? { is: 'good', commonName, organizations, sha256 } : { is: 'bad' }, notAfterMs };
};
