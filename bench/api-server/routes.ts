/** Which canned answer a request gets: a page of the list, one object, or a watch. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Content } from './content.ts';
import type { Watches } from './watches.ts';

export const createRouter =
  (content: Content, watches: Watches) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'https://127.0.0.1');
    if (searchParams.has('watch')) watches.open(response);
    else if (pathname === content.collectionPath) send(response, content.page(readPage(searchParams)));
    else send(response, content.object(pathname));
  };

const readPage = (query: URLSearchParams) => ({
  from: Number(query.get('continue') ?? 0),
  limit: Number(query.get('limit') ?? 0) || Number.POSITIVE_INFINITY,
});

const send = (response: ServerResponse, parts: readonly Buffer[] | undefined): void => {
  if (parts === undefined) {
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end('{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}');
    return;
  }
  const sizeBytes = parts.reduce((sum, part) => sum + part.length, 0);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': sizeBytes });
  for (const part of parts) response.write(part);
  response.end();
};
