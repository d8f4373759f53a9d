/** A certificate authority: makes itself, and issues certificates. Time and serial numbers come from the caller. */
import { createHash, type KeyObject } from 'node:crypto';
import {
  type Extension,
  Extensions,
  type Name,
  TBSCertificate,
  Time,
  Validity as ValidityAsn,
  Version,
} from '@peculiar/asn1-x509';
import { toTimestamp } from '../base/clock.ts';
import { FleetError } from '../base/errors.ts';
import type { Random } from '../base/random.ts';
import type { Secret } from '../base/secret.ts';
import { type Certificate, decodeCertificate, parseCertificateDer, parseCertificates } from './certificate.ts';
import { encodeDer } from './der.ts';
import { encodeExtensions, type Usage } from './extensions.ts';
import { encodeSubject, type Identity, type Subject } from './identity.ts';
import { encodePublicKey, isSameKey, type KeyPair, parsePrivateKey } from './key.ts';
import type { Validity } from './renewal.ts';
import { createSigner, signDer } from './signature.ts';

export interface Authority {
  readonly certificate: Certificate;
  readonly keyPair: KeyPair;
}

export interface AuthorityRequest extends Validity {
  readonly subject: Partial<Subject>;
  readonly keyPair: KeyPair;
  readonly random: Random;
}

export interface IssueRequest extends Validity {
  /** A `Csr` fits here; what of it may be certified is the caller's decision. */
  readonly identity: Partial<Identity>;
  readonly publicKey: KeyObject;
  readonly usages: readonly Usage[];
  readonly random: Random;
}

/** The end of the year 9999, the last second that a certificate can express. */
const LAST_MS = 253_402_300_799_000;

/** A self-signed authority. */
export const createAuthority = (request: AuthorityRequest): Authority => {
  const { keyPair, random } = request;
  const subject = encodeSubject(request.subject);
  const extensions = encodeExtensions({
    identity: request.subject,
    usages: ['digital signature', 'key encipherment', 'cert sign'],
    ca: 'yes',
    subjectKeyId: keyIdOf(keyPair.publicKey),
  });
  const draft = {
    issuer: subject,
    subject,
    publicKey: keyPair.publicKey,
    extensions,
    validity: encodeValidity(checkedLife(request)),
  };
  return { certificate: signCertificate(draft, { keyPair, random }), keyPair };
};

/** Reads an authority that is kept as PEM; `invalid` when the key is not the certificate's or it is no CA. */
export const parseAuthority = (certificatePem: string, keyPem: Secret<string>): Authority => {
  const [certificate] = parseCertificates(certificatePem);
  const keyPair = parsePrivateKey(keyPem);
  if (!certificate.isCa) throw cannotIssue('the certificate is not that of an authority');
  if (!isSameKey(certificate.publicKey, keyPair.publicKey))
    throw cannotIssue('key and certificate do not belong together');
  return { certificate, keyPair };
};

/** Issues for a public key. The validity is cut to the authority's own; without any overlap that is an error. */
export const issueCertificate = (authority: Authority, request: IssueRequest): Certificate => {
  const { identity, publicKey, usages, random } = request;
  // The issuer's name is copied as it stands: authorities of others hold attributes that we do not read.
  const { subject: issuer } = decodeCertificate(authority.certificate).tbsCertificate;
  const subject = encodeSubject(identity);
  const extensions = encodeExtensions({
    identity,
    usages,
    ca: 'no',
    authorityKeyId: authority.certificate.subjectKeyId,
  });
  const validity = encodeValidity(withinAuthority(checkedLife(request), authority.certificate));
  return signCertificate({ issuer, subject, publicKey, extensions, validity }, { keyPair: authority.keyPair, random });
};

interface Draft {
  readonly issuer: Name;
  readonly subject: Name;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Extension[];
  readonly validity: ValidityAsn;
}

const signCertificate = (draft: Draft, by: { readonly keyPair: KeyPair; readonly random: Random }): Certificate => {
  const signer = createSigner(by.keyPair);
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    serialNumber: createSerial(by.random),
    signature: signer.algorithm,
    issuer: draft.issuer,
    validity: draft.validity,
    subject: draft.subject,
    subjectPublicKeyInfo: encodePublicKey(draft.publicKey),
    extensions: new Extensions([...draft.extensions]),
  });
  return parseCertificateDer(signDer(encodeDer(tbsCertificate), signer));
};

/** 16 bytes, positive, without a leading zero: what DER wants and every parser takes. */
const createSerial = (random: Random): ArrayBuffer => {
  const [first = 0, ...rest] = random.bytes(16);
  return Uint8Array.of((first & 0x7f) | 0x40, ...rest).buffer;
};

/** RFC 7093, method 1: the leftmost 160 bits of SHA-256 over the key's bits. */
const keyIdOf = (publicKey: KeyObject): Buffer =>
  createHash('sha256')
    .update(Buffer.from(encodePublicKey(publicKey).subjectPublicKey))
    .digest()
    .subarray(0, 20);

const withinAuthority = (wanted: Validity, authority: Validity): Validity => {
  const notBeforeMs = Math.max(wanted.notBeforeMs, authority.notBeforeMs);
  const notAfterMs = Math.min(wanted.notAfterMs, authority.notAfterMs);
  if (isLife({ notBeforeMs, notAfterMs })) return { notBeforeMs, notAfterMs };
  throw new FleetError('unavailable', {
    code: 'AuthorityExpired',
    message: `the authority is valid from ${toTimestamp(authority.notBeforeMs)} to ${toTimestamp(authority.notAfterMs)} and cannot issue outside of that`,
    hint: 'Replace the authority, or check the clock of this machine.',
  });
};

const checkedLife = (life: Validity): Validity => {
  if (isLife(life)) return life;
  throw cannotIssue(`a life from ${life.notBeforeMs} to ${life.notAfterMs} (ms since 1970) is none`);
};

/** Whole seconds are all a certificate can say; a shorter life would be none. */
const isLife = ({ notBeforeMs, notAfterMs }: Validity): boolean =>
  notBeforeMs >= 0 && notAfterMs - notBeforeMs >= 1_000 && notAfterMs <= LAST_MS;

const encodeValidity = ({ notBeforeMs, notAfterMs }: Validity): ValidityAsn => {
  const validity = new ValidityAsn();
  validity.notBefore = new Time(toTimestamp(notBeforeMs));
  validity.notAfter = new Time(toTimestamp(notAfterMs));
  return validity;
};

const cannotIssue = (why: string): FleetError =>
  new FleetError('invalid', {
    code: 'CannotIssue',
    message: `no certificate can be issued: ${why}`,
    hint: 'Check the authority, the names and the times that were asked for.',
  });
