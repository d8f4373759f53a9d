/**
 * Who a certificate speaks for: the subject's common name and organizations, and the alternative names. To Kubernetes
 * the common name is the user and the organizations are its groups, so nothing ambiguous is let through here.
 */
import {
  AttributeTypeAndValue,
  AttributeValue,
  GeneralName,
  Name,
  RelativeDistinguishedName,
  SubjectAlternativeName,
} from '@peculiar/asn1-x509';
import { FleetError } from '../base/errors.ts';

export interface Subject {
  readonly commonName?: string;
  readonly organizations: readonly string[];
}

export interface AltNames {
  readonly dnsNames: readonly string[];
  /** IPv4 dotted, IPv6 as RFC 5952 writes it. */
  readonly ipAddresses: readonly string[];
  readonly emailAddresses: readonly string[];
  readonly uris: readonly string[];
}

export interface Identity extends Subject, AltNames {}

const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';

const DNS_LABEL = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?';
const DNS_NAME = new RegExp(`^(?=.{1,253}$)(?:\\*\\.)?${DNS_LABEL}(?:\\.${DNS_LABEL})*$`, 'i');
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

export const encodeSubject = ({ commonName, organizations = [] }: Partial<Subject>): Name => {
  const parts = organizations.map((organization) => toRdn(ORGANIZATION, organization));
  return new Name(commonName === undefined ? parts : [...parts, toRdn(COMMON_NAME, commonName)]);
};

const toRdn = (type: string, text: string): RelativeDistinguishedName =>
  new RelativeDistinguishedName([
    new AttributeTypeAndValue({ type, value: new AttributeValue({ utf8String: toPlainText(text) }) }),
  ]);

/** Reads common name and organizations; other attributes are of no meaning here. Two common names are refused. */
export const decodeSubject = (name: Name): Subject => {
  // The library's lists are arrays of their own class, which `map` and `filter` would carry on: spread them first.
  const attributes = [...name].flatMap((rdn) => [...rdn]);
  const textsOf = (type: string): readonly string[] =>
    attributes.filter((attribute) => attribute.type === type).map(({ value }) => toPlainText(textOf(value)));
  const [commonName, ...more] = textsOf(COMMON_NAME);
  if (more.length > 0) throw badName('the subject has more than one common name');
  return { ...(commonName === undefined ? {} : { commonName }), organizations: textsOf(ORGANIZATION) };
};

const textOf = (value: AttributeValue): string => {
  const text = value.utf8String ?? value.printableString ?? value.ia5String ?? value.teletexString ?? value.bmpString;
  if (text === undefined) throw badName('the subject holds a value that is no text');
  return text;
};

const toPlainText = (text: string): string => {
  if (text !== '' && text.isWellFormed() && !/\p{Cc}/u.test(text)) return text;
  throw badName('the subject holds an empty value, a control character or broken Unicode');
};

export const encodeAltNames = (names: Partial<AltNames>): SubjectAlternativeName =>
  new SubjectAlternativeName([
    ...(names.dnsNames ?? []).map((dNSName) => new GeneralName({ dNSName: toDnsName(dNSName) })),
    ...(names.ipAddresses ?? []).map((iPAddress) => new GeneralName({ iPAddress: toCanonicalIp(iPAddress) })),
    ...(names.emailAddresses ?? []).map((rfc822Name) => new GeneralName({ rfc822Name: toVisible(rfc822Name) })),
    ...(names.uris ?? []).map((uri) => new GeneralName({ uniformResourceIdentifier: toVisible(uri) })),
  ]);

export interface DecodedAltNames extends AltNames {
  /** How many names are of a kind that is not read: a caller who signs must not pass them over. */
  readonly unread: number;
}

export const decodeAltNames = (names: readonly GeneralName[]): DecodedAltNames => {
  const decoded = {
    dnsNames: names.flatMap(({ dNSName }) => (dNSName === undefined ? [] : [toVisible(dNSName)])),
    ipAddresses: names.flatMap(({ iPAddress }) => (iPAddress === undefined ? [] : [toCanonicalIp(iPAddress)])),
    emailAddresses: names.flatMap(({ rfc822Name }) => (rfc822Name === undefined ? [] : [toVisible(rfc822Name)])),
    uris: names.flatMap(({ uniformResourceIdentifier: uri }) => (uri === undefined ? [] : [toVisible(uri)])),
  };
  const read = Object.values(decoded).reduce((sum, list) => sum + list.length, 0);
  return { ...decoded, unread: names.length - read };
};

const toDnsName = (text: string): string => {
  if (!DNS_NAME.test(text)) throw badName(`${quote(text)} is not a DNS name`);
  return text;
};

const toVisible = (text: string): string => {
  if (!VISIBLE_ASCII.test(text)) throw badName('an alternative name is empty or not visible ASCII');
  return text;
};

/** The one spelling of an address; an `invalid` error when the text is none. The URL parser knows all spellings. */
const toCanonicalIp = (text: string): string => {
  const isV6 = /^[0-9a-f:.]*:[0-9a-f:.]*$/i.test(text);
  const host = URL.parse(isV6 ? `http://[${text}]/` : `http://${text}/`)?.hostname;
  if (isV6 && host !== undefined) return host.slice(1, -1);
  if (/^[0-9.]+$/.test(text) && host === text) return text;
  throw badName(`${quote(text)} is not an IP address`);
};

/** Hostile text in a message is kept short and on one line. */
const quote = (text: string): string => JSON.stringify(text.slice(0, 64));

const badName = (why: string): FleetError =>
  new FleetError('invalid', {
    code: 'NameInvalid',
    message: `the names cannot be certified: ${why}`,
    hint: 'Use one common name, and DNS names and IP addresses as they are used to connect.',
  });
