/**
 * Bearer tokens: those of ServiceAccounts, which this server signs itself, bootstrap tokens, and a table of others. A
 * signature is checked once per token and remembered; whether the token still holds is looked at every time.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../base/clock.ts';
import type { Secret } from '../../../base/secret.ts';
import type { KeyPair } from '../../../pki/key.ts';
import type { Store } from '../../store/store.ts';
import { AUTHENTICATED_GROUP, type User } from '../user.ts';
import { readBootstrapToken } from './bootstrap-token.ts';
import { type Claims, readUnverifiedClaims, renderJwk, signJwt, verifyJwt } from './jwt.ts';
import { judgeClaims } from './service-account-token.ts';

export interface KnownToken {
  readonly token: Secret<string>;
  readonly user: User;
}

export type TokenReading =
  | { readonly is: 'good'; readonly user: User; readonly audiences: readonly string[] }
  /** Nobody who is asked knows it, or it does not hold. */
  | { readonly is: 'bad'; readonly why: string };

export interface Tokens {
  readonly issuer: string;
  /** Of the API server itself: what a token is for unless something else was asked for. */
  readonly audiences: readonly string[];
  read(token: string, audiences?: readonly string[]): TokenReading;
  sign(claims: Claims): string;
  /** The keys that tokens are signed with, for those who check them themselves. */
  renderKeys(): object;
}

export interface TokensDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly signingKey: KeyPair;
  readonly issuer?: string;
  readonly known?: readonly KnownToken[];
}

const ISSUER = 'https://kubernetes.default.svc.cluster.local';
const REMEMBERED_MAX = 1_024;
const INVALID = 'invalid bearer token';

export const createTokens = ({ store, clock, signingKey, issuer = ISSUER, known = [] }: TokensDeps): Tokens => {
  const ownAudiences = [issuer];
  const verified = rememberClaims((token) => verifyJwt(token, signingKey.publicKey));

  const readServiceAccountToken = (token: string, wanted: readonly string[]): TokenReading => {
    const claims = verified(token);
    if (claims === undefined) return { is: 'bad', why: INVALID };
    const { aud } = claims;
    const audiences = wanted.filter((audience) => Array.isArray(aud) && aud.includes(audience));
    if (audiences.length === 0) {
      const why = `token audiences ${renderList(aud)} is invalid for the target audiences ${renderList(wanted)}`;
      return { is: 'bad', why: `[${INVALID}, ${why}]` };
    }
    const verdict = judgeClaims(claims, { store, nowMs: clock.now() });
    if (verdict.is === 'bad') return { is: 'bad', why: `[${INVALID}, ${verdict.why}]` };
    return { is: 'good', user: authenticated(verdict.user), audiences };
  };

  return {
    issuer,
    audiences: ownAudiences,
    sign: (claims) => signJwt(claims, signingKey),
    renderKeys: () => ({ keys: [renderJwk(signingKey.publicKey)] }),
    read: (token, audiences = ownAudiences) => {
      const found = known.find((one) => isSameText(one.token.reveal(), token))?.user;
      const user = found ?? readBootstrapToken(token, { store, nowMs: clock.now() });
      const own = audiences.filter((audience) => ownAudiences.includes(audience));
      if (user !== undefined && own.length > 0) return { is: 'good', user: authenticated(user), audiences: own };
      if (readUnverifiedClaims(token)?.['iss'] !== issuer) return { is: 'bad', why: INVALID };
      return readServiceAccountToken(token, audiences);
    },
  };
};

const authenticated = (user: User): User =>
  user.groups.includes(AUTHENTICATED_GROUP) ? user : { ...user, groups: [...user.groups, AUTHENTICATED_GROUP] };

/** As Go prints a list of texts. */
const renderList = (list: unknown): string =>
  `[${(Array.isArray(list) ? list : [list]).map((item) => JSON.stringify(item)).join(' ')}]`;

/** Holds digests only; the oldest is forgotten first. */
const rememberClaims = (verify: (token: string) => Claims | undefined) => {
  const remembered = new Map<string, Claims>();
  return (token: string): Claims | undefined => {
    const key = digest(token).toString('base64');
    const found = remembered.get(key);
    if (found !== undefined) return found;
    const claims = verify(token);
    if (claims === undefined) return undefined;
    const [oldest] = remembered.keys();
    if (oldest !== undefined && remembered.size >= REMEMBERED_MAX) remembered.delete(oldest);
    remembered.set(key, claims);
    return claims;
  };
};

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Takes the same time wherever the texts differ. */
const isSameText = (left: string, right: string): boolean => timingSafeEqual(digest(left), digest(right));
