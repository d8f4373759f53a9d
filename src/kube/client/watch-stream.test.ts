import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { KubeObject } from '../types/meta.ts';
import type { WatchEvent } from './client.ts';
import type { ParsedChunks } from './transport.ts';
import { readWatchEvents } from './watch-stream.ts';

type Chunk = string | Uint8Array;

async function* stream(chunks: readonly Chunk[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk;
}

const read = async (
  chunks: readonly Chunk[],
  lineBytesMax?: number,
  parsed?: ParsedChunks,
): Promise<WatchEvent<KubeObject>[]> => {
  const events: WatchEvent<KubeObject>[] = [];
  const open = async () => ({ body: stream(chunks), ...(parsed && { parsed }) });
  for await (const event of readWatchEvents<KubeObject>('watching pods', open, lineBytesMax)) events.push(event);
  return events;
};

const line = (type: string, object: unknown): string => `${JSON.stringify({ type, object })}\n`;
const pod = (name: string): KubeObject => ({ kind: 'Pod', metadata: { name, resourceVersion: '5' } });
const bookmark = { kind: 'Pod', metadata: { resourceVersion: '9' } };

const names = (events: readonly WatchEvent<KubeObject>[]): readonly string[] =>
  events.map((event) => (event.type === 'BOOKMARK' ? `bookmark ${event.resourceVersion}` : event.object.metadata.name));

describe('a watch stream gives its events', () => {
  const text = line('ADDED', pod('äöü😀')) + line('BOOKMARK', bookmark) + line('DELETED', pod('b'));
  const bytes = new TextEncoder().encode(text);
  const expected = ['äöü😀', 'bookmark 9', 'b'];
  const rows: readonly (readonly [string, readonly Chunk[]])[] = [
    ['in one chunk', [text]],
    ['byte by byte, through characters of four bytes', [...bytes].map((byte) => Uint8Array.of(byte))],
    ['with empty chunks between', ['', bytes.subarray(0, 40), '', bytes.subarray(40), '']],
    ['with blank lines between', [text.replaceAll('\n', '\n\n  \n')]],
    ['with carriage returns', [text.replaceAll('\n', '\r\n')]],
    ['without the last newline', [text.slice(0, -1)]],
  ];
  for (const [story, chunks] of rows) {
    it(story, async () => assert.deepEqual(names(await read(chunks)), expected));
  }

  it('with the type, the object and its size on the wire', async () => {
    const added = line('ADDED', pod('a'));
    assert.deepEqual(await read([added]), [{ type: 'ADDED', object: pod('a'), sizeBytes: added.length - 1 }]);
  });

  it('of three megabytes as well', async () => {
    const big = { ...pod('big'), data: 'x'.repeat(3 * 1024 * 1024) };
    const buffer = Buffer.from(line('ADDED', big));
    const chunks = Array.from({ length: Math.ceil(buffer.length / 65_536) }, (_, at) =>
      buffer.subarray(at * 65_536, (at + 1) * 65_536),
    );
    const [event] = await read(chunks);
    assert.ok(event?.type === 'ADDED' && event.sizeBytes > 3 * 1024 * 1024);
  });

  it('the same, however it is cut', async () => {
    const event = fc.record({
      type: fc.constantFrom('ADDED', 'MODIFIED', 'DELETED'),
      name: fc.string({ minLength: 1, unit: 'grapheme' }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 8 }), fc.array(fc.nat(400)), async (events, cuts) => {
        const whole = Buffer.from(events.map(({ type, name }) => line(type, pod(name))).join(''));
        const places = [0, ...cuts.map((cut) => Math.min(cut, whole.length)), whole.length].sort((a, b) => a - b);
        const chunks = places.slice(1).map((place, at) => whole.subarray(places[at], place));
        assert.deepEqual(
          names(await read(chunks)),
          events.map(({ name }) => name),
        );
      }),
      { numRuns: 300 },
    );
  });
});

describe('a broken watch stream', () => {
  const gone = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' };
  const rows: readonly (readonly [string, readonly Chunk[], object])[] = [
    ['half a line at the end', [line('ADDED', pod('a')).slice(0, 30)], { kind: 'unavailable', code: 'WatchCut' }],
    ['a line that is no JSON', ['{"type":"ADDED",\n'], { kind: 'contract', code: 'BadWatchLine' }],
    ['an HTML page', ['<html>\n<body>\n'], { kind: 'contract', code: 'BadWatchLine' }],
    ['an ERROR event with 410', [line('ERROR', gone)], { kind: 'conflict', code: 'WatchExpired' }],
    [
      'an ERROR event with 500',
      [line('ERROR', { kind: 'Status', code: 500 })],
      { kind: 'unavailable', code: 'ServerError' },
    ],
    [
      'an ERROR event without a code',
      [line('ERROR', { kind: 'Status' })],
      { kind: 'unavailable', code: 'ServerError' },
    ],
    ['an ERROR event without a Status', [line('ERROR', pod('a'))], { kind: 'contract', code: 'BadWatchEvent' }],
    ['an event of unknown type', [line('RENAMED', pod('a'))], { kind: 'contract', code: 'BadWatchEvent' }],
    ['a line that is no event', ['17\n'], { kind: 'contract', code: 'BadWatchEvent' }],
    ['an object without metadata', [line('ADDED', { kind: 'Pod' })], { kind: 'contract', code: 'BadObject' }],
    ['an object without a name', [line('ADDED', { metadata: {} })], { kind: 'contract', code: 'BadObject' }],
    ['an event without an object', [line('ADDED', null)], { kind: 'contract', code: 'BadObject' }],
    ['a bookmark without a version', [line('BOOKMARK', { metadata: {} })], { kind: 'contract', code: 'BadWatchEvent' }],
    ['a line without an end', ['x'.repeat(600), 'x'.repeat(600)], { kind: 'contract', code: 'WatchLineTooLong' }],
  ];
  for (const [story, chunks, expected] of rows) {
    it(`${story} is ${JSON.stringify(expected)}`, () => assert.rejects(read(chunks, 1_000), expected));
  }

  it('still gives the events before the trouble', async () => {
    const seen: string[] = [];
    const body = stream([line('ADDED', pod('a')), '{"ty']);
    const events = readWatchEvents<KubeObject>('watching pods', async () => ({ body }));
    await assert.rejects(async () => {
      for await (const event of events) seen.push(event.type);
    });
    assert.deepEqual(seen, ['ADDED']);
  });

  it('quotes nothing of what it could not read, because that may be a Secret', async () => {
    await assert.rejects(read(['{"type":"ADDED","object":{"data":{"password":"hunter2"}\n']), (error: Error) => {
      assert.doesNotMatch(`${error.message} ${error.stack} ${String(error.cause)}`, /hunter2|password/);
      return true;
    });
  });
});

describe('of chunks that several read', () => {
  const chunks = [line('ADDED', pod('a')), line('BOOKMARK', bookmark), line('DELETED', pod('b'))];
  const bytes = chunks.map((chunk) => new TextEncoder().encode(chunk));
  const readShared = (parsed: ParsedChunks, given: readonly Uint8Array[]) => read(given, undefined, parsed);

  it('a line is parsed once for all of them', async () => {
    const parsed: ParsedChunks = new WeakMap();
    const first = await readShared(parsed, bytes);
    const second = await readShared(parsed, bytes);
    assert.deepEqual(names(first), ['a', 'bookmark 9', 'b']);
    for (const [at, event] of first.entries()) assert.equal(second[at], event);
  });

  it('what does not begin or end with the chunk is read by each of them', async () => {
    const parsed: ParsedChunks = new WeakMap();
    const encode = (text: string) => new TextEncoder().encode(text);
    const [a, , b] = chunks as [string, string, string];
    const whole = encode(b);
    await readShared(parsed, [whole]);
    const rows: readonly (readonly Uint8Array[])[] = [
      [encode(a.slice(0, 9)), encode(a.slice(9) + b)],
      [encode(a + b)],
      [encode(`${a}{"type":"DELE`), encode(b.slice('{"type":"DELE'.length))],
    ];
    for (const given of rows) assert.deepEqual(names(await readShared(parsed, given)), ['a', 'b']);
    // The second half of a line and a known line look the same; only where it stands tells them apart.
    await assert.rejects(readShared(parsed, [encode('{"type":"ADDED","object":'), whole]), { code: 'BadWatchLine' });
  });
});
