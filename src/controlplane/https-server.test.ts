import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { neverAborted } from '../base/abort.ts';
import { createSystemClock } from '../base/clock.ts';
import { silentLogger } from '../base/logger.ts';
import { createSystemRandom } from '../base/random.ts';
import { Secret } from '../base/secret.ts';
import { connectCluster } from '../kube/client/connect.ts';
import { createHostIo } from '../kube/client/login/host-io.ts';
import { loadKubeconfig } from '../kube/client/login/load-cluster.ts';
import { renderKubeconfig } from '../kube/client/login/render-kubeconfig.ts';
import { NODES } from '../kube/types/core.ts';
import { createAuthority } from '../pki/authority.ts';
import { renderCertificate } from '../pki/certificate.ts';
import { issueClientCertificate, issueServerCertificate } from './auth/client-certificate.ts';
import { ADMIN } from './auth/user.ts';
import { createControlPlane } from './control-plane.ts';
import { type HttpsServer, startHttpsServer } from './https-server.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'macfleet-https-'));
const kubeconfigFile = join(folder, 'kubeconfig');
const clock = createSystemClock();
const random = createSystemRandom();
const logger = silentLogger;
const signal = neverAborted();

const knownTokens = [
  { token: new Secret('t0ken'), user: { name: 'robot', groups: ['system:masters'] } },
  { token: new Secret('weak'), user: { name: 'weak', groups: [] } },
];
const plane = createControlPlane({ clock, random, logger, knownTokens });
const issuer = { authority: plane.authority, clock, random };
const authority = renderCertificate(plane.authority.certificate);
let server: HttpsServer;
let kubeconfig = '';

before(async () => {
  server = await startHttpsServer({
    ...{ api: plane.api, tokens: plane.tokens, clock, logger },
    serving: issueServerCertificate(issuer, { dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] }),
    clientAuthority: authority,
    port: 0,
  });
  kubeconfig = renderKubeconfig({
    server: server.url,
    authority,
    client: issueClientCertificate(issuer, ADMIN),
    name: 'macfleet',
  });
  writeFileSync(kubeconfigFile, kubeconfig, { mode: 0o600 });
});

after(async () => {
  plane.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** An authority that is as old as any certificate here. */
const createTimelessPlane = () => {
  const old = { ...clock, now: () => Date.UTC(2019, 0, 1) };
  const {
    authority: { keyPair },
  } = plane;
  const certificate = createAuthority({
    ...{ subject: { commonName: 'old' }, keyPair, random },
    ...{ notBeforeMs: old.now(), notAfterMs: Date.UTC(2099, 0, 1) },
  }).certificate;
  return { authority: { certificate, keyPair } };
};

const ask = (path: string, options: RequestOptions, url = server.url): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    const sending = httpsRequest(`${url}${path}`, { ca: authority, agent: false, ...options }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sending.on('error', reject);
    sending.end();
  });

const connect = async (text = kubeconfig) => {
  const file = join(folder, 'one');
  writeFileSync(file, text, { mode: 0o600 });
  const host = createHostIo();
  return connectCluster(await loadKubeconfig({ path: file }, host), { host, clock, random, logger });
};

describe('over HTTPS', () => {
  test('our client reads, writes and watches with the certificate of the kubeconfig', async () => {
    const { client, close } = await connect();
    const resourceVersion = (await client.list(NODES, { signal })).metadata.resourceVersion;
    const seen: string[] = [];
    const watching = (async () => {
      for await (const event of client.watch(NODES, { resourceVersion, timeoutSeconds: 60, signal })) {
        if (event.type === 'BOOKMARK') continue;
        seen.push(`${event.type} ${event.object.metadata.name}`);
        if (event.type === 'DELETED') return;
      }
    })();
    await client.create(NODES, { metadata: { name: 'mac-1' } }, { signal });
    await client.delete(NODES, { name: 'mac-1' }, { signal });
    await watching;
    assert.deepEqual(seen, ['ADDED mac-1', 'DELETED mac-1']);
    await close();
  });

  test('an independent client lists and creates', async () => {
    const config = new KubeConfig();
    config.loadFromString(kubeconfig);
    const core = config.makeApiClient(CoreV1Api);
    await core.createNamespacedConfigMap({ namespace: 'default', body: { metadata: { name: 'c' }, data: { a: 'b' } } });
    const { items } = await core.listNamespacedConfigMap({ namespace: 'default' });
    assert.deepEqual(
      items.map(({ metadata, data }) => [metadata?.name, data]),
      [['c', { a: 'b' }]],
    );
    await assert.rejects(core.readNamespacedConfigMap({ namespace: 'default', name: 'absent' }), { code: 404 });
  });

  test('who shows nothing gets what is public and no more', async () => {
    const anonymous = kubeconfig.replace(/client-certificate-data:.*/, '').replace(/client-key-data:.*/, '');
    const { client, close } = await connect(anonymous);
    assert.equal(await client.getRaw('/readyz', { signal }), 'ok');
    assert.match(JSON.stringify(await client.getRaw('/version', { signal })), /gitVersion/);
    await assert.rejects(client.list(NODES, { signal }), { kind: 'denied', code: 'Forbidden' });
    await close();
  });

  const tokens = [
    { story: 'a token from the table is let in', token: 't0ken', code: undefined },
    { story: 'a token of somebody without rights is refused', token: 'weak', code: 'Forbidden' },
    { story: 'another token is not', token: 'wrong', code: 'Unauthorized' },
  ];
  for (const { story, token, code } of tokens) {
    test(story, async () => {
      const byToken = kubeconfig
        .replace(/client-certificate-data:.*/, `token: ${token}`)
        .replace(/client-key-data:.*/, '');
      const { client, close } = await connect(byToken);
      const listing = client.list(NODES, { signal });
      if (code === undefined) await listing;
      else await assert.rejects(listing, { code });
      await close();
    });
  }

  test('a certificate of another authority is nobody', async () => {
    const other = createControlPlane({ clock, random, logger });
    const client = issueClientCertificate({ ...issuer, authority: other.authority }, ADMIN);
    const connection = await connect(renderKubeconfig({ server: server.url, authority, client, name: 'x' }));
    await assert.rejects(connection.client.list(NODES, { signal }), { code: 'Unauthorized' });
    await connection.close();
    other.close();
  });

  const foreign = [
    { story: 'its own address', host: '', status: 200 },
    { story: 'another name of its certificate', host: 'localhost:1', status: 200 },
    { story: 'a name of somebody else', host: 'evil.example', status: 403 },
    { story: 'a name that begins like its own', host: '127.0.0.1.evil.example', status: 403 },
  ];
  for (const { story, host, status } of foreign) {
    test(`a request to ${story} is answered with ${status}`, async () => {
      const answer = await ask('/readyz', host === '' ? {} : { headers: { host }, servername: 'localhost' });
      assert.equal(answer.status, status);
      if (status === 403) assert.match(answer.text, /answers to localhost, 127\.0\.0\.1/);
    });
  }

  const times = [
    { story: 'is over', at: Date.UTC(2020, 0, 1), status: 401 },
    { story: 'has not begun', at: Date.UTC(2090, 0, 1), status: 401 },
    { story: 'is now', at: clock.now(), status: 200 },
  ];
  for (const { story, at, status } of times) {
    test(`a certificate whose time ${story} is answered with ${status}`, async () => {
      // The chain of a server looks at the real time, so the certificate is made at another.
      const otherwise = { ...clock, now: () => at };
      const { authority: issuing } = createTimelessPlane();
      const { certificate: cert, key } = issueClientCertificate(
        { authority: issuing, clock: otherwise, random },
        ADMIN,
      );
      const timeless = await startHttpsServer({
        ...{ api: plane.api, tokens: plane.tokens, clock, logger, port: 0 },
        serving: issueServerCertificate(issuer, { dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] }),
        clientAuthority: renderCertificate(issuing.certificate),
      });
      const answer = await ask('/readyz', { cert, key: key.reveal() }, timeless.url);
      assert.equal(answer.status, status);
      await timeless.close();
    });
  }

  test('a certificate that ends while its connection lasts is no longer believed', async () => {
    let nowMs = clock.now();
    const moving = { ...clock, now: () => nowMs };
    const short = await startHttpsServer({
      ...{ api: plane.api, tokens: plane.tokens, clock: moving, logger, port: 0 },
      serving: issueServerCertificate(issuer, { dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] }),
      clientAuthority: authority,
    });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const { certificate: cert, key } = issueClientCertificate(issuer, ADMIN);
    const options = { cert, key: key.reveal(), agent };
    assert.equal((await ask('/api/v1/nodes', options, short.url)).status, 200);
    nowMs += 2 * 365 * 86_400_000;
    assert.equal((await ask('/api/v1/nodes', options, short.url)).status, 401);
    agent.destroy();
    await short.close();
  });

  const sizes = [
    { story: 'said beforehand', megabytes: 4, isSaid: true, status: 413 },
    { story: 'not said', megabytes: 4, isSaid: false, status: 413 },
    { story: 'within the bounds', megabytes: 2, isSaid: false, status: 400 },
  ];
  for (const { story, megabytes, isSaid, status } of sizes) {
    test(`a body of ${megabytes} MB, its size ${story}, is answered with ${status}`, async () => {
      const body = Buffer.alloc(megabytes * 1024 * 1024, 'x');
      const headers = { authorization: 'Bearer t0ken', ...(isSaid && { 'content-length': body.length }) };
      const answer = await new Promise<number | undefined>((resolve, reject) => {
        const options = { method: 'POST', headers, ca: authority, agent: false };
        const sending = httpsRequest(`${server.url}/api/v1/nodes`, options, (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        sending.on('error', reject);
        // A server that has answered may close while the rest of the body is still being sent.
        if (isSaid) sending.flushHeaders();
        else sending.write(body, () => sending.end());
      });
      assert.equal(answer, status);
    });
  }

  test('a port that is taken is a clear error', async () => {
    const serving = issueServerCertificate(issuer, { dnsNames: [], ipAddresses: ['127.0.0.1'] });
    const again = startHttpsServer({
      ...{ api: plane.api, tokens: plane.tokens, clock, logger, serving },
      ...{ clientAuthority: authority, port: server.port },
    });
    await assert.rejects(again, { code: 'CannotListen' });
  });
});

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;

describe('kubectl', { skip: hasKubectl ? false : 'there is no kubectl on this machine' }, () => {
  const kubectl = async (...args: readonly string[]): Promise<string> => {
    const flags = ['--kubeconfig', kubeconfigFile, '--cache-dir', join(folder, 'cache')];
    const { stdout } = await run('kubectl', [...flags, ...args]);
    return stdout;
  };

  test('says who one is and what one may, acts as another, and makes tokens', async () => {
    assert.match(await kubectl('auth', 'whoami'), /macfleet-admin/);
    assert.equal(await kubectl('auth', 'can-i', 'delete', 'nodes'), 'yes\n');
    await assert.rejects(kubectl('auth', 'can-i', 'list', 'nodes', '--as', 'petra'), { stdout: 'no\n' });
    await assert.rejects(
      kubectl('get', 'nodes', '--as', 'petra'),
      /nodes is forbidden: User "petra" cannot list resource "nodes" in API group "" at the cluster scope/,
    );
    await kubectl('create', 'clusterrolebinding', 'petra', '--clusterrole=view', '--user=petra');
    assert.equal(await kubectl('auth', 'can-i', 'list', 'pods', '-A', '--as', 'petra'), 'yes\n');
    assert.match(await kubectl('auth', 'can-i', '--list', '--as', 'petra'), /selfsubjectaccessreviews/);
    await kubectl('create', 'serviceaccount', 'robot');
    const token = (await kubectl('create', 'token', 'robot', '--duration=10m')).trim();
    const answer = await ask('/api/v1/nodes', { headers: { authorization: `Bearer ${token}` } });
    assert.match(answer.text, /User \\"system:serviceaccount:default:robot\\" cannot list resource/);
    await kubectl('delete', 'serviceaccount', 'robot');
    assert.equal((await ask('/api/v1/nodes', { headers: { authorization: `Bearer ${token}` } })).status, 401);
  });

  test('applies our CRDs and an object, describes, scales and deletes it', async () => {
    const crds = new URL('../../deploy/crds/', import.meta.url).pathname;
    assert.match(await kubectl('apply', '-f', crds), /runnerpools\.tuist\.dev created/);
    const pool = join(folder, 'pool.json');
    const spec = { image: 'i', fleetSelector: 'f', dispatchLabel: 'd', runnerLabels: ['a'] };
    const write = (changed: object) =>
      writeFileSync(
        pool,
        JSON.stringify({
          apiVersion: 'tuist.dev/v1alpha1',
          kind: 'RunnerPool',
          metadata: { name: 'p' },
          spec: changed,
        }),
      );
    write(spec);
    assert.match(await kubectl('apply', '-f', pool), /created/);
    assert.match(await kubectl('apply', '-f', pool), /unchanged/);
    write({ ...spec, image: 'j' });
    assert.match(await kubectl('apply', '-f', pool), /configured/);
    await kubectl('scale', 'rpool', 'p', '--replicas=3');
    assert.match(await kubectl('get', 'rpool'), /p\s+3/);
    assert.match(await kubectl('describe', 'rpool', 'p'), /Image:\s+j/);
    write({ ...spec, image: 'j', typo: 1 });
    await assert.rejects(kubectl('apply', '-f', pool), /unknown field \\?"spec\.typo/);
    assert.match(await kubectl('delete', 'rpool', 'p'), /deleted/);
  });
});
