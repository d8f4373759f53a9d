/** Every way to log in, against a real API server that checks it. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { toFleetError } from '../../src/base/errors.ts';
import { Secret } from '../../src/base/secret.ts';
import { SECRETS } from '../../src/kube/types/core.ts';
import { createAuthority, issueCertificate, parseAuthority } from '../../src/pki/authority.ts';
import { renderCertificate } from '../../src/pki/certificate.ts';
import { createKeyPair, renderPrivateKey } from '../../src/pki/key.ts';
import type { Cluster } from './bench/cluster.ts';
import { readPki } from './bench/pki.ts';
import { configFor, makeDirectory, requestToken, whoAmI } from './kube/login.ts';
import { connect, createMovableClock, eventually, openScene, parts } from './kube/scene.ts';

const MINUTE_MS = 60_000;
/** As long as credentials from files count as fresh. */
const FRESH_MS = MINUTE_MS;
/** As long as refused credentials are not looked for again. */
const LOOKING_GAP_MS = 10_000;

describe('a token file', () => {
  it('is read again when the server refuses the token that was in it', async (t) => {
    const scene = await openScene(t);
    const { client: admin, cluster, namespace, signal } = scene;
    const secret = await admin.create(SECRETS, { metadata: { namespace, name: 'lifetime' } }, { signal });
    const first = await requestToken(scene, 'robot', secret);
    const tokenFile = join(await makeDirectory(scene), 'token');
    await writeFile(tokenFile, `${first}\n`);
    const clock = createMovableClock();
    const { client } = await connect(t, configFor(cluster, { tokenFile }), { clock });
    assert.equal(await whoAmI(client, signal), `system:serviceaccount:${namespace}:robot`);

    await admin.delete(SECRETS, { namespace, name: 'lifetime' }, { signal });
    const refusal = await eventually('the server no longer takes the token', () =>
      whoAmI(client, signal).then(() => undefined, toFleetError),
    );
    assert.deepEqual([refusal.kind, refusal.code], ['denied', 'Unauthorized']);
    await writeFile(tokenFile, await requestToken(scene, 'robot'));
    clock.moveOn(LOOKING_GAP_MS);
    assert.equal(await whoAmI(client, signal), `system:serviceaccount:${namespace}:robot`);
  });

  it('is read again in time, without a refusal', async (t) => {
    const scene = await openScene(t);
    const tokenFile = join(await makeDirectory(scene), 'token');
    await writeFile(tokenFile, await requestToken(scene, 'old'));
    const clock = createMovableClock();
    const { client } = await connect(t, configFor(scene.cluster, { tokenFile }), { clock });
    assert.equal(await whoAmI(client, t.signal), `system:serviceaccount:${scene.namespace}:old`);
    await writeFile(tokenFile, await requestToken(scene, 'new'));
    assert.equal(await whoAmI(client, t.signal), `system:serviceaccount:${scene.namespace}:old`);
    clock.moveOn(FRESH_MS);
    assert.equal(await whoAmI(client, t.signal), `system:serviceaccount:${scene.namespace}:new`);
  });
});

describe('a client certificate', () => {
  it('in a kubeconfig says who we are', async (t) => {
    const { cluster, signal } = await openScene(t);
    const { client } = await connect(t, await cluster.kubeconfigFor({ name: 'ada', groups: ['guests'] }));
    assert.equal(await whoAmI(client, signal), 'ada');
  });

  it('in files is replaced while we run', async (t) => {
    const scene = await openScene(t);
    const directory = await makeDirectory(scene);
    const [crt, key] = [join(directory, 'tls.crt'), join(directory, 'tls.key')];
    const write = async (name: string): Promise<void> => {
      const pair = readPki(scene.cluster.dir).issueClient({ name });
      await Promise.all([writeFile(crt, pair.certificate), writeFile(key, pair.key.reveal())]);
    };
    await write('before');
    const clock = createMovableClock();
    const certificate = { certificate: { in: 'file', path: crt }, key: { in: 'file', path: key } } as const;
    const { client } = await connect(t, configFor(scene.cluster, { certificate }), { clock });
    assert.equal(await whoAmI(client, t.signal), 'before');
    await write('after');
    clock.moveOn(FRESH_MS);
    assert.equal(await whoAmI(client, t.signal), 'after');
  });

  it('that has expired is refused, and the error says that it has', async (t) => {
    const { cluster, signal } = await openScene(t);
    const { client } = await connect(t, configFor(cluster, { certificate: await issueExpired(cluster) }));
    await assert.rejects(whoAmI(client, signal), {
      kind: 'denied',
      code: 'ClientCertificateExpired',
      message: /expired/,
      hint: /this test/,
    });
  });

  it('of the server that another authority signed is refused by us', async (t) => {
    const { cluster, signal } = await openScene(t);
    const { random } = parts();
    const life = { notBeforeMs: Date.now() - MINUTE_MS, notAfterMs: Date.now() + MINUTE_MS };
    const stranger = createAuthority({ subject: { commonName: 'x' }, keyPair: createKeyPair(random), random, ...life });
    const caPem = renderCertificate(stranger.certificate);
    const { client } = await connect(t, configFor({ ...cluster, caPem }, { token: new Secret('unseen') }));
    await assert.rejects(whoAmI(client, signal), { kind: 'denied', code: 'ServerCertificateUntrusted' });
  });
});

describe('a credential plugin', () => {
  /** Prints what is in the file, and leaves a line with what it was told each time it runs. */
  const SCRIPT = 'printf "%s\\n" "$KUBERNETES_EXEC_INFO" >> "$1/runs"; cat "$1/credential"';
  const exec = (directory: string) =>
    ({
      apiVersion: 'client.authentication.k8s.io/v1',
      command: 'sh',
      args: ['-c', SCRIPT, 'sh', directory],
      env: {},
      wantsCluster: 'yes',
    }) as const;
  const write = (directory: string, status: object): Promise<void> =>
    writeFile(
      join(directory, 'credential'),
      JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status }),
    );
  const readRuns = async (directory: string): Promise<readonly string[]> =>
    (await readFile(join(directory, 'runs'), 'utf8')).trim().split('\n');

  it('gives a client certificate, is run once, and is told which cluster', async (t) => {
    const scene = await openScene(t);
    const directory = await makeDirectory(scene);
    const { certificate, key } = readPki(scene.cluster.dir).issueClient({ name: 'grace' });
    await write(directory, { clientCertificateData: certificate, clientKeyData: key.reveal() });
    const { client } = await connect(t, configFor(scene.cluster, { exec: exec(directory) }));
    assert.deepEqual(await Promise.all([whoAmI(client, t.signal), whoAmI(client, t.signal)]), ['grace', 'grace']);
    const [told, ...more] = await readRuns(directory);
    assert.deepEqual(more, []);
    assert.partialDeepStrictEqual(JSON.parse(told ?? ''), { spec: { cluster: { server: scene.cluster.server } } });
  });

  it('gives a token, and is run again when that is refused', async (t) => {
    const scene = await openScene(t);
    const directory = await makeDirectory(scene);
    await write(directory, { token: 'nonsense' });
    const clock = createMovableClock();
    const { client } = await connect(t, configFor(scene.cluster, { exec: exec(directory) }), { clock });
    await assert.rejects(whoAmI(client, t.signal), { kind: 'denied', code: 'Unauthorized' });
    await write(directory, { token: await requestToken(scene, 'robot') });
    clock.moveOn(LOOKING_GAP_MS);
    assert.equal(await whoAmI(client, t.signal), `system:serviceaccount:${scene.namespace}:robot`);
    assert.equal((await readRuns(directory)).length, 2);
  });

  it('is run again shortly before what it gave expires', async (t) => {
    const scene = await openScene(t);
    const directory = await makeDirectory(scene);
    const expirationTimestamp = new Date(Date.now() + 10 * MINUTE_MS).toISOString();
    await write(directory, { token: await requestToken(scene, 'old'), expirationTimestamp });
    const clock = createMovableClock();
    const { client } = await connect(t, configFor(scene.cluster, { exec: exec(directory) }), { clock });
    assert.equal(await whoAmI(client, t.signal), `system:serviceaccount:${scene.namespace}:old`);
    await write(directory, { token: await requestToken(scene, 'new') });
    clock.moveOn(9 * MINUTE_MS);
    assert.equal(await whoAmI(client, t.signal), `system:serviceaccount:${scene.namespace}:old`);
    clock.moveOn(MINUTE_MS);
    assert.equal(await whoAmI(client, t.signal), `system:serviceaccount:${scene.namespace}:new`);
  });
});

/** Valid until a minute ago. */
const issueExpired = async ({ dir, caPem }: Cluster) => {
  const { random } = parts();
  const authority = parseAuthority(caPem, new Secret(await readFile(readPki(dir).path('ca.key'), 'utf8')));
  const keyPair = createKeyPair(random);
  const certificate = issueCertificate(authority, {
    identity: { commonName: 'late', organizations: ['system:masters'] },
    publicKey: keyPair.publicKey,
    usages: ['digital signature', 'client auth'],
    random,
    notBeforeMs: Date.now() - 2 * MINUTE_MS,
    notAfterMs: Date.now() - MINUTE_MS,
  });
  const pem = new Secret(renderCertificate(certificate));
  return { certificate: { in: 'data', pem }, key: { in: 'data', pem: renderPrivateKey(keyPair) } } as const;
};
