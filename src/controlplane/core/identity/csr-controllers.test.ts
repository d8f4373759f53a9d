import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSeededRandom } from '../../../base/random.ts';
import { SIGNERS } from '../../../kube/certificates/node-request.ts';
import type { Transport } from '../../../kube/client/transport.ts';
import { CERTIFICATE_SIGNING_REQUESTS, type CertificateSigningRequest } from '../../../kube/types/certificates.ts';
import { createAuthority } from '../../../pki/authority.ts';
import { parseCertificates } from '../../../pki/certificate.ts';
import { createCsr } from '../../../pki/csr.ts';
import type { Identity } from '../../../pki/identity.ts';
import { createKeyPair } from '../../../pki/key.ts';
import { createCoreControllers } from '../core-controllers.ts';
import { startCluster } from '../testing/cluster.ts';

const START_MS = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;
const random = createSeededRandom('csr');
const authority = createAuthority({
  ...{ subject: { commonName: 'test-ca' }, keyPair: createKeyPair(random), random },
  ...{ notBeforeMs: START_MS - DAY_MS, notAfterMs: START_MS + 3_650 * DAY_MS },
});

const NODE: Partial<Identity> = { commonName: 'system:node:mac', organizations: ['system:nodes'] };
const CLIENT = ['digital signature', 'client auth'];
const SERVING = ['digital signature', 'server auth'];

/** An API that answers reviews: only these permissions are had. */
const answering =
  (allowed: readonly string[]) =>
  (direct: Transport): Transport => ({
    ...direct,
    send: async (request) => {
      if (!request.path.includes('subjectaccessreviews')) return direct.send(request);
      const asked = JSON.parse(String(request.body));
      const status = { allowed: allowed.includes(asked.spec.resourceAttributes.subresource) };
      const text = Buffer.from(JSON.stringify({ ...asked, status }));
      const headers = { 'content-type': 'application/json' };
      return {
        ...(await direct.send({ ...request, method: 'GET', path: '/api/v1/nodes' })),
        status: 201,
        headers,
        body: (async function* () {
          yield text;
        })(),
      };
    },
  });

const start = (allowed: readonly string[] = []) => {
  const cluster = startCluster((deps) => createCoreControllers({ ...deps, authority }), { wrap: answering(allowed) });
  const ask = async (spec: Partial<CertificateSigningRequest['spec']>, identity: Partial<Identity> = NODE) => {
    const request = Buffer.from(createCsr({ identity, keyPair: createKeyPair(random) })).toString('base64');
    const full = {
      request,
      signerName: SIGNERS.kubeletClient,
      usages: CLIENT,
      username: 'system:bootstrap:x',
      ...spec,
    };
    await cluster.create(CERTIFICATE_SIGNING_REQUESTS, { metadata: { name: 'r' }, spec: full });
  };
  const approve = () =>
    cluster.patchStatus(
      CERTIFICATE_SIGNING_REQUESTS,
      { name: 'r' },
      {
        conditions: [{ type: 'Approved', status: 'True', reason: 'ByHand', lastUpdateTime: '2026-01-01T00:00:00Z' }],
      },
    );
  const status = async () => {
    await cluster.settle();
    return (await cluster.all(CERTIFICATE_SIGNING_REQUESTS))[0]?.status;
  };
  const issued = async () => {
    const text = (await status())?.certificate;
    assert.ok(text, 'no certificate was issued');
    return parseCertificates(Buffer.from(text, 'base64').toString())[0];
  };
  return { ...cluster, ask, approve, status, issued };
};

describe('a certificate request', () => {
  it('is signed once it is approved, for as long as it asks', async () => {
    const cluster = start();
    await cluster.ask({ expirationSeconds: 3_600 });
    assert.equal((await cluster.status())?.certificate, undefined, 'nobody approved it');
    await cluster.approve();
    const certificate = await cluster.issued();
    assert.equal(certificate.commonName, 'system:node:mac');
    assert.equal(certificate.notAfterMs, START_MS + 3_600_000);
    assert.equal(certificate.notBeforeMs, START_MS - 300_000);
    assert.deepEqual(cluster.problems, []);
    await cluster.end();
  });

  const faults: readonly (readonly [string, Partial<CertificateSigningRequest['spec']>, Partial<Identity>, string])[] =
    [
      [
        'of no node',
        {},
        { commonName: 'eve', organizations: ['system:nodes'] },
        'subject common name does not begin with system:node: ',
      ],
      [
        'of two groups',
        {},
        { ...NODE, organizations: ['system:nodes', 'system:masters'] },
        'subject organization is not system:nodes',
      ],
      [
        'of a client with a name for servers',
        {},
        { ...NODE, dnsNames: ['mac'] },
        'DNS subjectAltNames are not allowed',
      ],
      [
        'of a client that would serve',
        { usages: SERVING },
        NODE,
        'usages did not match [client auth digital signature key encipherment]',
      ],
      [
        'of a server without a name',
        { signerName: SIGNERS.kubeletServing, usages: SERVING },
        NODE,
        'DNS or IP subjectAltName is required',
      ],
      [
        'of a user that would serve',
        { signerName: SIGNERS.client, usages: SERVING },
        { commonName: 'eve' },
        'usages did not match [client auth digital signature key encipherment]',
      ],
    ];
  for (const [story, spec, identity, message] of faults) {
    it(`${story} fails although it was approved`, async () => {
      const cluster = start();
      await cluster.ask(spec, identity);
      await cluster.approve();
      const failed = (await cluster.status())?.conditions?.find(({ type }) => type === 'Failed');
      assert.deepEqual([failed?.reason, failed?.message], ['SignerValidationFailure', message]);
      assert.equal((await cluster.status())?.certificate, undefined);
      await cluster.end();
    });
  }

  it('of another signer is left to that', async () => {
    const cluster = start();
    await cluster.ask({ signerName: 'example.com/signer' });
    await cluster.approve();
    assert.equal((await cluster.status())?.certificate, undefined);
    await cluster.end();
  });

  const approvals: readonly (readonly [
    string,
    readonly string[],
    Partial<CertificateSigningRequest['spec']>,
    Partial<Identity>,
    boolean,
  ])[] = [
    ['by whoever may have a node’s first certificate', ['nodeclient'], {}, NODE, true],
    ['by the node itself, for the next one', ['selfnodeclient'], { username: 'system:node:mac' }, NODE, true],
    [
      'by another node with the permission for its own',
      ['selfnodeclient'],
      { username: 'system:node:other' },
      NODE,
      false,
    ],
    ['by somebody without permission', [], {}, NODE, false],
    [
      'for serving',
      ['nodeclient', 'selfnodeclient'],
      { signerName: SIGNERS.kubeletServing, usages: SERVING },
      { ...NODE, dnsNames: ['mac'] },
      false,
    ],
  ];
  for (const [story, allowed, spec, identity, isApproved] of approvals) {
    it(`${story} is ${isApproved ? 'approved and signed' : 'left to people'}`, async () => {
      const cluster = start(allowed);
      await cluster.ask(spec, identity);
      const status = await cluster.status();
      assert.equal(status?.conditions?.some(({ reason }) => reason === 'AutoApproved') === true, isApproved);
      assert.equal(status?.certificate !== undefined, isApproved);
      assert.deepEqual(cluster.problems, []);
      await cluster.end();
    });
  }

  it('is cleaned up an hour after it was issued, and a day after nobody cared', async () => {
    const [issued, ignored] = [start(), start()];
    for (const cluster of [issued, ignored]) await cluster.ask({});
    await issued.approve();
    const countAfter = async (cluster: ReturnType<typeof start>, ms: number) => {
      await cluster.advance(ms);
      await cluster.settle();
      return (await cluster.all(CERTIFICATE_SIGNING_REQUESTS)).length;
    };
    assert.deepEqual([await countAfter(issued, 3_590_000), await countAfter(ignored, 3_610_000)], [1, 1]);
    assert.deepEqual([await countAfter(issued, 20_000), await countAfter(ignored, DAY_MS)], [0, 0]);
    for (const cluster of [issued, ignored]) await cluster.end();
  });
});
