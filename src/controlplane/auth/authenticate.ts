/** Who a request comes from: a client certificate that TLS has verified, or a bearer token from a table. Nobody else. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Secret } from '../../base/secret.ts';
import { AUTHENTICATED_GROUP, type User } from './user.ts';

export interface KnownToken {
  readonly token: Secret<string>;
  readonly user: User;
}

export interface Credentials {
  /** Subject of a client certificate whose chain TLS accepted. */
  readonly certificate: { readonly commonName: string; readonly organizations: readonly string[] } | undefined;
  readonly authorization: string | undefined;
}

/** Undefined: the request says nothing, or something that is not known, about who sends it. */
export const authenticate = (credentials: Credentials, tokens: readonly KnownToken[]): User | undefined => {
  const { certificate, authorization } = credentials;
  if (certificate !== undefined && certificate.commonName !== '') {
    return { name: certificate.commonName, groups: [...certificate.organizations, AUTHENTICATED_GROUP] };
  }
  const [, sent] = /^Bearer (\S+)$/i.exec(authorization ?? '') ?? [];
  if (sent === undefined) return undefined;
  const found = tokens.find(({ token }) => isSameText(token.reveal(), sent));
  if (found === undefined) return undefined;
  const { name, groups } = found.user;
  return { name, groups: groups.includes(AUTHENTICATED_GROUP) ? groups : [...groups, AUTHENTICATED_GROUP] };
};

/** Takes the same time wherever the texts differ. */
const isSameText = (left: string, right: string): boolean => timingSafeEqual(digest(left), digest(right));

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
