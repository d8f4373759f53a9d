import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { silentLogger } from '../../base/logger.ts';
import { createSeededRandom } from '../../base/random.ts';
import { MAC_HOSTS, type MacHost, parseMacHost } from '../../kinds/mac-host.ts';
import { createCache } from '../../kube/cache/cache.ts';
import { SIGNERS } from '../../kube/certificates/node-request.ts';
import type { Transport } from '../../kube/client/transport.ts';
import { createManager } from '../../kube/manager/manager.ts';
import { createHarness } from '../../kube/testing/harness.ts';
import { CERTIFICATE_SIGNING_REQUESTS, type CertificateSigningRequest } from '../../kube/types/certificates.ts';
import { NODES, SECRETS } from '../../kube/types/core.ts';
import { createAuthority, issueCertificate } from '../../pki/authority.ts';
import { renderCertificate } from '../../pki/certificate.ts';
import { createCsr } from '../../pki/csr.ts';
import { createKeyPair } from '../../pki/key.ts';
import { createCsrApprover, REQUEST_INDEXES } from './csr-approver.ts';
import { createJoinCredentials } from './join-credentials.ts';
import { JOIN_GROUP } from './join-token.ts';

const HOUR_MS = 3_600_000;

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

type Conditions = NonNullable<NonNullable<CertificateSigningRequest['status']>['conditions']>;

interface Asked {
  readonly nodeName: string;
  /** The token that is shown; without it the Node itself asks. */
  readonly token?: string;
  readonly group?: string;
  /** The same text is the same key. */
  readonly key?: string;
  readonly as?: 'server';
}

const renderRequest = ({ nodeName, token, group = JOIN_GROUP, key = '', as }: Asked) => {
  const user = `system:node:${nodeName}`;
  const identity = { commonName: user, organizations: ['system:nodes'], ...(as && { dnsNames: [nodeName] }) };
  const keyPair = createKeyPair(createSeededRandom(key));
  return {
    request: Buffer.from(createCsr({ identity, keyPair })).toString('base64'),
    signerName: as === 'server' ? SIGNERS.kubeletServing : SIGNERS.kubeletClient,
    usages: ['digital signature', `${as ?? 'client'} auth`],
    expirationSeconds: 3_600,
    username: token === undefined ? user : `system:bootstrap:${token.split('.')[0]}`,
    groups: [token === undefined ? 'system:nodes' : group],
  };
};

const hostOf = (name: string, nodeName: string): MacHost =>
  parseMacHost({
    metadata: { name },
    spec: {
      source: { scaleway: { projectID: 'p', zone: 'z', serverID: name } },
      claimRef: { namespace: 'ci', name: nodeName, uid: `uid of ${nodeName}` },
    },
  });

interface Signed {
  /** Of the request, whose key it is. */
  readonly name: string;
  readonly nodeName: string;
  readonly nowMs: number;
  readonly lifeMs: number;
}

const sign = ({ name, nodeName, nowMs, lifeMs }: Signed): string => {
  const random = createSeededRandom('signer');
  const life = { notBeforeMs: nowMs - HOUR_MS, notAfterMs: nowMs + lifeMs };
  const keyPair = createKeyPair(createSeededRandom('authority'));
  const authority = createAuthority({ subject: { commonName: 'authority' }, keyPair, random, ...life });
  const { publicKey } = createKeyPair(createSeededRandom(name));
  const identity = { commonName: `system:node:${nodeName}`, organizations: ['system:nodes'] };
  return renderCertificate(
    issueCertificate(authority, { identity, publicKey, usages: ['client auth'], random, ...life }),
  );
};

const startApprover = async ({ namespace }: { namespace?: string } = {}) => {
  const seen: string[] = [];
  const harness = createHarness({ wrap: listen(seen) });
  const { client, clock, random, stop, advance } = harness;
  const cacheDeps = { client, clock, random, logger: silentLogger };
  const requests = createCache({
    ...{ ...cacheDeps, resource: CERTIFICATE_SIGNING_REQUESTS, indexes: REQUEST_INDEXES },
  });
  const indexes = { node: ({ spec }: MacHost) => (spec.claimRef === undefined ? [] : [spec.claimRef.name]) };
  const hosts = createCache({ ...cacheDeps, resource: MAC_HOSTS, indexes });
  const scope = namespace === undefined ? {} : { namespace };
  // Of thousands of requests each Mac that joins concerns a few.
  requests.list = () => assert.fail('all requests are gone through');
  const controllers = [createCsrApprover({ requests, hosts, servingAddresses: [], ...scope })];
  const manager = createManager({ name: 'approver', ...cacheDeps, caches: [requests, hosts], controllers });
  const { signal } = stop;
  const running = manager.run(signal);
  for (const at of [1, 2]) await client.create(MAC_HOSTS, hostOf(`srv-${at}`, `mac-${at}`), { signal });
  const cluster = { server: 'https://10.0.0.1:6443', authority: 'PEM' };
  const join = createJoinCredentials({ client, clock, random, cluster });
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) await advance(100);
  };
  const ask = async (name: string, asked: Asked, conditions: Conditions = []): Promise<string | undefined> => {
    const status = conditions.length === 0 ? {} : { status: { conditions } };
    const request = { metadata: { name }, spec: renderRequest({ key: name, ...asked }), ...status };
    await client.create(CERTIFICATE_SIGNING_REQUESTS, request, { signal });
    await settle();
    const answered = await client.get(CERTIFICATE_SIGNING_REQUESTS, { name }, { signal });
    const [condition] = answered.status?.conditions ?? [];
    return condition === undefined ? undefined : `${condition.type}: ${condition.message}`;
  };
  /** As a signer does. */
  const issue = async (name: string, { nodeName, lifeMs }: { nodeName: string; lifeMs: number }): Promise<void> => {
    const certificate = sign({ name, nodeName, nowMs: clock.now(), lifeMs });
    const body = { status: { certificate: Buffer.from(certificate).toString('base64') } };
    const patch = { type: 'merge', body } as const;
    await client.patch(CERTIFICATE_SIGNING_REQUESTS, { name }, patch, { subresource: 'status', signal });
    await settle();
  };
  const tokenFor = async (nodeName: string, epoch = 1, wipes = 0): Promise<string> => {
    const machine = { namespace: 'ci', name: nodeName };
    const joiner = { machine, host: nodeName.replace('mac', 'srv'), uid: 'uid', wipes, epoch };
    const kubeconfig = (await join.issue(joiner, signal)).reveal();
    return /token: (\S+)/.exec(kubeconfig)?.[1] ?? '';
  };
  const decisionOf = async (name: string): Promise<string | undefined> =>
    (await client.get(CERTIFICATE_SIGNING_REQUESTS, { name }, { signal })).status?.conditions?.[0]?.type;
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
  };
  const reads = (): readonly string[] => seen;
  const later = async (ms: number): Promise<void> => {
    await advance(ms);
    await settle();
  };
  return { client, clock, signal, ask, issue, tokenFor, decisionOf, reads, advance: later, end };
};

const STRANGER = { token: 'abc123.0123456789abcdef', nodeName: 'mac-1', group: 'system:bootstrappers:else' };

describe('the approver of certificates', () => {
  it('lets a Mac join once by its token, and puts on record until when it is that Node (R23)', async () => {
    const { client, signal, ask, tokenFor, end } = await startApprover();
    const token = await tokenFor('mac-1');
    assert.equal((await client.list(SECRETS, { signal })).items.length, 1);
    assert.match((await ask('first', { token, nodeName: 'mac-1' })) ?? '', /^Approved/);
    const host = await client.get(MAC_HOSTS, { name: 'srv-1' }, { signal });
    assert.equal(host.spec.identity?.nodeName, 'mac-1');
    assert.equal((await client.list(SECRETS, { signal })).items.length, 1, 'the certificate is fetched with the token');
    assert.match((await ask('second', { token, nodeName: 'mac-1' })) ?? '', /^Denied: the token was used before/);
    await end();
  });

  it('R23 takes no token any more once a later one was used, and forgets no use with the record of the Mac', async () => {
    const { client, signal, ask, tokenFor, end } = await startApprover();
    const [early, late, last] = [await tokenFor('mac-1', 1), await tokenFor('mac-1', 2), await tokenFor('mac-1', 3)];
    assert.match((await ask('first', { token: late, nodeName: 'mac-1' })) ?? '', /^Approved/);
    assert.match((await ask('second', { token: early, nodeName: 'mac-1' })) ?? '', /^Denied: the token was used/);
    assert.match((await ask('third', { token: last, nodeName: 'mac-1' })) ?? '', /^Approved/);
    await client.delete(MAC_HOSTS, { name: 'srv-1' }, { signal });
    await client.create(MAC_HOSTS, hostOf('srv-1', 'mac-1'), { signal });
    assert.match((await ask('fourth', { token: last, nodeName: 'mac-1' })) ?? '', /^Denied: the token was used/);
    await end();
  });

  it('R23 takes no token from before a wipe, although the same machine has the same Mac again', async () => {
    const { client, signal, ask, tokenFor, end } = await startApprover();
    const [before, after] = [await tokenFor('mac-1', 1, 0), await tokenFor('mac-1', 2, 1)];
    const patch = { type: 'merge', body: { spec: { wipes: 1 } } } as const;
    await client.patch(MAC_HOSTS, { name: 'srv-1' }, patch, { signal });
    assert.match(
      (await ask('first', { token: before, nodeName: 'mac-1' })) ?? '',
      /^Denied: .*before the Mac was wiped/,
    );
    assert.match((await ask('second', { token: after, nodeName: 'mac-1' })) ?? '', /^Approved/);
    await end();
  });

  it('R23 remembers the use of a token through renewals', async () => {
    const { client, signal, ask, tokenFor, end } = await startApprover();
    const used = async () => (await client.get(MAC_HOSTS, { name: 'srv-1' }, { signal })).spec.identity?.token;
    await ask('joining', { token: await tokenFor('mac-1'), nodeName: 'mac-1' });
    const before = await used();
    assert.equal(before?.epoch, 1);
    assert.match((await ask('renewing', { nodeName: 'mac-1' })) ?? '', /^Approved/);
    assert.deepEqual(await used(), before);
    await end();
  });

  it('removes a token that was used and has ended, where Kubernetes does not', async () => {
    const { client, signal, ask, issue, tokenFor, advance, end } = await startApprover();
    const tokens = async () => (await client.list(SECRETS, { signal })).items.length;
    await ask('first', { token: await tokenFor('mac-1'), nodeName: 'mac-1' });
    await advance(130_000);
    await ask('second', { token: await tokenFor('mac-2'), nodeName: 'mac-2' });
    await issue('second', { nodeName: 'mac-2', lifeMs: HOUR_MS });
    await advance(860_000);
    assert.equal(await tokens(), 2, 'it may still be needed, or somebody else removes it');
    await advance(40_000);
    assert.equal(await tokens(), 1, 'whatever came of the request');
    await advance(130_000);
    assert.equal(await tokens(), 0);
    await end();
  });

  it('leaves the removal to Kubernetes where that does it: nothing is written', async () => {
    const { client, signal, ask, tokenFor, reads, advance, end } = await startApprover();
    await ask('first', { token: await tokenFor('mac-1'), nodeName: 'mac-1' });
    const [token] = (await client.list(SECRETS, { signal })).items;
    await client.delete(SECRETS, { namespace: 'kube-system', name: token?.metadata.name ?? '' }, { signal });
    const before = reads().length;
    await advance(1_200_000);
    assert.deepEqual(
      reads()
        .slice(before)
        .filter((request) => request.startsWith('DELETE')),
      [],
    );
    await end();
  });

  it('leaves what others ask for with tokens of their own alone, and reads no Secret for it', async () => {
    const { ask, reads, end } = await startApprover();
    assert.equal(await ask('stranger', STRANGER), undefined);
    assert.deepEqual(
      reads().filter((path) => path.includes('/secrets')),
      [],
    );
    await end();
  });

  it('leaves a Mac of another namespace to the manager of that, also its token', async () => {
    const { client, signal, ask, issue, tokenFor, advance, end } = await startApprover({ namespace: 'web' });
    assert.equal(await ask('joining', { token: await tokenFor('mac-1'), nodeName: 'mac-1' }), undefined);
    assert.equal(await ask('renewing', { nodeName: 'mac-1' }), undefined);
    const approved = [{ type: 'Approved', status: 'True', reason: 'MacOfTheFleet' }] as const;
    await ask('decided', { token: await tokenFor('mac-2'), nodeName: 'mac-2' }, approved);
    await issue('decided', { nodeName: 'mac-2', lifeMs: HOUR_MS });
    await advance(1_200_000);
    assert.equal((await client.list(SECRETS, { signal })).items.length, 2, 'their manager removes them');
    await end();
  });

  it('R15 leaves a Mac waiting whose record is missing, and answers when it is there', async () => {
    const { client, signal, ask, tokenFor, advance, decisionOf, end } = await startApprover();
    const token = await tokenFor('mac-3');
    assert.equal(await ask('early', { token, nodeName: 'mac-3' }), undefined);
    await client.create(MAC_HOSTS, hostOf('srv-3', 'mac-3'), { signal });
    await advance(1_000);
    assert.equal(await decisionOf('early'), 'Approved');
    await end();
  });

  it('R15 denies what no Mac came on record for while its token was good', async () => {
    const { ask, tokenFor, advance, decisionOf, end } = await startApprover();
    assert.equal(await ask('early', { token: await tokenFor('mac-3'), nodeName: 'mac-3' }), undefined);
    await advance(900_000);
    assert.equal(await decisionOf('early'), 'Denied');
    await end();
  });

  it('denies a token for another Node, and leaves it good for its own', async () => {
    const { ask, tokenFor, end } = await startApprover();
    const token = await tokenFor('mac-1');
    assert.match((await ask('greedy', { token, nodeName: 'mac-2' })) ?? '', /^Denied: .*may be Node mac-1 only/);
    assert.match((await ask('modest', { token, nodeName: 'mac-1' })) ?? '', /^Approved/);
    await end();
  });

  it('denies a key that another Node has', async () => {
    const { ask, tokenFor, end } = await startApprover();
    const [one, other] = [await tokenFor('mac-1'), await tokenFor('mac-2')];
    assert.match((await ask('one', { token: one, nodeName: 'mac-1', key: 'shared' })) ?? '', /^Approved/);
    assert.match((await ask('other', { token: other, nodeName: 'mac-2', key: 'shared' })) ?? '', /^Denied: .*mac-1/);
    await end();
  });

  it('puts on record what Kubernetes’ own approver approved, once it is issued and lives for longer', async () => {
    const { client, clock, signal, ask, issue, tokenFor, end } = await startApprover();
    const recorded = async () => (await client.get(MAC_HOSTS, { name: 'srv-1' }, { signal })).spec.identity?.expiresAt;
    await ask('joining', { token: await tokenFor('mac-1'), nodeName: 'mac-1' });
    const before = await recorded();
    await issue('joining', { nodeName: 'mac-1', lifeMs: HOUR_MS });
    assert.equal(await recorded(), before, 'as it was expected when it was approved');
    const approved = [{ type: 'Approved', status: 'True', reason: 'AutoApproved' }] as const;
    await ask('renewing', { nodeName: 'mac-1' }, approved);
    assert.equal(await recorded(), before, 'nothing is issued yet');
    await issue('renewing', { nodeName: 'mac-1', lifeMs: 2 * HOUR_MS });
    assert.ok(Date.parse((await recorded()) ?? '') > clock.now() + HOUR_MS + 120_000);
    await end();
  });

  it('R28 gives no end to an identity that somebody else gave: not by serving, not by renewing', async () => {
    const { client, signal, ask, end } = await startApprover();
    const patch = { type: 'merge', body: { spec: { takenOver: true } } } as const;
    await client.patch(MAC_HOSTS, { name: 'srv-1' }, patch, { signal });
    assert.match((await ask('serving', { nodeName: 'mac-1', as: 'server' })) ?? '', /^Approved/);
    assert.match((await ask('renewing', { nodeName: 'mac-1' })) ?? '', /^Approved/);
    assert.equal((await client.get(MAC_HOSTS, { name: 'srv-1' }, { signal })).spec.identity, undefined);
    await end();
  });

  it('R23 puts on record what a restored etcd forgot: the identity of a Mac that renews', async () => {
    const { client, signal, ask, end } = await startApprover();
    assert.match((await ask('serving', { nodeName: 'mac-1', as: 'server' })) ?? '', /^Approved/);
    assert.equal((await client.get(MAC_HOSTS, { name: 'srv-1' }, { signal })).spec.identity, undefined);
    assert.match((await ask('renewing', { nodeName: 'mac-1' })) ?? '', /^Approved/);
    assert.equal((await client.get(MAC_HOSTS, { name: 'srv-1' }, { signal })).spec.identity?.nodeName, 'mac-1');
    await end();
  });

  it('R23 renews nothing for a Mac that speaks under the name of another', async () => {
    const { client, signal, ask, end } = await startApprover();
    const node = { metadata: { name: 'mac-1' }, spec: { providerID: 'scw-applesilicon://z/srv-9' } };
    await client.create(NODES, node, { signal });
    assert.match((await ask('renewing', { nodeName: 'mac-1' })) ?? '', /^Denied: .*srv-9/);
    await end();
  });
});
