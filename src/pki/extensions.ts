/**
 * The X.509 extensions in use, as plain data and back. Usages carry the names of the Kubernetes certificates API
 * (`spec.usages`), for key usage and extended key usage alike.
 */
import { OctetString } from '@peculiar/asn1-schema';
import {
  AuthorityKeyIdentifier,
  anyExtendedKeyUsage,
  BasicConstraints,
  ExtendedKeyUsage,
  Extension,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
  id_kp_clientAuth,
  id_kp_serverAuth,
  KeyUsage,
  KeyUsageFlags,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
} from '@peculiar/asn1-x509';
import { FleetError } from '../base/errors.ts';
import { decodeDer, encodeDer } from './der.ts';
import { type DecodedAltNames, decodeAltNames, encodeAltNames, encodeSubject, type Identity } from './identity.ts';

const KEY_USAGES = {
  'digital signature': KeyUsageFlags.digitalSignature,
  'content commitment': KeyUsageFlags.nonRepudiation,
  'key encipherment': KeyUsageFlags.keyEncipherment,
  'data encipherment': KeyUsageFlags.dataEncipherment,
  'key agreement': KeyUsageFlags.keyAgreement,
  'cert sign': KeyUsageFlags.keyCertSign,
  'crl sign': KeyUsageFlags.cRLSign,
  'encipher only': KeyUsageFlags.encipherOnly,
  'decipher only': KeyUsageFlags.decipherOnly,
} as const;

const EXTENDED_USAGES = {
  any: anyExtendedKeyUsage,
  'client auth': id_kp_clientAuth,
  'server auth': id_kp_serverAuth,
} as const;

export type Usage = keyof typeof KEY_USAGES | keyof typeof EXTENDED_USAGES;

interface WantedExtensions {
  readonly identity: Partial<Identity>;
  readonly usages: readonly Usage[];
  /** Set for a certificate, which says which; a request leaves it to the signer. */
  readonly ca?: 'yes' | 'no';
  readonly subjectKeyId?: Buffer;
  readonly authorityKeyId?: Buffer | undefined;
}

/** Without a subject the alternative names are all there is, and must be understood (RFC 5280, 4.2.1.6). */
export const encodeExtensions = (wanted: WantedExtensions): readonly Extension[] => {
  const altNames = encodeAltNames(wanted.identity);
  const isNamed = encodeSubject(wanted.identity).length > 0;
  if (!isNamed && altNames.length === 0) throw badExtensions('there is no name at all');
  const bits = keyUsageBits(wanted.usages);
  const purposes = Object.entries(EXTENDED_USAGES).flatMap(([name, id]) => (includes(wanted.usages, name) ? [id] : []));
  const { ca, subjectKeyId, authorityKeyId } = wanted;
  return [
    ...(ca === undefined ? [] : [critical(id_ce_basicConstraints, new BasicConstraints({ cA: ca === 'yes' }))]),
    ...(bits === 0 ? [] : [critical(id_ce_keyUsage, new KeyUsage(bits))]),
    ...(purposes.length === 0 ? [] : [plain(id_ce_extKeyUsage, new ExtendedKeyUsage(purposes))]),
    ...(subjectKeyId === undefined ? [] : [plain(id_ce_subjectKeyIdentifier, new SubjectKeyIdentifier(subjectKeyId))]),
    ...(authorityKeyId === undefined ? [] : [plain(id_ce_authorityKeyIdentifier, toAuthorityKeyId(authorityKeyId))]),
    ...(altNames.length === 0 ? [] : [(isNamed ? plain : critical)(id_ce_subjectAltName, altNames)]),
  ];
};

const includes = (usages: readonly string[], name: string): boolean => usages.includes(name);

const keyUsageBits = (usages: readonly Usage[]): number =>
  Object.entries(KEY_USAGES).reduce((bits, [name, flag]) => (includes(usages, name) ? bits | flag : bits), 0);

const toAuthorityKeyId = (id: Buffer): AuthorityKeyIdentifier =>
  new AuthorityKeyIdentifier({ keyIdentifier: new SubjectKeyIdentifier(id) });

const plain = (extnID: string, value: object): Extension =>
  new Extension({ extnID, extnValue: new OctetString(encodeDer(value)) });

const critical = (extnID: string, value: object): Extension =>
  new Extension({ extnID, critical: true, extnValue: new OctetString(encodeDer(value)) });

interface DecodedExtensions extends DecodedAltNames {
  /** Kubernetes names; an extended usage without one appears as its object identifier. */
  readonly usages: readonly string[];
  readonly isCa: boolean;
  /** How many further CAs may stand below this one. */
  readonly pathLengthMax: number;
  readonly subjectKeyId: Buffer | undefined;
  readonly ids: readonly string[];
  /** Critical, and not understood here: a certificate with one of these must not be trusted. */
  readonly unknownCritical: readonly string[];
}

const UNDERSTOOD: readonly string[] = [
  id_ce_basicConstraints,
  id_ce_keyUsage,
  id_ce_extKeyUsage,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
  id_ce_authorityKeyIdentifier,
];

export const decodeExtensions = (extensions: readonly Extension[]): DecodedExtensions => {
  const ids = extensions.map(({ extnID }) => extnID);
  if (new Set(ids).size < ids.length) throw badExtensions('one extension appears twice');
  const read = <T extends object>(id: string, type: new () => T): T | undefined => {
    const found = extensions.find(({ extnID }) => extnID === id);
    return found && decodeDer(found.extnValue.buffer, { type, what: `extension ${id}` });
  };
  const purposes = read(id_ce_extKeyUsage, ExtendedKeyUsage);
  if (purposes?.length === 0) throw badExtensions('the extended key usage allows nothing');
  const basic = read(id_ce_basicConstraints, BasicConstraints);
  const keyId = read(id_ce_subjectKeyIdentifier, SubjectKeyIdentifier);
  return {
    ...decodeAltNames([...(read(id_ce_subjectAltName, SubjectAlternativeName) ?? [])]),
    usages: [...keyUsageNames(read(id_ce_keyUsage, KeyUsage)), ...[...(purposes ?? [])].map(purposeName)],
    isCa: basic?.cA ?? false,
    pathLengthMax: basic?.pathLenConstraint ?? Number.POSITIVE_INFINITY,
    subjectKeyId: keyId && Buffer.from(keyId.buffer),
    ids,
    unknownCritical: extensions
      .filter((each) => each.critical && !UNDERSTOOD.includes(each.extnID))
      .map((each) => each.extnID),
  };
};

const keyUsageNames = (usage: KeyUsage | undefined): readonly string[] => {
  const bits = usage?.toNumber() ?? 0;
  return Object.entries(KEY_USAGES).flatMap(([name, flag]) => ((bits & flag) === 0 ? [] : [name]));
};

/** A certificate without extended usages is good for any; one that lists some is good for those. */
export const allowsExtendedUsage = (usages: readonly string[], wanted: 'client auth' | 'server auth'): boolean => {
  const extended = usages.filter((usage) => !Object.hasOwn(KEY_USAGES, usage));
  return extended.length === 0 || extended.includes(wanted) || extended.includes('any');
};

const purposeName = (id: string): string =>
  Object.entries(EXTENDED_USAGES).find(([, known]) => known === id)?.[0] ?? id;

export const badExtensions = (why: string): FleetError =>
  new FleetError('invalid', {
    code: 'ExtensionsInvalid',
    message: `the extensions cannot be accepted: ${why}`,
    hint: 'Ask for alternative names and usages once each, and for nothing else.',
  });
