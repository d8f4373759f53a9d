/**
 * DER in and out, over @peculiar/asn1-schema. That parser accepts BER and trailing bytes; we do not: what we read must
 * encode back to the very same bytes. So every byte is accounted for in the parsed value, and another parser that reads
 * the same input (the cluster's signer, a TLS library) cannot see something else in it.
 */
import { AsnConvert } from '@peculiar/asn1-schema';
import { FleetError, messageOf } from '../base/errors.ts';

/** Far above any real certificate or request. */
const LIMITS = { berOptions: { maxDepth: 32, maxNodes: 10_000, maxContentLength: 64 * 1024 } };

interface DerType<T extends object> {
  readonly type: new () => T;
  /** For the error: "certificate". */
  readonly what: string;
}

/** The value, or an `invalid` error whatever the bytes are. */
export const decodeDer = <T extends object>(der: Uint8Array | ArrayBuffer, { type, what }: DerType<T>): T => {
  const { value, encoded } = decodeOnce(der, { type, what });
  if (!encoded.equals(toBuffer(der))) throw badDer(what, 'it is not DER, or more bytes follow it');
  return value;
};

const decodeOnce = <T extends object>(der: Uint8Array | ArrayBuffer, { type, what }: DerType<T>) => {
  try {
    const value = AsnConvert.parse(der, type, LIMITS);
    return { value, encoded: encodeDer(value) };
  } catch (error) {
    // The library's error carries a stack that says nothing to anybody; its message is enough.
    throw badDer(what, messageOf(error));
  }
};

export const encodeDer = (value: object): Buffer => Buffer.from(AsnConvert.serialize(value));

/** Parts that are DER already, as one: SEQUENCE, or for bits that fill whole bytes, BIT STRING. */
export const joinDer = (kind: 'sequence' | 'bits', parts: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(kind === 'bits' ? [NO_UNUSED_BITS, ...parts] : parts);
  return Buffer.concat([Buffer.of(TAGS[kind]), lengthOf(content), content]);
};

const TAGS = { sequence: 0x30, bits: 0x03 } as const;
const NO_UNUSED_BITS = Buffer.of(0);

/** Up to 127 in one byte; from there on a byte that says how many follow. */
const lengthOf = ({ length }: Buffer): Buffer => {
  if (length < 0x80) return Buffer.of(length);
  const bytes = Buffer.from(length.toString(16).padStart(length < 0x100 ? 2 : 8, '0'), 'hex');
  const first = bytes.findIndex((byte) => byte !== 0);
  return Buffer.of(0x80 | (bytes.length - first), ...bytes.subarray(first));
};

export const toBuffer = (bytes: Uint8Array | ArrayBuffer): Buffer =>
  bytes instanceof Uint8Array ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) : Buffer.from(bytes);

const badDer = (what: string, why: string): FleetError =>
  new FleetError('invalid', {
    code: 'DerInvalid',
    message: `the ${what} cannot be read: ${why}`,
    hint: 'Create it again; what was received is damaged or not what it claims to be.',
  });
