import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { describe, it } from 'node:test';
import { neverAborted } from '../base/abort.ts';
import { createHttpToGitHub } from './http-send.ts';

const serve = async (body: string) => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    response.writeHead(201).end(body);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return { asked, url: `http://127.0.0.1:${port}/a`, close: () => server.close() };
};

const CALL = { method: 'POST', headers: { authorization: 'Bearer x' }, signal: neverAborted() };

describe('requests to GitHub', () => {
  it('are sent with their headers, and bring back status and text', async (context) => {
    const { asked, url, close } = await serve('{"token":"t"}');
    const github = createHttpToGitHub();
    context.after(async () => {
      await github.close();
      close();
    });
    const answer = await github.send(url, CALL);
    assert.deepEqual([answer.status, await answer.text()], [201, '{"token":"t"}']);
    assert.deepEqual(asked, ['POST /a Bearer x']);
  });

  it('do not read more than an answer of GitHub can be', async (context) => {
    const { url, close } = await serve('x'.repeat(100_000));
    const github = createHttpToGitHub();
    context.after(async () => {
      await github.close();
      close();
    });
    await assert.rejects(github.send(url, CALL));
  });
});
