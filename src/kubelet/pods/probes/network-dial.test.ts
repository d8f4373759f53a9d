import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type ServerHttp2Stream } from 'node:http2';
import { createServer as createTcpServer, type Server } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { neverAborted } from '../../../base/abort.ts';
import { ANSWER_BYTES_MAX, CHECK_PATH } from './grpc-health.ts';
import { createNetworkDial } from './network-dial.ts';

/** What it is asked, as bytes; whatever a row says is its answer. */
const serveGrpc = async (
  t: TestContext,
  answer: (stream: ServerHttp2Stream, asked: Buffer) => void,
): Promise<{ readonly port: number; readonly asked: Buffer[] }> => {
  const asked: Buffer[] = [];
  const server = createServer();
  server.on('stream', async (stream: ServerHttp2Stream, headers) => {
    // The one that resets a stream hears of it too.
    stream.on('error', () => undefined);
    assert.equal(headers[':path'], CHECK_PATH);
    const question = Buffer.concat(await stream.toArray());
    asked.push(question);
    answer(stream, question);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const bound = server.address();
  return { port: typeof bound === 'object' && bound !== null ? bound.port : 0, asked };
};

const answerWith =
  (bytes: readonly number[], code = '0') =>
  (stream: ServerHttp2Stream): void => {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': code }));
    stream.end(Buffer.from(bytes));
  };

const dial = createNetworkDial({ mapAddress: (host) => host, ownAddresses: () => [] });
const HOST = '127.0.0.1';

const listen = async (t: TestContext, server: Server): Promise<number> => {
  server.listen(0, HOST);
  await once(server, 'listening');
  t.after(() => server.close());
  const bound = server.address();
  return typeof bound === 'object' && bound !== null ? bound.port : 0;
};

describe('§7-16 a VM is asked from the bridge that it is on, or macOS finds no way to it', () => {
  const own = { address: '127.0.0.3', cidr: '127.0.0.3/8' };
  const bridged = createNetworkDial({ mapAddress: () => HOST, ownAddresses: () => [own] });
  const host = '192.168.64.5';

  it('by HTTP', async (t) => {
    const seen: unknown[] = [];
    const server = createHttpServer((asked, answer) => {
      seen.push(asked.socket.remoteAddress);
      answer.writeHead(204).end();
    });
    const port = await listen(t, server);
    const ask = { scheme: 'http', host, port, path: '/', headers: {}, signal: neverAborted() } as const;
    assert.equal(await bridged.http(ask), 204);
    assert.deepEqual(seen, [own.address]);
  });

  it('by a connection', async (t) => {
    const { promise: seen, resolve } = Promise.withResolvers<unknown>();
    const port = await listen(
      t,
      createTcpServer((socket) => {
        resolve(socket.remoteAddress);
        socket.destroy();
      }),
    );
    await bridged.tcp({ host, port, signal: neverAborted() });
    assert.equal(await seen, own.address);
  });

  it('by gRPC', async (t) => {
    const seen: unknown[] = [];
    const answer = answerWith([0, 0, 0, 0, 2, 8, 1]);
    const { port } = await serveGrpc(t, (stream) => {
      seen.push(stream.session?.socket.remoteAddress);
      answer(stream);
    });
    assert.equal(await bridged.grpc({ host, port, service: '', signal: neverAborted() }), 'SERVING');
    assert.deepEqual(seen, [own.address]);
  });
});

describe('a gRPC health check', () => {
  const answers = [
    { says: 'SERVING', bytes: [0, 0, 0, 0, 2, 8, 1] },
    { says: 'NOT_SERVING', bytes: [0, 0, 0, 0, 2, 8, 2] },
    { says: 'SERVICE_UNKNOWN', bytes: [0, 0, 0, 0, 2, 8, 3] },
    { says: 'UNKNOWN', bytes: [0, 0, 0, 0, 0] },
  ];
  for (const { says, bytes } of answers) {
    it(`tells that the server says ${says}`, async (t) => {
      const { port } = await serveGrpc(t, answerWith(bytes));
      assert.equal(await dial.grpc({ host: HOST, port, service: '', signal: neverAborted() }), says);
    });
  }

  it('names the service that it asks after, however long the name is', async (t) => {
    const { port, asked } = await serveGrpc(t, answerWith([0, 0, 0, 0, 2, 8, 1]));
    const names = ['', 'work', 'x'.repeat(200)];
    for (const service of names) await dial.grpc({ host: HOST, port, service, signal: neverAborted() });
    assert.deepEqual(asked, [
      Buffer.from([0, 0, 0, 0, 0]),
      Buffer.from([0, 0, 0, 0, 6, 10, 4, ...Buffer.from('work')]),
      Buffer.from([0, 0, 0, 0, 203, 10, 200, 1, ...Buffer.from('x'.repeat(200))]),
    ]);
  });

  const refusals = [
    { story: 'a code other than 0', answer: answerWith([], '12'), why: /the code 12/ },
    { story: 'an answer that is cut', answer: answerWith([0, 0, 0, 0, 2, 8]), why: /no answer of grpc/ },
    { story: 'a status that nobody knows', answer: answerWith([0, 0, 0, 0, 2, 8, 9]), why: /no answer of grpc/ },
    { story: 'an endless answer', answer: answerWith(Array(ANSWER_BYTES_MAX + 1).fill(0)), why: /too long/ },
    { story: 'a stream that is reset', answer: (stream: ServerHttp2Stream) => stream.close(2), why: /nobody answers/ },
  ];
  for (const { story, answer, why } of refusals) {
    it(`fails for ${story}`, async (t) => {
      const { port } = await serveGrpc(t, answer);
      await assert.rejects(dial.grpc({ host: HOST, port, service: '', signal: neverAborted() }), why);
    });
  }

  it('ends when whoever asks has waited long enough, also where nobody speaks HTTP/2', async (t) => {
    const silent = createTcpServer((socket) => void t.after(() => socket.destroy()));
    const port = await listen(t, silent);
    const patience = new AbortController();
    const asking = dial.grpc({ host: HOST, port, service: '', signal: patience.signal });
    patience.abort();
    await assert.rejects(asking, /nobody answers/);
    silent.close();
    await assert.rejects(dial.grpc({ host: HOST, port: 1, service: '', signal: neverAborted() }), /nobody answers/);
  });
});
