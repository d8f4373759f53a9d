/** The agent's API over real TLS: who is told what, and what becomes of callers that go. */
import assert from 'node:assert/strict';
import { request } from 'node:https';
import { after, before, describe, it } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { createSystemClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { createSeededRandom } from '../../base/random.ts';
import { createAuthority, issueCertificate } from '../../pki/authority.ts';
import { renderCertificate } from '../../pki/certificate.ts';
import { createKeyPair, renderPrivateKey } from '../../pki/key.ts';
import { createSystemFiles } from '../host/system-files.ts';
import { type Access, type Proof, subresourcesOf } from './access.ts';
import { text } from './api-message.ts';
import { type KubeletServer, startKubeletServer } from './https-server.ts';
import { createKubeletApi } from './kubelet-api.ts';

const clock = createSystemClock();
const random = createSeededRandom('kubelet-server');
const life = { notBeforeMs: clock.now() - 3_600_000, notAfterMs: clock.now() + 3_600_000 };
const authorityOf = (commonName: string) =>
  createAuthority({ subject: { commonName, organizations: [] }, keyPair: createKeyPair(random), random, ...life });
const [ours, theirs] = [authorityOf('ours'), authorityOf('theirs')];

const issue = (authority: typeof ours, commonName: string, usage: 'client auth' | 'server auth') => {
  const keyPair = createKeyPair(random);
  const certificate = issueCertificate(authority, {
    identity: { commonName, organizations: ['system:masters'], dnsNames: [], ipAddresses: ['127.0.0.1'] },
    ...{ publicKey: keyPair.publicKey, usages: ['digital signature', usage], random, ...life },
  });
  return { certificatePem: renderCertificate(certificate), keyPem: renderPrivateKey(keyPair) };
};

interface Asking {
  readonly client?: ReturnType<typeof issue>;
  readonly token?: string;
  readonly path?: string;
  /** Of another server. */
  readonly port?: number;
}

describe('the server of tart-kubelet', () => {
  let server: KubeletServer;
  const proofs: Proof[] = [];
  const access: Access = {
    judge: async (proof) => {
      proofs.push(proof);
      if (proof.certified === undefined && proof.token === undefined) return { status: 401, message: 'Unauthorized' };
      return proof.token?.reveal() === 'weak' ? { status: 403, message: 'Forbidden' } : 'allowed';
    },
  };
  before(async () => {
    const clientAuthority = renderCertificate(ours.certificate);
    server = await startKubeletServer({ host: '127.0.0.1', port: 0, clientAuthority, access, logger: silentLogger });
  });
  after(() => server?.close());

  const ask = ({ client, token, path = '/', port = server.port }: Asking): Promise<string> =>
    new Promise((resolve) => {
      const asked = request(
        {
          ...{ host: '127.0.0.1', port, path, agent: false, ca: renderCertificate(ours.certificate) },
          ...(client !== undefined && { cert: client.certificatePem, key: client.keyPem.reveal() }),
          ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
        },
        async (response) => {
          let said = '';
          for await (const chunk of response) said += String(chunk);
          resolve(`${response.statusCode} ${said.trim()}`);
        },
      );
      asked.on('error', () => resolve('refused'));
      asked.end();
    });

  it('tells each caller what it may know, and nobody anything before it has a certificate', async (t) => {
    const friend = issue(ours, 'kube-apiserver', 'client auth');
    assert.equal(await ask({ client: friend }), 'refused');
    server.useCertificate(issue(ours, 'system:node:mac-1', 'server auth'));
    assert.equal(await ask({ client: friend }), '503 the agent is starting');
    server.answerWith(async ({ pathname }) => text(200, `hello ${pathname}`));
    await t.test('by a certificate of the cluster', async () => {
      assert.equal(await ask({ client: friend, path: '/x' }), '200 hello /x');
      const groups = ['system:masters', 'system:authenticated'];
      assert.deepEqual(proofs.at(-1)?.certified, { username: 'kube-apiserver', groups });
    });
    await t.test('by a certificate of somebody else: as nobody', async () => {
      assert.equal(await ask({ client: issue(theirs, 'kube-apiserver', 'client auth') }), '401 Unauthorized');
    });
    await t.test('by a token', async () => {
      assert.equal(await ask({ token: 'good' }), '200 hello /');
      assert.equal(await ask({ token: 'weak' }), '403 Forbidden');
    });
    await t.test('without either', async () => assert.equal(await ask({}), '401 Unauthorized'));
    await t.test('with a new certificate, from the next connection on', async () => {
      server.useCertificate(issue(theirs, 'system:node:mac-1', 'server auth'));
      assert.equal(await ask({ client: friend }), 'refused');
      server.useCertificate(issue(ours, 'system:node:mac-1', 'server auth'));
      assert.equal(await ask({ client: friend }), '200 hello /');
    });
    await t.test('an error of ours, as one', async () => {
      server.answerWith(async () => {
        throw new Error('broken');
      });
      assert.equal(await ask({ client: friend }), '500 broken');
    });
    await t.test('chunks as they come, and none for a caller that went', async () => {
      const gone = Promise.withResolvers<void>();
      async function* chunks(signal: AbortSignal): AsyncGenerator<Uint8Array> {
        yield Buffer.from('first\n');
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
        gone.resolve();
      }
      server.answerWith(async ({ signal }) => ({ status: 200, contentType: 'text/plain', body: chunks(signal) }));
      const { certificatePem: cert, keyPem } = friend;
      const address = { host: '127.0.0.1', port: server.port, agent: false, ca: renderCertificate(ours.certificate) };
      const asked = request({ ...address, cert, key: keyPem.reveal() });
      asked.on('error', () => undefined);
      asked.on('response', (response) =>
        response.once('data', (chunk) => {
          assert.equal(String(chunk), 'first\n');
          asked.destroy();
        }),
      );
      asked.end();
      await gone.promise;
    });
  });

  const startAnother = (judge: Access = access): Promise<KubeletServer> =>
    startKubeletServer({
      ...{ host: '127.0.0.1', port: 0, clientAuthority: renderCertificate(ours.certificate), access: judge },
      logger: silentLogger,
    });

  it('answers the very page that was judged, however its path is written', async (t) => {
    const onlyFigures: Access = {
      judge: async (_proof, { pathname }) =>
        ['metrics', 'stats'].some((right) => subresourcesOf(pathname).includes(right))
          ? 'allowed'
          : { status: 403, message: 'Forbidden' },
    };
    const other = await startAnother(onlyFigures);
    t.after(() => other.close());
    other.useCertificate(issue(ours, 'system:node:mac-2', 'server auth'));
    const files = createSystemFiles();
    other.answerWith(
      createKubeletApi({
        ...{ clock, pods: () => [{ metadata: { namespace: 'ns', name: 'hidden' }, spec: { containers: [] } }] },
        logs: {
          ...{ files, keeper: { isOpen: () => false, subscribe: () => () => undefined } },
          ...{ logDirectory: '/nowhere', vmOf: () => 'vm' },
        },
        ...{ metrics: async () => 'metrics', resourceMetrics: async () => '', summary: async () => ({}) },
      }),
    );
    const ROWS = [
      { path: '/metrics', is: /^200 metrics$/ },
      { path: '/metrics?of=anything', is: /^200 metrics$/ },
      { path: '/pods', is: /^403 / },
      { path: '/metrics/../pods', is: /^400 / },
      { path: '/metrics/..', is: /^400 / },
      { path: '/metrics/./resource', is: /^400 / },
      { path: '/stats/%2e%2e/pods', is: /^400 / },
      { path: '/stats/.%2E/pods', is: /^400 / },
      { path: '/metrics/../containerLogs/ns/hidden/main', is: /^400 / },
      { path: '//pods', is: /^400 / },
      { path: '//metrics/pods', is: /^400 / },
      { path: '/metrics/..\\pods', is: /^400 / },
      { path: '\\pods', is: /^400 / },
      { path: '/metrics#/../pods', is: /^400 / },
      { path: 'https://node/pods', is: /^400 / },
      { path: '*pods', is: /^400 / },
      { path: '/%70ods', is: /^403 / },
    ];
    for (const { path, is } of ROWS) {
      await t.test(path, async () => {
        const said = await ask({ token: 'figures', path, port: other.port });
        assert.match(said, is);
        assert.doesNotMatch(said, /hidden/);
      });
    }
  });

  it('takes no certificate for a proof where it knows no authority of the cluster, not even of those that everybody trusts', async (t) => {
    const everybodys = getCACertificates('default');
    setDefaultCACertificates([renderCertificate(ours.certificate)]);
    t.after(() => setDefaultCACertificates(everybodys));
    const other = await startKubeletServer({
      ...{ host: '127.0.0.1', port: 0, clientAuthority: undefined, access, logger: silentLogger },
    });
    t.after(() => other.close());
    other.useCertificate(issue(ours, 'system:node:mac-2', 'server auth'));
    other.answerWith(async () => text(200, 'hello'));
    const client = issue(ours, 'kube-apiserver', 'client auth');
    assert.equal(await ask({ client, port: other.port }), '401 Unauthorized');
    assert.equal(await ask({ token: 'good', port: other.port }), '200 hello');
  });

  it('answers the first who asks, and others at the same time', async () => {
    const other = await startAnother();
    other.useCertificate(issue(ours, 'system:node:mac-2', 'server auth'));
    const port = other.port;
    const answers = await Promise.all([1, 2, 3].map(() => ask({ token: 'good', port })));
    assert.deepEqual(answers, Array(3).fill('503 the agent is starting'));
    await other.close();
    assert.equal(await ask({ token: 'good', port }), 'refused');
  });

  it('that nobody ever asked can be closed', async () => {
    const other = await startAnother();
    await other.close();
    assert.equal(await ask({ token: 'good', port: other.port }), 'refused');
  });
});
