/** Who a request comes from: a client certificate of our authority, a bearer token, or nobody in particular. */
import type { Tokens } from './tokens/tokens.ts';
import { ANONYMOUS, AUTHENTICATED_GROUP, type User } from './user.ts';

/** A certificate that came with the connection. */
export type ShownCertificate =
  | {
      readonly is: 'good';
      readonly commonName: string;
      readonly organizations: readonly string[];
      readonly sha256: string;
    }
  /** Expired, of another authority, not for clients, or not readable. */
  | { readonly is: 'bad' };

export interface Credentials {
  readonly certificate: ShownCertificate | undefined;
  readonly authorization: string | undefined;
}

/** Undefined: what was shown is not believed. Who shows nothing is anonymous. */
export const authenticate = (
  { certificate, authorization }: Credentials,
  tokens: Pick<Tokens, 'read'>,
): User | undefined => {
  if (certificate?.is === 'good' && certificate.commonName !== '') {
    const { commonName: name, organizations, sha256 } = certificate;
    const extra = { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${sha256}`] };
    return { name, groups: [...organizations, AUTHENTICATED_GROUP], extra };
  }
  const [, token] = /^bearer +(\S+)/i.exec(authorization ?? '') ?? [];
  if (token === undefined) return certificate === undefined ? ANONYMOUS : undefined;
  const reading = tokens.read(token);
  return reading.is === 'good' ? reading.user : undefined;
};
