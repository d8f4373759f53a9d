/**
 * Who signed a program, out of the signature that came along (CMS, RFC 5652): that the signature is of the key of a Developer ID certificate,
 * that Apple issued that certificate, and what it was made for. Not asked: whether Apple revoked it since, and when it was really made (the
 * time is the signer's own word). Pure.
 */
import { createHash, verify, X509Certificate } from 'node:crypto';
import { FleetError } from '../../src/base/errors.ts';
import { partsOf, readAll, type Tlv } from './tlv.ts';

export interface Signer {
  /** `Developer ID Application: …` */
  readonly developer: string;
  /** As Apple gave it. */
  readonly team: string;
}

/** SHA-256 of the certificate "Apple Root CA", as https://www.apple.com/certificateauthority/ has it. */
export const APPLE_ROOT =
  'B0:B1:73:0E:CB:C7:FF:45:05:14:2C:49:F1:29:5E:6E:DA:6B:CA:ED:7E:2C:68:C5:BE:91:B5:A1:10:01:F0:24';

const TAGS = { integer: 0x02, octets: 0x04, object: 0x06, sequence: 0x30, set: 0x31, first: 0xa0, extensions: 0xa3 };

const OBJECTS = {
  signedData: '06092a864886f70d010702',
  sha256: '0609608648016503040201',
  messageDigest: '06092a864886f70d010904',
  signingTime: '06092a864886f70d010905',
  /** Apple's marks in certificates: for programs of developers, and for the authority that issues such. */
  developerId: '060a2a864886f7636406010d',
  developerAuthority: '060a2a864886f76364060206',
};
const CODE_SIGNING = '1.3.6.1.5.5.7.3.3';

/** Throws `invalid` unless the signature is for the content with this hash, by a developer whom Apple vouches for. */
export const readSigner = (cms: Buffer, contentHash: Buffer, root: string): Signer => {
  const { certificates, info } = readSignedData(cms);
  const { serial, attributes, signature } = readSignerInfo(info);
  const signer = certificates.find(({ serialNumber }) => BigInt(`0x${serialNumber}`) === serial);
  if (signer === undefined) throw bad('the certificate of whoever signed is not there');
  const said = readAttributes(attributes);
  const digest = onlyOne(partsOf(only(said, OBJECTS.messageDigest)), 'the hash that is signed');
  if (!digest.content.equals(contentHash)) throw bad('its signature is for another program');
  // What is signed is the list of attributes as a SET, whatever it is tagged with here.
  const signed = Buffer.from(attributes.whole);
  signed[0] = TAGS.set;
  if (signer.publicKey.asymmetricKeyType !== 'rsa' || !verify('sha256', signed, signer.publicKey, signature))
    throw bad('its signature is not of the key that it names');
  checkChain(signer, certificates, root);
  checkTime(signer, onlyOne(partsOf(only(said, OBJECTS.signingTime)), 'the time of signing'));
  return nameSigner(signer);
};

interface SignedData {
  readonly certificates: readonly X509Certificate[];
  readonly info: Tlv;
}

const readSignedData = (cms: Buffer): SignedData => {
  const [type, wrapped] = partsOf(onlyOne(readAll(cms), 'the signature'));
  if (type === undefined || wrapped === undefined || !isObject(type, OBJECTS.signedData))
    throw bad('it is no signature of data');
  const parts = partsOf(onlyOne(partsOf(wrapped), 'what is signed'));
  const certificates = parts.find(({ tag }) => tag === TAGS.first);
  const infos = parts.at(-1);
  if (certificates === undefined || infos?.tag !== TAGS.set) throw bad('its signature has no certificates');
  return {
    certificates: partsOf(certificates).map(({ whole }) => new X509Certificate(whole)),
    info: onlyOne(partsOf(infos), 'whoever signed'),
  };
};

interface SignerInfo {
  readonly serial: bigint;
  readonly attributes: Tlv;
  readonly signature: Buffer;
}

/** Version, issuer and serial number, kind of hash, what is signed besides the content, kind of signature, signature. */
const readSignerInfo = (info: Tlv): SignerInfo => {
  const [, name, hash, attributes, , signature] = partsOf(info);
  if (name === undefined || hash === undefined || attributes?.tag !== TAGS.first || signature?.tag !== TAGS.octets)
    throw bad('its signature is of a kind that is not known here');
  const [kind] = partsOf(hash);
  const serial = partsOf(name).at(-1);
  if (kind === undefined || !isObject(kind, OBJECTS.sha256) || serial?.tag !== TAGS.integer)
    throw bad('its signature is of a kind that is not known here');
  return { serial: BigInt(`0x${serial.content.toString('hex')}`), attributes, signature: signature.content };
};

type Attributes = readonly { readonly name: Tlv; readonly values: Tlv }[];

const readAttributes = (attributes: Tlv): Attributes =>
  partsOf(attributes).map((attribute) => {
    const [name, values] = partsOf(attribute);
    if (name === undefined || values === undefined) throw bad('what is signed cannot be read');
    return { name, values };
  });

const only = (attributes: Attributes, object: string): Tlv =>
  onlyOne(
    attributes.filter(({ name }) => isObject(name, object)),
    'what is signed',
  ).values;

/** The signer's certificate, the authority for developers, Apple's root: nothing in between, and nothing beside. */
const checkChain = (signer: X509Certificate, others: readonly X509Certificate[], root: string): void => {
  const authority = others.find((other) => isIssuer(other, signer) && hasMark(other, OBJECTS.developerAuthority));
  const apple = others.find((other) => other.fingerprint256 === root);
  if (authority === undefined || apple === undefined || !isIssuer(apple, authority))
    throw bad('whoever signed it has no certificate of Apple’s for developers');
  if (signer.keyUsage?.includes(CODE_SIGNING) !== true || !hasMark(signer, OBJECTS.developerId))
    throw bad('the certificate of whoever signed is not for programs');
};

const isIssuer = (issuer: X509Certificate, of: X509Certificate): boolean =>
  issuer.ca && of.checkIssued(issuer) && of.verify(issuer.publicKey);

const hasMark = ({ raw }: X509Certificate, object: string): boolean => {
  const [body] = partsOf(onlyOne(readAll(raw), 'a certificate'));
  const extensions = body && partsOf(body).find(({ tag }) => tag === TAGS.extensions);
  if (extensions === undefined) return false;
  return partsOf(onlyOne(partsOf(extensions), 'a certificate')).some((extension) => {
    const [name] = partsOf(extension);
    return name !== undefined && isObject(name, object);
  });
};

/** `YYMMDDhhmmssZ`: of this century, as the certificates of Apple are. */
const checkTime = ({ validFromDate, validToDate }: X509Certificate, { content }: Tlv): void => {
  const [, ...parts] = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(content.toString('latin1')) ?? [];
  const [year, month, day, hour, minute, second] = parts;
  const atMs = Date.parse(`20${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (!(atMs >= validFromDate.getTime() && atMs <= validToDate.getTime()))
    throw bad('it was signed when the certificate of whoever signed was not valid');
};

const nameSigner = (signer: X509Certificate): Signer => {
  const { CN, OU } = signer.toLegacyObject().subject;
  if (typeof CN !== 'string' || typeof OU !== 'string') throw bad('the certificate of whoever signed names no team');
  return { developer: CN, team: OU };
};

const isObject = ({ whole }: Tlv, object: string): boolean => whole.toString('hex') === object;

const onlyOne = <T>(found: readonly T[], what: string): T => {
  const [first, ...more] = found;
  if (first === undefined || more.length > 0) throw bad(`${what} is not there exactly once`);
  return first;
};

export const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

export const bad = (why: string): FleetError =>
  new FleetError('invalid', {
    code: 'BadMacProgram',
    message: `the runtime for Macs is not as its makers signed it: ${why}`,
    hint: 'Remove what was downloaded and try again; if it stays, do not roll it out.',
  });
