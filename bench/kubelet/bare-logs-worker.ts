/** The server of bare-logs.ts, in a thread of its own: beside it the bench reads what comes through. */
import { createServer } from 'node:https';
import { parentPort, workerData } from 'node:worker_threads';

const CHUNK_BYTES = 524_288;

const bytes = Buffer.from(workerData.text);
const server = createServer(workerData.pair, (_request, response) => {
  let at = 0;
  const send = (): void => {
    while (at < bytes.length) {
      const chunk = bytes.subarray(at, at + CHUNK_BYTES);
      at += chunk.length;
      if (response.write(chunk)) continue;
      response.once('drain', send);
      return;
    }
    response.end();
  };
  response.setHeader('content-type', 'text/plain');
  send();
});
server.listen(0, '127.0.0.1', () => {
  const bound = server.address();
  parentPort?.postMessage(typeof bound === 'object' && bound !== null ? bound.port : 0);
});
