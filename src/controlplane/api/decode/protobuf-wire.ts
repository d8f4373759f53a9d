/** The bytes of protobuf: messages as lists of numbered fields. */
import { badRequest } from '../refusal.ts';

export interface WireField {
  readonly number: number;
  /** A number, or the bytes of a text, of bytes or of a message. */
  readonly value: bigint | Buffer;
}

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;
const VARINT_BYTES_MAX = 10;

const broken = () => badRequest('the body of the request is no complete protobuf message');

interface Read<T> {
  readonly value: T;
  readonly next: number;
}

const readVarint = (bytes: Buffer, start: number): Read<bigint> => {
  let value = 0n;
  for (let at = start; at < bytes.length && at < start + VARINT_BYTES_MAX; at += 1) {
    const byte = bytes[at] ?? 0;
    value |= BigInt(byte & 0x7f) << BigInt(7 * (at - start));
    if (byte < 0x80) return { value, next: at + 1 };
  }
  throw broken();
};

const readSlice = (bytes: Buffer, start: number, length: number): Read<Buffer> => {
  if (start + length > bytes.length) throw broken();
  return { value: bytes.subarray(start, start + length), next: start + length };
};

const readValue = (bytes: Buffer, start: number, wireType: number): Read<bigint | Buffer> => {
  switch (wireType) {
    case VARINT:
      return readVarint(bytes, start);
    case FIXED64:
      return readSlice(bytes, start, 8);
    case FIXED32:
      return readSlice(bytes, start, 4);
    case BYTES: {
      const { value: length, next } = readVarint(bytes, start);
      return readSlice(bytes, next, Number(length));
    }
    default:
      throw broken();
  }
};

export const readFieldsOfMessage = (bytes: Buffer): readonly WireField[] => {
  const fields: WireField[] = [];
  let at = 0;
  while (at < bytes.length) {
    const tag = readVarint(bytes, at);
    const { value, next } = readValue(bytes, tag.next, Number(tag.value & 7n));
    fields.push({ number: Number(tag.value >> 3n), value });
    at = next;
  }
  return fields;
};

export const readText = (bytes: Buffer): string => bytes.toString('utf8');

/** Negative numbers come as 64 bits in two's complement. */
export const readInt = (value: bigint): number => Number(BigInt.asIntN(64, value));
