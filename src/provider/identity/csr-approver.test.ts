import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { silentLogger } from '../../base/logger.ts';
import { createSeededRandom } from '../../base/random.ts';
import { MAC_HOSTS, type MacHost, parseMacHost } from '../../kinds/mac-host.ts';
import { createCache } from '../../kube/cache/cache.ts';
import type { Transport } from '../../kube/client/transport.ts';
import { createManager } from '../../kube/manager/manager.ts';
import { createHarness } from '../../kube/testing/harness.ts';
import { CERTIFICATE_SIGNING_REQUESTS } from '../../kube/types/certificates.ts';
import { SECRETS } from '../../kube/types/core.ts';
import { createCsr } from '../../pki/csr.ts';
import { createKeyPair } from '../../pki/key.ts';
import { createCsrApprover } from './csr-approver.ts';
import { createJoinCredentials } from './join-credentials.ts';
import { JOIN_GROUP } from './join-token.ts';

/** Notes every request on its way. */
const listen =
  (seen: string[]) =>
  (transport: Transport): Transport => ({
    ...transport,
    send: (request) => {
      seen.push(`${request.method} ${request.path}`);
      return transport.send(request);
    },
  });

const startApprover = async () => {
  const seen: string[] = [];
  const harness = createHarness({ wrap: listen(seen) });
  const { client, clock, random, stop, advance } = harness;
  const cacheDeps = { client, clock, random, logger: silentLogger };
  const requests = createCache({ ...cacheDeps, resource: CERTIFICATE_SIGNING_REQUESTS });
  const indexes = { node: ({ spec }: MacHost) => (spec.claimRef === undefined ? [] : [spec.claimRef.name]) };
  const hosts = createCache({ ...cacheDeps, resource: MAC_HOSTS, indexes });
  const controllers = [createCsrApprover({ requests, hosts, servingAddresses: [] })];
  const manager = createManager({ name: 'approver', ...cacheDeps, caches: [requests, hosts], controllers });
  const { signal } = stop;
  const running = manager.run(signal);
  const host = parseMacHost({
    metadata: { name: 'srv-1' },
    spec: {
      source: { scaleway: { projectID: 'p', zone: 'z', serverID: 'srv-1' } },
      claimRef: { namespace: 'ci', name: 'mac-1', uid: 'uid-1' },
    },
  });
  await client.create(MAC_HOSTS, host, { signal });
  const cluster = { server: 'https://10.0.0.1:6443', authority: 'PEM' };
  const join = createJoinCredentials({ client, clock, random, cluster });
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) await advance(100);
  };
  const ask = async (
    name: string,
    token: string,
    nodeName: string,
    groups: readonly string[] = [JOIN_GROUP],
  ): Promise<string | undefined> => {
    const identity = { commonName: `system:node:${nodeName}`, organizations: ['system:nodes'] };
    const keyPair = createKeyPair(createSeededRandom(name));
    const spec = {
      request: Buffer.from(createCsr({ identity, keyPair })).toString('base64'),
      signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
      usages: ['digital signature', 'client auth'],
      expirationSeconds: 3_600,
      username: `system:bootstrap:${token.split('.')[0]}`,
      groups,
    };
    await client.create(CERTIFICATE_SIGNING_REQUESTS, { metadata: { name }, spec }, { signal });
    await settle();
    const answered = await client.get(CERTIFICATE_SIGNING_REQUESTS, { name }, { signal });
    const [condition] = answered.status?.conditions ?? [];
    return condition === undefined ? undefined : `${condition.type}: ${condition.message}`;
  };
  const tokenFor = async (nodeName: string): Promise<string> => {
    const kubeconfig = (await join.issue(nodeName, signal)).reveal();
    return /token: (\S+)/.exec(kubeconfig)?.[1] ?? '';
  };
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
  };
  const reads = (): readonly string[] => seen;
  return { client, signal, ask, tokenFor, reads, end };
};

describe('the approver of certificates', () => {
  it('lets a Mac join once by its token, and puts on record until when it is that Node (R23)', async () => {
    const { client, signal, ask, tokenFor, end } = await startApprover();
    const token = await tokenFor('mac-1');
    assert.equal((await client.list(SECRETS, { signal })).items.length, 1);
    assert.match((await ask('first', token, 'mac-1')) ?? '', /^Approved/);
    const host = await client.get(MAC_HOSTS, { name: 'srv-1' }, { signal });
    assert.equal(host.spec.identity?.nodeName, 'mac-1');
    assert.deepEqual((await client.list(SECRETS, { signal })).items, []);
    assert.match((await ask('second', token, 'mac-1')) ?? '', /^Denied: the token is not there/);
    await end();
  });

  it('leaves what others ask for with tokens of their own alone, and reads no Secret for it', async () => {
    const { ask, reads, end } = await startApprover();
    assert.equal(await ask('stranger', 'abc123.0123456789abcdef', 'mac-1', ['system:bootstrappers:else']), undefined);
    assert.deepEqual(
      reads().filter((path) => path.includes('/secrets')),
      [],
    );
    await end();
  });

  it('denies a token for another Node, and leaves it good for its own', async () => {
    const { ask, tokenFor, end } = await startApprover();
    const token = await tokenFor('mac-1');
    assert.match((await ask('greedy', token, 'mac-2')) ?? '', /^Denied: .*may be Node mac-1 only/);
    assert.match((await ask('modest', token, 'mac-1')) ?? '', /^Approved/);
    await end();
  });
});
