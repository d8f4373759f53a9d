/** Certificates as plain data. Reading says nothing about trust: that is chain.ts, or the TLS library. */
import { createHash, type KeyObject, X509Certificate } from 'node:crypto';
import { Certificate as CertificateAsn } from '@peculiar/asn1-x509';
import { FleetError, messageOf } from '../base/errors.ts';
import { rememberLast } from '../base/remember.ts';
import { decodeDer, encodeDer, toBuffer } from './der.ts';
import { decodeExtensions } from './extensions.ts';
import { decodeSubject, type Identity, type Subject } from './identity.ts';
import { parsePublicKey } from './key.ts';
import { parsePem, renderPem } from './pem.ts';
import type { Validity } from './renewal.ts';
import { isSignedBy } from './signature.ts';

export interface Certificate extends Identity, Validity {
  readonly issuer: Subject;
  /** Lower-case hexadecimal. */
  readonly serial: string;
  /** Kubernetes names of key usages and extended key usages; an unknown one as its object identifier. */
  readonly usages: readonly string[];
  readonly isCa: boolean;
  /** How many further CAs may stand between this one and the certificate in use. */
  readonly pathLengthMax: number;
  /** Critical extensions that are not understood here; such a certificate is never trusted. */
  readonly unknownCritical: readonly string[];
  readonly publicKey: KeyObject;
  readonly subjectKeyId: Buffer | undefined;
  /** Lower-case hexadecimal SHA-256 of the DER. */
  readonly fingerprintSha256: string;
  readonly der: Buffer;
}

const LABEL = 'CERTIFICATE';

type Bundle = readonly [Certificate, ...Certificate[]];

/** Every certificate of a bundle, at least one, in order; comments and keys between them are passed over. */
export const parseCertificates = (pem: string): Bundle => readBundle(pem);

/** The certificate of a connection is read with each request of it. */
const REMEMBERED = 64;

/** A text with a key in it is not kept. */
const readBundle = (pem: string): Bundle => (pem.includes('PRIVATE') ? decodeBundle(pem) : rememberedBundle(pem));

const decodeBundle = (pem: string): Bundle => {
  const [first, ...rest] = parsePem(pem, [LABEL]).map(({ der }) => parseCertificateDer(der));
  if (first === undefined) throw badCertificate('the text holds none');
  return [first, ...rest];
};

const rememberedBundle = rememberLast(REMEMBERED, decodeBundle);

export const parseCertificateDer = (der: Buffer): Certificate => readCertificate(der.toString('latin1')).certificate;

interface ReadCertificate {
  readonly certificate: Certificate;
  readonly asn: CertificateAsn;
  readonly openssl: X509Certificate;
}

const readAgain = ({ der }: Certificate): ReadCertificate => readCertificate(der.toString('latin1'));

/** By its bytes: whoever issued a certificate, whoever shows it and whoever checks it all read the same. */
const readCertificate = rememberLast(REMEMBERED, (bytes): ReadCertificate => {
  const der = Buffer.from(bytes, 'latin1');
  const openssl = readByOpenssl(der);
  const asn = decodeDer(der, { type: CertificateAsn, what: 'certificate' });
  const tbs = asn.tbsCertificate;
  const { ids: _ids, unread: _unread, ...extensions } = decodeExtensions([...(tbs.extensions ?? [])]);
  const certificate: Certificate = {
    ...decodeSubject(tbs.subject),
    ...extensions,
    issuer: decodeSubject(tbs.issuer),
    serial: Buffer.from(tbs.serialNumber)
      .toString('hex')
      .replace(/^(?:00)+(?=.)/, ''),
    notBeforeMs: tbs.validity.notBefore.getTime().getTime(),
    notAfterMs: tbs.validity.notAfter.getTime().getTime(),
    publicKey: parsePublicKey(encodeDer(tbs.subjectPublicKeyInfo)),
    fingerprintSha256: createHash('sha256').update(der).digest('hex'),
    der,
  };
  return { certificate, asn, openssl };
});

/** Not to be changed: others read it too. */
export const decodeCertificate = (certificate: Certificate): CertificateAsn => readAgain(certificate).asn;

/** OpenSSL must accept it as well: it judges names in `isIssuedBy`, and it will meet the certificate in TLS. */
const readByOpenssl = (der: Buffer): X509Certificate => {
  try {
    return new X509Certificate(der);
  } catch (error) {
    throw badCertificate(messageOf(error));
  }
};

export const renderCertificate = ({ der }: Certificate): string => renderPem({ label: LABEL, der });

/** Names, key identifiers and signature agree. Says nothing about times, or whether `issuer` may issue. */
export const isIssuedBy = (certificate: Certificate, issuer: Certificate): boolean => {
  const { asn, openssl } = readAgain(certificate);
  const { tbsCertificate, signatureAlgorithm: algorithm, signatureValue: signature } = asn;
  const data = toBuffer(asn.tbsCertificateRaw ?? encodeDer(tbsCertificate));
  return openssl.checkIssued(readAgain(issuer).openssl) && isSignedBy({ data, algorithm, signature }, issuer.publicKey);
};

const badCertificate = (why: string): FleetError =>
  new FleetError('invalid', {
    code: 'CertificateInvalid',
    message: `the certificate cannot be read: ${why}`,
    hint: 'Pass a PEM file with a block that begins with -----BEGIN CERTIFICATE-----.',
  });
