/**
 * Bodies of answers: bytes → JSON → an object with a name. The checks are written by hand because every object of
 * every list and watch goes through them. An error never quotes a body that could be an object: it may be a Secret.
 */
import { FleetError } from '../../base/errors.ts';
import { isRecord } from '../../base/json.ts';
import type { KubeList, KubeObject } from '../types/meta.ts';
import { parseWithoutManagedFields } from './managed-fields.ts';
import { excerpt } from './status-error.ts';

/** A page of 500 objects of the largest size etcd stores would not fit; no sane answer comes near. */
const BODY_BYTES_MAX = 256 * 1024 * 1024;

/** The whole body in one buffer. */
export const readBody = async (body: AsyncIterable<Uint8Array>, doing: string): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    sizeBytes += chunk.byteLength;
    if (sizeBytes > BODY_BYTES_MAX)
      throw broken('AnswerTooLarge', `${doing}: the answer exceeds ${BODY_BYTES_MAX} bytes`);
  }
  const [first] = chunks;
  return chunks.length === 1 && first !== undefined ? toBuffer(first) : Buffer.concat(chunks, sizeBytes);
};

/** The same bytes with Buffer's methods; nothing is copied. */
export const toBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** The JSON value in a body. */
export const parseJson = (body: Buffer, doing: string): unknown => {
  try {
    return parseWithoutManagedFields(body);
  } catch {
    throw notJson(body.toString('utf8'), doing);
  }
};

/** V8's own message quotes the text, so it is not passed on. */
const notJson = (text: string, doing: string): FleetError => {
  if (text.trimStart().startsWith('<')) {
    return new FleetError('contract', {
      code: 'HtmlAnswer',
      message: `${doing}: the server answered with a page, not JSON: ${excerpt(text)}`,
      hint: 'Something in between (a proxy, a login page) answers in place of the API server: check the server address.',
    });
  }
  return broken('BadJson', `${doing}: the answer of ${Buffer.byteLength(text)} bytes is not complete JSON`);
};

export const broken = (code: string, message: string): FleetError => new FleetError('contract', { code, message });

/** An object as the server gave it; only its name is certain. */
export const parseObject = <T extends KubeObject>(value: unknown, doing: string): T => {
  if (isRecord(value) && isRecord(value['metadata'])) {
    const { name } = value['metadata'];
    if (typeof name === 'string' && name !== '') return value as unknown as T;
  }
  throw broken('BadObject', `${doing}: the server sent an object without metadata.name`);
};

/** What a create gave. Whoever asked a question (an access review) named nothing, and gets an answer without a name. */
export const parseCreated = <T extends KubeObject>(value: unknown, asked: T, doing: string): T => {
  const { name, generateName } = asked.metadata;
  if (name !== '' || generateName !== undefined || !isRecord(value)) return parseObject<T>(value, doing);
  return { ...value, metadata: asked.metadata } as unknown as T;
};

/** For subresources whose success is but a Status: then the object is what was asked for. */
export const parseObjectUnlessStatus = <T extends KubeObject>(value: unknown, asked: T): T =>
  isRecord(value) && value['kind'] !== 'Status' ? (value as unknown as T) : asked;

/** For paths that answer in either. */
export const parseJsonOrText = (body: Buffer): unknown => {
  const text = body.toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** One page of a list. `items: null` is how Go writes an empty list; no items at all is no list. */
export const parsePage = <T extends KubeObject>(
  value: unknown,
  doing: string,
  transform?: (object: T) => T,
): KubeList<T> => {
  const metadata = isRecord(value) && isRecord(value['metadata']) ? value['metadata'] : undefined;
  const items = isRecord(value) ? (value['items'] === null ? [] : value['items']) : undefined;
  if (typeof metadata?.['resourceVersion'] !== 'string' || !Array.isArray(items)) {
    throw broken('BadList', `${doing}: the server sent something that is no list`);
  }
  for (let at = 0; at < items.length; at += 1) {
    const object = parseObject<T>(items[at], doing);
    items[at] = transform === undefined ? object : transform(object);
  }
  return { metadata: metadata as KubeList<T>['metadata'], items: items as T[] };
};
