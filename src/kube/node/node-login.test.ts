import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { createSystemClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { createSeededRandom } from '../../base/random.ts';
import { Secret } from '../../base/secret.ts';
import { createHostIo } from '../client/login/host-io.ts';
import { connectNode } from './node-login.ts';

describe('a Mac logs in by what its kubeconfig holds', () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url?.split('?')[0]} ${request.headers.authorization}`);
    response.writeHead(403, { 'content-type': 'application/json' }).end('{"kind":"Status","message":"no"}');
  });
  before(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
  after(() => server.close());

  const STORIES = [
    {
      story: 'a bootstrap token is for a certificate alone',
      token: 'abcdef.0123456789abcdef',
      asks: 'POST /apis/certificates.k8s.io/v1/certificatesigningrequests Bearer abcdef.0123456789abcdef',
    },
    {
      story: 'the token of a ServiceAccount, as the Go original gives it, is for everything',
      token: 'eyJhbGciOi.eyJpc3MiOi.c2ln',
      asks: 'GET /version Bearer eyJhbGciOi.eyJpc3MiOi.c2ln',
    },
  ];
  for (const { story, token, asks } of STORIES) {
    it(story, async (t) => {
      const { port } = server.address() as AddressInfo;
      const kubeconfig = JSON.stringify({
        ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'c' },
        clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${port}` } }],
        users: [{ name: 'u', user: { token } }],
        contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      });
      const deps = { clock: createSystemClock(), random: createSeededRandom('login'), logger: silentLogger };
      const disk = { read: async () => undefined, write: async () => undefined };
      const login = { nodeName: 'mac-1', kubeconfig: new Secret(kubeconfig), disk };
      const { client, close } = await connectNode({ ...deps, host: createHostIo() }, login);
      t.after(close);
      await assert.rejects(client.getRaw('/version', { signal: t.signal }));
      assert.equal(asked.at(-1), asks);
    });
  }
});
