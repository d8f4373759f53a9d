/**
 * Certificate signing requests (PKCS#10): ours to the certificates API, and those of others before we approve or sign
 * them. A parsed request proved possession of its key and means one thing only; anything else is `invalid`.
 */
import type { KeyObject } from 'node:crypto';
import { Attributes, CertificationRequest, CertificationRequestInfo } from '@peculiar/asn1-csr';
import { Attribute, type Extension, Extensions } from '@peculiar/asn1-x509';
import { FleetError } from '../base/errors.ts';
import { rememberLast } from '../base/remember.ts';
import { decodeDer, encodeDer, toBuffer } from './der.ts';
import { badExtensions, decodeExtensions, encodeExtensions, type Usage } from './extensions.ts';
import { decodeSubject, encodeSubject, type Identity } from './identity.ts';
import { encodePublicKey, type KeyPair, parsePublicKey } from './key.ts';
import { parsePem, renderPem } from './pem.ts';
import { createSigner, isSignedBy, signDer } from './signature.ts';

export interface Csr extends Identity {
  readonly publicKey: KeyObject;
  /** Usages asked for inside the request; Kubernetes asks beside it, in `spec.usages`. */
  readonly usages: readonly string[];
  readonly wantsCa: boolean;
  /** Object identifiers of all extensions asked for. */
  readonly extensionIds: readonly string[];
}

export interface CsrRequest {
  readonly identity: Partial<Identity>;
  readonly keyPair: KeyPair;
  readonly usages?: readonly Usage[];
}

const LABEL = 'CERTIFICATE REQUEST';
const EXTENSION_REQUEST = '1.2.840.113549.1.9.14';

/** A signed request as PEM. */
export const createCsr = ({ identity, keyPair, usages = [] }: CsrRequest): string => {
  const extensions = encodeExtensions({ identity, usages });
  const info = new CertificationRequestInfo({
    subject: encodeSubject(identity),
    subjectPKInfo: encodePublicKey(keyPair.publicKey),
    attributes: new Attributes(extensions.length === 0 ? [] : [toExtensionRequest(new Extensions([...extensions]))]),
  });
  return renderPem({ label: LABEL, der: signDer(encodeDer(info), createSigner(keyPair)) });
};

const toExtensionRequest = (extensions: Extensions): Attribute =>
  new Attribute({ type: EXTENSION_REQUEST, values: [new Uint8Array(encodeDer(extensions)).buffer] });

/** Everybody on the way of a request reads it: admission, approver and signer, each several times. */
const REMEMBERED = 64;

/** Reads an untrusted request and checks its signature. */
export const parseCsr = (pem: string): Csr => readCsr(pem);

const readCsr = rememberLast(REMEMBERED, (pem): Csr => {
  const [block, ...more] = parsePem(pem, [LABEL]);
  if (block === undefined || more.length > 0) throw badCsr('the text does not hold exactly one request');
  const request = decodeDer(block.der, { type: CertificationRequest, what: 'certificate request' });
  const { certificationRequestInfo: info, signatureAlgorithm: algorithm, signature } = request;
  const data = toBuffer(request.certificationRequestInfoRaw ?? encodeDer(info));
  if (info.version !== 0) throw badCsr(`version ${info.version + 1} is unknown`);
  const publicKey = parsePublicKey(encodeDer(info.subjectPKInfo));
  if (!isSignedBy({ data, algorithm, signature }, publicKey)) {
    throw badCsr('its signature is wrong or of a kind that is not accepted');
  }
  const { unread, usages, isCa, ids, ...rest } = decodeExtensions(requestedExtensions([...(info.attributes ?? [])]));
  if (unread > 0) throw badExtensions('an alternative name is neither DNS name, IP address, e-mail address nor URI');
  const { dnsNames, ipAddresses, emailAddresses, uris } = rest;
  const names = { dnsNames, ipAddresses, emailAddresses, uris };
  return { ...decodeSubject(info.subject), ...names, publicKey, usages, wantsCa: isCa, extensionIds: ids };
});

const requestedExtensions = (attributes: readonly Attribute[]): readonly Extension[] => {
  const types = attributes.map(({ type }) => type);
  if (new Set(types).size < types.length) throw badCsr('one attribute appears twice');
  const [value, ...more] = attributes.find(({ type }) => type === EXTENSION_REQUEST)?.values ?? [];
  if (more.length > 0) throw badCsr('it asks for two sets of extensions');
  return value === undefined ? [] : [...decodeDer(value, { type: Extensions, what: 'list of extensions' })];
};

const badCsr = (why: string): FleetError =>
  new FleetError('invalid', {
    code: 'CsrInvalid',
    message: `the certificate request cannot be accepted: ${why}`,
    hint: 'Create the request again and send it as one PEM block.',
  });
