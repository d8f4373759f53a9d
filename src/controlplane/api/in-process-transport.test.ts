import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cancelled } from '../../base/errors.ts';
import { ADMIN } from '../auth/user.ts';
import type { ApiServer } from './api-server.ts';
import type { ByteSink } from './http.ts';
import { createApiTransport } from './in-process-transport.ts';

/** A request whose answer is a stream that the test speaks into. */
const openStream = async () => {
  const stopping = new AbortController();
  const source: { sink?: ByteSink; stops: number } = { stops: 0 };
  const answer: ApiServer['answer'] = async () => ({
    status: 200,
    headers: {},
    body: (sink) => {
      source.sink = sink;
      return () => {
        source.stops += 1;
      };
    },
  });
  const transport = createApiTransport({ answer } as ApiServer, ADMIN);
  const { signal } = stopping;
  const { body } = await transport.send({ method: 'GET', path: '/watch', headers: {}, signal });
  const { sink = assert.fail('it was not opened') } = source;
  const read: string[] = [];
  const readAll = async (): Promise<readonly string[]> => {
    for await (const chunk of body) read.push(Buffer.from(chunk).toString());
    return read;
  };
  const push = (...texts: readonly string[]): void => {
    for (const text of texts) sink.push(Buffer.from(text));
  };
  return { body, push, sink, source, stopping, read, readAll };
};

describe('a stream of the API in this process', () => {
  it('is open before it is read: what comes until then is read too, in order', async () => {
    const { push, sink, readAll, source } = await openStream();
    push('a', 'b');
    const reading = readAll();
    push('c');
    await Promise.resolve();
    push('d', 'e');
    sink.end();
    assert.deepEqual(await reading, ['a', 'b', 'c', 'd', 'e']);
    assert.ok(source.stops >= 1, 'nobody goes on speaking into it');
  });

  it('that breaks throws after what was pushed', async () => {
    const { push, sink, readAll, read } = await openStream();
    push('a');
    sink.fail('the server died');
    await assert.rejects(readAll(), { kind: 'unavailable', code: 'ConnectionBroken', message: 'the server died' });
    assert.deepEqual(read, ['a']);
  });

  it('ends with the reason of an abort, which stops its source', async () => {
    const { push, readAll, read, stopping, source } = await openStream();
    const reading = readAll();
    push('a');
    await Promise.resolve();
    stopping.abort(cancelled('enough'));
    assert.ok(source.stops >= 1);
    await assert.rejects(reading, { kind: 'cancelled', message: 'enough' });
    assert.deepEqual(read, ['a']);
  });

  it('that nobody reads on is stopped, and gives nothing any more', async () => {
    const { body, push, source } = await openStream();
    push('a', 'b');
    for await (const _ of body) break;
    assert.equal(source.stops, 1);
    push('c');
    const reader = body[Symbol.asyncIterator]();
    assert.deepEqual(await reader.next(), { value: undefined, done: true });
  });
});
