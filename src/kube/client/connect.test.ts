import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createSystemClock } from '../../base/clock.ts';
import { createLoggerTo } from '../../base/logger.ts';
import { createSeededRandom } from '../../base/random.ts';
import type { ResponseInfo } from './call.ts';
import { connectCluster } from './connect.ts';
import { loadKubeconfig } from './login/load-cluster.ts';
import { createTestCertificates } from './testing/certificates.ts';
import { createFakeHost } from './testing/fake-host.ts';
import { startLoopbackServer } from './testing/loopback-server.ts';

const certificates = createTestCertificates();
after(() => certificates?.dispose());

const pods = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', scope: 'Namespaced' } as const;
const { signal } = new AbortController();

const kubeconfig = (cluster: object): string =>
  JSON.stringify({
    'current-context': 'm',
    contexts: [{ name: 'm', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user: { tokenFile: 'token' } }],
  });

const connect = async (files: Record<string, string>) => {
  const host = createFakeHost(files);
  const lines: string[] = [];
  const responses: ResponseInfo[] = [];
  const config = await loadKubeconfig({ path: '/kube/config' }, host);
  const connection = await connectCluster(config, {
    host,
    clock: createSystemClock(),
    random: createSeededRandom(1),
    logger: createLoggerTo((level, message) => lines.push(`${level}: ${message}`)),
    onResponse: (info) => responses.push(info),
  });
  return { ...connection, lines, responses };
};

describe('from a kubeconfig to an object', { skip: certificates === undefined && 'openssl is not installed' }, () => {
  const serve = async () => {
    const server = await startLoopbackServer((incoming, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ metadata: { name: incoming.headers.authorization } }));
    }, certificates?.issue('localhost'));
    return { server, address: `https://localhost:${server.port}` };
  };

  it('the token file is shown over a connection that the authority vouches for', async () => {
    const { server, address } = await serve();
    const { client, close, lines, responses } = await connect({
      '/kube/config': kubeconfig({ server: address, 'certificate-authority': 'ca.crt' }),
      '/kube/ca.crt': certificates?.ca ?? '',
      '/kube/token': 'abc\n',
    });
    const pod = await client.get(pods, { namespace: 'a', name: 'b' }, { signal });
    assert.equal(pod.metadata.name, 'Bearer abc');
    assert.deepEqual([lines, responses], [[], [{ method: 'GET', host: `localhost:${server.port}`, status: 200 }]]);
    await close();
    await server.close();
  });

  it('no verification works, and is warned about', async () => {
    const { server, address } = await serve();
    const { client, close, lines } = await connect({
      '/kube/config': kubeconfig({ server: address, 'insecure-skip-tls-verify': true }),
      '/kube/token': 'abc',
    });
    await client.get(pods, { namespace: 'a', name: 'b' }, { signal });
    assert.deepEqual(lines, ['warn: Not verifying who the API server is (insecure-skip-tls-verify)']);
    await close();
    await server.close();
  });

  it('a missing authority file is named at once', () =>
    assert.rejects(
      connect({ '/kube/config': kubeconfig({ server: 'https://x', 'certificate-authority': 'ca.crt' }) }),
      {
        kind: 'denied',
        code: 'FileUnreadable',
        message: /\/kube\/ca\.crt does not exist/,
      },
    ));

  it('a missing token file is named at the first call', async () => {
    const { client, close } = await connect({ '/kube/config': kubeconfig({ server: 'https://x' }) });
    await assert.rejects(client.get(pods, { namespace: 'a', name: 'b' }, { signal }), {
      kind: 'denied',
      message: /\/kube\/token does not exist/,
    });
    await close();
  });
});
