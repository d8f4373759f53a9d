/**
 * Leaves managedFields out before anything is parsed. Nobody here reads them, and in a list they are a third of the bytes:
 * parsing them only to throw them away costs a fifth of the processor time of a list or a watch.
 */
const MEMBER = Buffer.from('"managedFields":[{"');
const LIST_OFFSET = '"managedFields":'.length;
const [QUOTE, BACKSLASH, COMMA, LIST_START, LIST_END, OBJECT_START, OBJECT_END] = Buffer.from('"\\,[]{}');

/** The JSON value in these bytes, without members called managedFields that hold a list of objects. */
export const parseWithoutManagedFields = (bytes: Buffer): unknown =>
  JSON.parse(withoutManagedFields(bytes).toString('utf8'));

const withoutManagedFields = (bytes: Buffer): Buffer => {
  let start = bytes.indexOf(MEMBER);
  if (start < 0) return bytes;
  const slim = Buffer.allocUnsafe(bytes.length);
  let read = 0;
  let written = 0;
  while (start >= 0) {
    const end = isMember(bytes, start) ? endOfList(bytes, start + LIST_OFFSET) : -1;
    if (end < 0) {
      start = bytes.indexOf(MEMBER, start + LIST_OFFSET);
      continue;
    }
    const isLastMember = bytes[end] !== COMMA;
    const keep = isLastMember && bytes[start - 1] === COMMA ? start - 1 : start;
    written += bytes.copy(slim, written, read, keep);
    read = isLastMember ? end : end + 1;
    start = bytes.indexOf(MEMBER, read);
  }
  written += bytes.copy(slim, written, read);
  return slim.subarray(0, written);
};

/** In JSON only the name of a member stands in quotes behind one of these; behind a backslash, a longer name ends so. */
const isMember = (bytes: Buffer, start: number): boolean =>
  bytes[start - 1] === OBJECT_START || bytes[start - 1] === COMMA;

/** Just behind the list that starts here; -1 when it never ends, so that the parser sees the text as it came. */
const endOfList = (bytes: Buffer, from: number): number => {
  let depth = 0;
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) at = endOfString(bytes, at + 1);
    else if (byte === LIST_START || byte === OBJECT_START) depth += 1;
    else if (byte === LIST_END || byte === OBJECT_END) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return -1;
};

const endOfString = (bytes: Buffer, from: number): number => {
  let at = from;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
};
