/** The identity of a Mac as the text on its disk. Pure. */
import { FleetError } from '../../base/errors.ts';
import { isRecord } from '../../base/json.ts';
import { Secret } from '../../base/secret.ts';
import type { ClientCertificate } from '../client/login/credentials.ts';

export interface KeptIdentity {
  readonly current: ClientCertificate | undefined;
  /** A key that a certificate was, or is about to be, asked for. */
  readonly nextKeyPem: Secret<string> | undefined;
}

export const renderKeptIdentity = ({ current, nextKeyPem }: KeptIdentity): Secret<string> =>
  new Secret(
    JSON.stringify({
      ...(current === undefined ? {} : { certificate: current.certificatePem, key: current.keyPem.reveal() }),
      ...(nextKeyPem === undefined ? {} : { nextKey: nextKeyPem.reveal() }),
    }),
  );

export const parseKeptIdentity = (text: Secret<string>): KeptIdentity => {
  const kept = parseText(text);
  const field = (name: string): string | undefined => {
    const value = kept[name];
    return typeof value === 'string' ? value : undefined;
  };
  const [certificatePem, key, nextKey] = [field('certificate'), field('key'), field('nextKey')];
  return {
    current:
      certificatePem === undefined || key === undefined ? undefined : { certificatePem, keyPem: new Secret(key) },
    nextKeyPem: nextKey === undefined ? undefined : new Secret(nextKey),
  };
};

/** The reason of the parser is left out: it would quote a key. */
const parseText = (text: Secret<string>): Readonly<Record<string, unknown>> => {
  try {
    const parsed: unknown = JSON.parse(text.reveal());
    if (isRecord(parsed)) return parsed;
  } catch {
    // Told below.
  }
  throw new FleetError('invalid', {
    code: 'IdentityUnreadable',
    message: 'what this Mac keeps of its identity cannot be read',
    hint: 'Remove the file; the Mac gets another identity once it is bootstrapped anew.',
  });
};
