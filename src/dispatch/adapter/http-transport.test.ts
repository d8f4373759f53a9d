import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import { neverAborted } from '../../base/abort.ts';
import { createHttpDispatchTransport } from './http-transport.ts';

const open = async (context: TestContext, answer: RequestListener) => {
  const server = createServer(answer);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const transport = createHttpDispatchTransport();
  context.after(async () => {
    await transport.close();
    server.close();
  });
  return { send: transport.send, url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/a?b=c` };
};

const signal = neverAborted();

describe('the way to the dispatcher over sockets', () => {
  it('carries method, path, headers and body, and brings back all of the answer', async (context) => {
    const { send, url } = await open(context, (request, response) => {
      request.setEncoding('utf8');
      request.on('data', (body: string) =>
        response
          .writeHead(203, { 'Tuist-Runners-Protocol': '2' })
          .end(`${request.method} ${request.url} ${request.headers.authorization} ${body}`),
      );
    });
    const answer = await send({ method: 'POST', url, headers: { authorization: 'Bearer x' }, body: '{}', signal });
    assert.equal(answer.status, 203);
    assert.equal(answer.headers['tuist-runners-protocol'], '2');
    assert.equal(answer.body, 'POST /a?b=c Bearer x {}');
  });

  it('reads no more than an answer can be', async (context) => {
    const { send, url } = await open(context, (_, response) => response.end('x'.repeat(1_100_000)));
    const asking = send({ method: 'GET', url, headers: {}, body: undefined, signal });
    await assert.rejects(asking, { kind: 'unavailable', code: 'DispatcherUnreachable' });
  });

  it('tells a server that is not there', async (context) => {
    const { send } = await open(context, () => undefined);
    const asking = send({ method: 'GET', url: 'http://127.0.0.1:1/', headers: {}, body: undefined, signal });
    await assert.rejects(asking, { kind: 'unavailable' });
  });
});
