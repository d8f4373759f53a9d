/**
 * Signed tokens (JWS, compact, ES256): made with one key, believed only when they are signed with it. What a token says
 * is not judged here.
 */
import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { isRecord } from '../../../base/json.ts';
import type { KeyPair } from '../../../pki/key.ts';

export type Claims = Readonly<Record<string, unknown>>;

const ALGORITHM = 'ES256';
/** Longer than any token of ours; a hostile one must not cost more. */
const LENGTH_MAX = 16_384;

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Names a key by what it is, as a real API server does. */
const keyIdOf = (publicKey: KeyObject): string =>
  createHash('sha256')
    .update(publicKey.export({ format: 'der', type: 'spki' }))
    .digest('base64url');

export const signJwt = (claims: Claims, { publicKey, privateKey }: KeyPair): string => {
  const signed = `${encode({ alg: ALGORITHM, kid: keyIdOf(publicKey) })}.${encode(claims)}`;
  const key = privateKey.reveal();
  return `${signed}.${sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
};

/** The token's claims without looking at the signature: enough to see whose token it claims to be. */
export const readUnverifiedClaims = (token: string): Claims | undefined => {
  const parts = token.length <= LENGTH_MAX ? token.split('.') : [];
  return parts.length === 3 ? decode(parts[1]) : undefined;
};

/** The claims, or undefined when the token was not signed with this key. */
export const verifyJwt = (token: string, publicKey: KeyObject): Claims | undefined => {
  const claims = readUnverifiedClaims(token);
  const [head, body, signature] = token.split('.');
  const header = decode(head);
  if (claims === undefined || header?.['alg'] !== ALGORITHM || signature === undefined) return undefined;
  if (header['kid'] !== undefined && header['kid'] !== keyIdOf(publicKey)) return undefined;
  const data = Buffer.from(`${head}.${body}`);
  const bytes = Buffer.from(signature, 'base64url');
  return verify('sha256', data, { key: publicKey, dsaEncoding: 'ieee-p1363' }, bytes) ? claims : undefined;
};

const decode = (part: string | undefined): Claims | undefined => {
  if (part === undefined || !/^[\w-]+$/.test(part)) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** The public key for those who check tokens themselves (`/openid/v1/jwks`). */
export const renderJwk = (publicKey: KeyObject): object => {
  const { kty, crv, x, y } = createPublicKey(publicKey.export({ format: 'pem', type: 'spki' })).export({
    format: 'jwk',
  });
  return { use: 'sig', kty, kid: keyIdOf(publicKey), crv, alg: ALGORITHM, x, y };
};
