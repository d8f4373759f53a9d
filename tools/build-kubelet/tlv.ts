/** The pieces of BER that Apple's signatures are written in: tags, lengths (also those that are told by an end mark), contents. Pure. */

export interface Tlv {
  readonly tag: number;
  readonly content: Buffer;
  /** With tag and length. */
  readonly whole: Buffer;
}

const LONG_FORM = 0x80;
const DEPTH_MAX = 32;

/** What stands one after the other. Throws RangeError for what is cut off or nested without end. */
export const readAll = (bytes: Buffer): readonly Tlv[] => {
  const found: Tlv[] = [];
  for (let at = 0; at < bytes.length; ) {
    const next = readOne(bytes.subarray(at), 0);
    found.push(next);
    at += next.whole.length;
  }
  return found;
};

/** The parts of one that is made of parts. */
export const partsOf = ({ content }: Tlv): readonly Tlv[] => readAll(content);

const readOne = (bytes: Buffer, depth: number): Tlv => {
  const [tag, first] = [bytes.readUInt8(0), bytes.readUInt8(1)];
  if (first === LONG_FORM) return readToEndMark(bytes, tag, depth);
  const digits = first < LONG_FORM ? 0 : first - LONG_FORM;
  if (digits > 4) throw new RangeError('a length that no file has');
  const length = digits === 0 ? first : bytes.readUIntBE(2, digits);
  const [start, end] = [2 + digits, 2 + digits + length];
  if (end > bytes.length) throw new RangeError('it is cut off');
  return { tag, content: bytes.subarray(start, end), whole: bytes.subarray(0, end) };
};

const readToEndMark = (bytes: Buffer, tag: number, depth: number): Tlv => {
  if (depth > DEPTH_MAX) throw new RangeError('it is nested too deep');
  let at = 2;
  while (bytes.readUInt16BE(at) !== 0) at += readOne(bytes.subarray(at), depth + 1).whole.length;
  return { tag, content: bytes.subarray(2, at), whole: bytes.subarray(0, at + 2) };
};
