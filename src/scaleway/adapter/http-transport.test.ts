import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { describe, test } from 'node:test';
import { neverAborted } from '../../base/abort.ts';
import { cancelled, FleetError } from '../../base/errors.ts';
import { createHttpCloudTransport, type HttpCloudTransport } from './http-transport.ts';

const withServer = async (
  listener: RequestListener,
  body: (send: HttpCloudTransport['send'], url: string) => Promise<void>,
) => {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  const transport = createHttpCloudTransport(url);
  try {
    await body(transport.send, url);
  } finally {
    server.closeAllConnections();
    server.close();
    await transport.close().catch(() => undefined);
  }
};

const get = (url: string, signal = neverAborted()) => ({ method: 'GET', url, headers: {}, body: undefined, signal });

const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'none',
    (error: unknown) => (error instanceof FleetError ? `${error.kind} ${error.code}` : String(error)),
  );

test('a request arrives with path, query, headers and body, and its answer comes back', async () => {
  const listener: RequestListener = (request, response) => {
    request.setEncoding('utf8');
    request.on('data', (chunk) =>
      response
        .writeHead(409, { 'X-Request-Id': '7' })
        .end(`${request.method} ${request.url} ${request.headers['x-auth-token']} ${chunk}`),
    );
  };
  await withServer(listener, async (send, url) => {
    const answer = await send({
      method: 'PATCH',
      url: `${url}/a/b?c=d`,
      headers: { 'x-auth-token': 'k' },
      body: '{}',
      signal: neverAborted(),
    });
    assert.deepEqual([answer.status, answer.body, answer.headers['x-request-id']], [409, 'PATCH /a/b?c=d k {}', '7']);
  });
});

test('requests one after another share connections', async () => {
  const ports = new Set<number | undefined>();
  await withServer(
    (request, response) => {
      ports.add(request.socket.remotePort);
      response.end('{}');
    },
    async (send, url) => {
      for (let count = 0; count < 20; count += 1) await send(get(url));
      // undici frees a connection one turn after the end of a body, so the next request may take a second one.
      assert.ok(ports.size <= 2, `${ports.size} connections`);
    },
  );
});

describe('trouble on the way is named:', () => {
  const rows: readonly { story: string; listener: RequestListener; is: string }[] = [
    { story: 'a reset', listener: (request) => request.socket.destroy(), is: 'unavailable CloudUnreachable' },
    {
      story: 'an answer that is cut off',
      listener: (request, response) => {
        response.writeHead(200, { 'content-length': '100' }).write('{');
        setImmediate(() => request.socket.destroy());
      },
      is: 'unavailable CloudUnreachable',
    },
    {
      story: 'an answer without end',
      listener: (_, response) => {
        const chunk = Buffer.alloc(1024 * 1024);
        const more = (): void => {
          while (!response.destroyed && response.write(chunk));
          if (!response.destroyed) response.once('drain', more);
        };
        more();
      },
      is: 'contract AnswerTooLarge',
    },
  ];
  for (const { story, listener, is } of rows) {
    test(story, () => withServer(listener, async (send, url) => assert.equal(await codeOf(send(get(url))), is)));
  }

  test('nobody there', async () => {
    const transport = createHttpCloudTransport('http://127.0.0.1:9');
    assert.equal(await codeOf(transport.send(get('http://127.0.0.1:9/'))), 'unavailable CloudUnreachable');
    await transport.close();
  });

  test('the caller gave up', async () => {
    const controller = new AbortController();
    await withServer(
      () => controller.abort(cancelled()),
      async (send, url) => {
        assert.equal(await codeOf(send(get(url, controller.signal))), 'cancelled Cancelled');
      },
    );
  });
});
