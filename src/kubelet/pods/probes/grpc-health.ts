/** The two messages of `grpc.health.v1.Health/Check` as bytes. They have one field each, so no library is needed. Pure. */

export const CHECK_PATH = '/grpc.health.v1.Health/Check';

/** Of an answer; a longer one is none. */
export const ANSWER_BYTES_MAX = 1_024;

/** In the order of their numbers. */
const STATUSES = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'] as const;

export type ServingStatus = (typeof STATUSES)[number];

const HEAD_BYTES = 5;
/** Field 1 of each: a text in the question, a number in the answer. */
const [TEXT_FIELD, NUMBER_FIELD] = [0x0a, 0x08] as const;

/** The question after a service; the empty name is the server as a whole. */
export const renderCheck = (service: string): Buffer => {
  const name = Buffer.from(service);
  const message = name.length === 0 ? name : Buffer.concat([Buffer.from([TEXT_FIELD, ...varint(name.length)]), name]);
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
};

const varint = (number: number): readonly number[] =>
  number < 0x80 ? [number] : [(number & 0x7f) | 0x80, ...varint(number >>> 7)];

/** What the answer says; undefined when it is none. A number that is left out is 0. */
export const parseServing = (answer: Buffer): ServingStatus | undefined => {
  const isPlain = answer.length >= HEAD_BYTES && answer[0] === 0;
  if (!isPlain || answer.readUInt32BE(1) !== answer.length - HEAD_BYTES) return undefined;
  const [field, status, ...rest] = answer.subarray(HEAD_BYTES);
  if (field === undefined) return 'UNKNOWN';
  return field === NUMBER_FIELD && status !== undefined && rest.length === 0 ? STATUSES[status] : undefined;
};
