/** The identity of a Mac on a real API server: how it is obtained and renewed, and how far it reaches. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isKind } from '../../src/base/errors.ts';
import { FINALIZERS } from '../../src/kinds/labels.ts';
import type { KubeClient } from '../../src/kube/client/client.ts';
import { NODE_GROUP, nodeUserOf, requestNodeCertificate } from '../../src/kube/node/node-certificate.ts';
import { CERTIFICATE_SIGNING_REQUESTS } from '../../src/kube/types/certificates.ts';
import { NODES, PODS, SECRETS } from '../../src/kube/types/core.ts';
import { keyOf } from '../../src/kube/types/meta.ts';
import { parseCertificates } from '../../src/pki/certificate.ts';
import { createKeyPair } from '../../src/pki/key.ts';
import { eventually, openScene, parts } from './kube/scene.ts';
import { ATTEMPTS, runAttempts } from './node-identity/attempts.ts';
import { joinNode, writeNodeKubeconfig } from './node-identity/join.ts';

const HOUR_MS = 3_600_000;

test('a Mac that joined', async (t) => {
  const scene = await openScene(t);
  const mac = await joinNode(scene);

  await t.test('has a certificate of its own name, for an hour', () => {
    const [certificate] = parseCertificates(mac.certificatePem);
    assert.equal(certificate.commonName, nodeUserOf(mac.nodeName));
    assert.deepEqual(certificate.organizations, [NODE_GROUP]);
    const left = certificate.notAfterMs - Date.now();
    assert.ok(left > 0 && left <= HOUR_MS, `it lives for ${left} ms`);
  });

  assert.ok(ATTEMPTS.length >= 40);
  for (const { row, verdict, answer } of await runAttempts(scene.cluster, mac, ATTEMPTS)) {
    const { attempt, why } = row;
    await t.test(`${attempt}: ${row.verdict}, because ${why}`, () => assert.equal(verdict, row.verdict, answer));
  }
});

test('what a Mac is refused is refused to it, and not to an administrator who asks the same', async (t) => {
  const scene = await openScene(t);
  const { nodeName } = await joinNode(scene);
  const rows = ATTEMPTS.filter(({ verdict, isRefusedToAll }) => verdict === 'forbidden' && isRefusedToAll !== true);
  const administrator = { nodeName, kubeconfig: scene.cluster.kubeconfig };
  for (const { row, verdict, answer } of await runAttempts(scene.cluster, administrator, rows)) {
    await t.test(row.attempt, () => {
      assert.notEqual(verdict, 'forbidden', answer);
      assert.doesNotMatch(answer, /could not find the requested resource/);
    });
  }
});

test('a bootstrap token', async (t) => {
  const scene = await openScene(t);
  const { bootstrapKubeconfig, nodeName } = await joinNode(scene);
  const bearer = await scene.cluster.client(bootstrapKubeconfig);
  const signal = t.signal;
  const refused: Readonly<Record<string, (client: KubeClient) => Promise<unknown>>> = {
    'read its Node': (client) => client.get(NODES, { name: nodeName }, { signal }),
    'register a Node': (client) => client.create(NODES, { metadata: { name: `${nodeName}-2` } }, { signal }),
    'list Pods': (client) => client.list(PODS, { signal }),
    'read the token itself': (client) => client.list(SECRETS, { namespace: 'kube-system', signal }),
  };
  for (const [what, ask] of Object.entries(refused)) {
    await t.test(`may not ${what}`, () => assert.rejects(ask(bearer), { kind: 'denied' }));
  }
  await t.test('may see what became of a request', async () => {
    await bearer.list(CERTIFICATE_SIGNING_REQUESTS, { signal });
  });
});

test('a Mac gets its next certificate with the last one', async (t) => {
  const { cluster, signal, ...scene } = await openScene(t);
  const { nodeName, kubeconfig } = await joinNode({ ...scene, cluster, signal });
  const keyPair = createKeyPair(parts().random);
  const self = await cluster.client(kubeconfig);
  const next = requestNodeCertificate({ client: self, clock: parts().clock, nodeName, keyPair }, signal);
  const name = await eventually('the request is there', async () => {
    const { items } = await scene.client.list(CERTIFICATE_SIGNING_REQUESTS, { signal });
    return items.find(({ spec }) => spec.username === nodeUserOf(nodeName))?.metadata.name;
  });
  const { code, stderr } = await cluster.kubectl(['certificate', 'approve', name]);
  assert.equal(code, 0, stderr);
  const renewed = await cluster.client(writeNodeKubeconfig(cluster, { certificatePem: await next, keyPair }));
  assert.equal((await renewed.get(NODES, { name: nodeName }, { signal })).metadata.name, nodeName);
});

test('a finished Pod that the agent holds is gone once the agent lets go through its status', async (t) => {
  const scene = await openScene(t);
  const { client, namespace, signal } = scene;
  const { nodeName, kubeconfig } = await joinNode(scene);
  const agent = await scene.cluster.client(kubeconfig);
  const pod = await client.create(
    PODS,
    {
      metadata: { name: 'vm', namespace, finalizers: [FINALIZERS.pod] },
      spec: {
        nodeName,
        containers: [{ name: 'main', image: 'example.org/vm:1' }],
        automountServiceAccountToken: false,
      },
    },
    { signal },
  );
  const report = (body: object) =>
    agent.patch(PODS, keyOf(pod), { type: 'merge', body }, { subresource: 'status', signal });
  const isThere = () =>
    client.get(PODS, keyOf(pod), { signal }).then(
      () => true,
      (error: unknown) => !isKind(error, 'not-found'),
    );

  await report({ status: { phase: 'Succeeded' } });
  await client.delete(PODS, keyOf(pod), { signal });
  assert.equal(await isThere(), true);
  await report({ metadata: { finalizers: null } });
  assert.equal(await isThere(), false);
});
