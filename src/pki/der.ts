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

const toBuffer = (bytes: Uint8Array | ArrayBuffer): Buffer =>
  bytes instanceof Uint8Array ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) : Buffer.from(bytes);

const badDer = (what: string, why: string): FleetError =>
  new FleetError('invalid', {
    code: 'DerInvalid',
    message: `the ${what} cannot be read: ${why}`,
    hint: 'Create it again; what was received is damaged or not what it claims to be.',
  });
