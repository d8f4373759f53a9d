import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { createSystemClock } from '../../base/clock.ts';
import { FleetError } from '../../base/errors.ts';
import { silentLogger } from '../../base/logger.ts';
import { createSeededRandom } from '../../base/random.ts';
import { Secret } from '../../base/secret.ts';
import { createHostIo } from '../client/login/host-io.ts';
import { connectNode } from './node-login.ts';

const EXPIRED = 'zzzzzz.0123456789abcdef';

describe('a Mac logs in by what its kubeconfig holds', () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const { authorization = '' } = request.headers;
    asked.push(`${request.method} ${request.url?.split('?')[0]} ${authorization}`);
    response
      .writeHead(authorization.includes(EXPIRED) ? 401 : 403, { 'content-type': 'application/json' })
      .end('{"kind":"Status","message":"no"}');
  });
  const renderKubeconfig = (token: string): Secret<string> => {
    const { port } = server.address() as AddressInfo;
    return new Secret(
      JSON.stringify({
        ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'c' },
        clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${port}` } }],
        users: [{ name: 'u', user: { token } }],
        contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      }),
    );
  };
  const deps = {
    ...{ clock: createSystemClock(), random: createSeededRandom('login'), logger: silentLogger },
    host: createHostIo(),
  };
  const disk = { read: async () => undefined, write: async () => undefined };
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
      const login = { nodeName: 'mac-1', kubeconfig: renderKubeconfig(token), disk };
      const { client, close } = await connectNode(deps, login);
      t.after(close);
      await assert.rejects(client.getRaw('/version', { signal: t.signal }));
      assert.equal(asked.at(-1), asks);
    });
  }

  it('a token that is refused is said to be so, and shown no more; another that lies there is shown at once', async (t) => {
    let lies = EXPIRED;
    const readKubeconfig = async (): Promise<Secret<string>> => {
      if (lies === '') throw new FleetError('not-found', { code: 'FileMissing', message: 'being replaced' });
      return renderKubeconfig(lies);
    };
    const login = { nodeName: 'mac-1', kubeconfig: renderKubeconfig(EXPIRED), readKubeconfig, disk };
    const { client, close } = await connectNode(deps, login);
    t.after(close);
    const before = asked.length;
    const shown = () => asked.slice(before).map((line) => line.split(' ').at(-1));
    const ask = () => client.getRaw('/version', { signal: t.signal });
    await assert.rejects(ask, { code: 'JoinTokenRefused', hint: /new token/ });
    lies = '';
    await assert.rejects(ask, { code: 'JoinTokenRefused' });
    assert.deepEqual(shown(), [EXPIRED]);
    lies = 'bcdefg.0123456789abcdef';
    await assert.rejects(ask, { code: 'Forbidden' });
    assert.deepEqual(shown(), [EXPIRED, lies]);
  });
});
