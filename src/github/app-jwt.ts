/** How a GitHub App says who it is: a JWT signed with its key, good for minutes. */
import { createPrivateKey, createSign, type KeyObject } from 'node:crypto';
import { FleetError } from '../base/errors.ts';
import { Secret } from '../base/secret.ts';
import type { GitHubApp } from './port.ts';

/** GitHub refuses what is from the future of its own clock, and what lives longer than ten minutes. */
const BACKDATE_S = 30;
const LIFE_S = 540;

export const signAppJwt = ({ appId, privateKey }: GitHubApp, nowMs: number): Secret<string> => {
  const now = Math.floor(nowMs / 1_000);
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { iat: now - BACKDATE_S, exp: now + LIFE_S, iss: appId };
  const text = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}`;
  const signature = createSign('RSA-SHA256').update(text).sign(parseKey(privateKey));
  return new Secret(`${text}.${signature.toString('base64url')}`);
};

const parseKey = (pem: Secret<string>): KeyObject => {
  try {
    const key = createPrivateKey(pem.reveal());
    if (key.asymmetricKeyType === 'rsa') return key;
  } catch {
    // What OpenSSL says of a bad key helps nobody, and may quote it.
  }
  throw new FleetError('invalid', {
    code: 'GitHubKeyUnreadable',
    message: 'the private key of the GitHub App is no RSA key in PEM',
    hint: 'Put the .pem file that GitHub gave you into the Secret as private-key.',
  });
};
