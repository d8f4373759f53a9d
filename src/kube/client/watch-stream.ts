/**
 * A watch's body as events: one JSON object per line, in chunks that respect neither lines nor characters. Bytes are
 * kept until their line is whole, so nothing is decoded, joined or parsed twice.
 */
import { FleetError } from '../../base/errors.ts';
import { isRecord } from '../../base/json.ts';
import type { KubeObject } from '../types/meta.ts';
import { broken, parseObject, toBuffer } from './body.ts';
import type { WatchEvent } from './client.ts';
import { parseWithoutManagedFields } from './managed-fields.ts';
import { toStatusError } from './status-error.ts';
import type { TransportResponse } from './transport.ts';

const NEWLINE = 10;

/** etcd refuses an object past a few megabytes; a line past this is no event. */
const LINE_BYTES_MAX = 64 * 1024 * 1024;

/**
 * The events of the stream that `open` gives, until it ends. Throws what an `ERROR` event says, `unavailable` for half a line, `contract` for nonsense.
 * Of chunks that others read too, a line is parsed once for all of them: a thousand caches in one process hold one object.
 */
export async function* readWatchEvents<T extends KubeObject>(
  doing: string,
  open: () => Promise<Pick<TransportResponse, 'body' | 'parsed'>>,
  lineBytesMax = LINE_BYTES_MAX,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  const splitter = createLineSplitter(lineBytesMax, doing);
  const { body, parsed } = await open();
  for await (const chunk of body) {
    const shared = splitter.isBetweenLines() ? parsed : undefined;
    const known = parseKnown<T>(shared?.get(chunk));
    if (known !== undefined) {
      yield known;
      continue;
    }
    for (const line of splitter.push(toBuffer(chunk))) {
      const event = parseWatchLine<T>(line, doing, 'line');
      if (event === undefined) continue;
      if (line.length === chunk.length - 1) shared?.set(chunk, event);
      yield event;
    }
  }
  const event = parseWatchLine<T>(splitter.rest(), doing, 'rest');
  if (event !== undefined) yield event;
}

/** What stands there was an event of this kind when it was put there: nobody else writes into the same stream. */
const parseKnown = <T extends KubeObject>(known: object | undefined): WatchEvent<T> | undefined =>
  known as WatchEvent<T> | undefined;

interface LineSplitter {
  /** The lines that this chunk completes. */
  push(chunk: Buffer): readonly Buffer[];
  /** What is left behind the last newline. */
  rest(): Buffer;
  isBetweenLines(): boolean;
}

const createLineSplitter = (lineBytesMax: number, doing: string): LineSplitter => {
  let pending: Buffer[] = [];
  let pendingBytes = 0;

  const keep = (part: Buffer): void => {
    if (part.length === 0) return;
    pending.push(part);
    pendingBytes += part.length;
    if (pendingBytes <= lineBytesMax) return;
    throw broken('WatchLineTooLong', `${doing}: the server sent a line of more than ${lineBytesMax} bytes`);
  };

  const take = (): Buffer => {
    const [first] = pending;
    const line = pending.length === 1 && first !== undefined ? first : Buffer.concat(pending, pendingBytes);
    pending = [];
    pendingBytes = 0;
    return line;
  };

  return {
    push: (chunk) => {
      const lines: Buffer[] = [];
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
        keep(chunk.subarray(start, end));
        lines.push(take());
        start = end + 1;
      }
      keep(chunk.subarray(start));
      return lines;
    },
    rest: take,
    isBetweenLines: () => pending.length === 0,
  };
};

/** One event, or undefined for a blank line. A `rest` that does not parse was cut off, a whole line was never right. */
const parseWatchLine = <T extends KubeObject>(
  line: Buffer,
  doing: string,
  place: 'line' | 'rest',
): WatchEvent<T> | undefined => {
  if (isBlank(line)) return undefined;
  let event: unknown;
  try {
    event = parseWithoutManagedFields(line);
  } catch {
    throw place === 'rest' ? cutOff(doing) : broken('BadWatchLine', `${doing}: the server sent a line that is no JSON`);
  }
  return parseWatchEvent<T>(event, doing, line.length);
};

const isBlank = (line: Buffer): boolean => line.length < 8 && line.toString('utf8').trim() === '';

const parseWatchEvent = <T extends KubeObject>(event: unknown, doing: string, sizeBytes: number): WatchEvent<T> => {
  const { type, object } = isRecord(event) ? event : {};
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type, object: parseObject<T>(object, doing), sizeBytes };
    case 'BOOKMARK':
      return { type, resourceVersion: parseResourceVersion(object, doing) };
    case 'ERROR':
      throw toWatchError(object, doing);
    default:
      throw broken('BadWatchEvent', `${doing}: the server sent an event of unknown type ${JSON.stringify(type)}`);
  }
};

const parseResourceVersion = (object: unknown, doing: string): string => {
  const metadata = isRecord(object) ? object['metadata'] : undefined;
  const version = isRecord(metadata) ? metadata['resourceVersion'] : undefined;
  if (typeof version === 'string' && version !== '') return version;
  throw broken('BadWatchEvent', `${doing}: the server sent a bookmark without a resource version`);
};

/** Trouble that the server found after it had answered 200. */
const toWatchError = (object: unknown, doing: string): FleetError => {
  if (!isRecord(object) || object['kind'] !== 'Status') {
    return broken('BadWatchEvent', `${doing}: the server sent an error that is no Status`);
  }
  const status = typeof object['code'] === 'number' ? object['code'] : 500;
  const body = JSON.stringify(object);
  return toStatusError({ doing, status, headers: {}, body, expiredCode: 'WatchExpired', nowMs: 0 });
};

const cutOff = (doing: string): FleetError =>
  new FleetError('unavailable', { code: 'WatchCut', message: `${doing}: the stream ended in the middle of an event` });
