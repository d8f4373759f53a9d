import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSeededRandom } from '../../base/random.ts';
import { parseMacHost } from '../../kinds/mac-host.ts';
import type { CertificateSigningRequest } from '../../kube/types/certificates.ts';
import { createCsr, parseCsr } from '../../pki/csr.ts';
import type { Identity } from '../../pki/identity.ts';
import { createKeyPair } from '../../pki/key.ts';
import { JOIN_GROUP } from './join-token.ts';
import { judgeRequest, type RequestView } from './judge-request.ts';

const KEY = createKeyPair(createSeededRandom('judge-request'));
const NODE = { commonName: 'system:node:mac-1', organizations: ['system:nodes'] };
const ADDRESS = '198.18.0.7';

const csrOf = (identity: Partial<Identity>) => parseCsr(createCsr({ identity, keyPair: KEY }));

const host = (spec: object = {}) =>
  parseMacHost({
    metadata: { name: 'srv-1' },
    spec: {
      source: { scaleway: { projectID: 'p', zone: 'z', serverID: 'srv-1' } },
      claimRef: { namespace: 'ci', name: 'mac-1', uid: 'uid-1' },
      ...spec,
    },
  });

const request = (spec: Partial<CertificateSigningRequest['spec']> = {}): CertificateSigningRequest => ({
  metadata: { name: 'csr-1', uid: 'csr-uid' },
  spec: {
    request: '',
    signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
    usages: ['digital signature', 'client auth'],
    expirationSeconds: 3_600,
    username: 'system:bootstrap:abc123',
    groups: ['system:bootstrappers', JOIN_GROUP],
    ...spec,
  },
});

const RENEWING = { username: 'system:node:mac-1', groups: ['system:nodes'] };
const SERVING = {
  ...RENEWING,
  signerName: 'kubernetes.io/kubelet-serving',
  usages: ['digital signature', 'server auth'],
};
const token = { id: 'abc123', nodeName: 'mac-1', host: 'srv-1', epoch: 7, expiresAtMs: 0 };
/** A Mac on whose record it is that a token was used. */
const used = (use: { readonly id?: string; readonly request?: string; readonly epoch?: number }) =>
  host({ identity: { ...endsAt(600_000), token: { id: 'abc123', request: 'csr-uid', epoch: 7, ...use } } });
const addresses = (dnsNames: readonly string[], ipAddresses: readonly string[]) =>
  csrOf({ ...NODE, dnsNames, ipAddresses });

const NOW = Date.parse('2026-01-01T00:00:00Z');
const endsAt = (leftMs: number) => ({ nodeName: 'mac-1', expiresAt: new Date(NOW + leftMs).toISOString() });

interface Row {
  readonly story: string;
  readonly given: Partial<RequestView>;
  /** `approve`, `ignore`, or why it is denied. */
  readonly is: string | RegExp;
}

const ROWS: readonly Row[] = [
  { story: 'a Mac that joins with its token', given: {}, is: 'approve' },
  {
    story: 'a Mac that renews its certificate',
    given: { request: request(RENEWING), token: undefined },
    is: 'approve',
  },
  {
    story: 'a Mac that renews while its identity lives',
    given: { request: request(RENEWING), token: undefined, host: host({ identity: endsAt(600_000) }) },
    is: 'approve',
  },
  {
    story: 'a Mac that renews, and that is the Node',
    given: { request: request(RENEWING), token: undefined, speaker: 'scw-applesilicon://z/srv-1' },
    is: 'approve',
  },
  {
    story: 'R23 another Mac that speaks under that name',
    given: { request: request(RENEWING), token: undefined, speaker: 'scw-applesilicon://z/srv-9' },
    is: /srv-9, and not the one/,
  },
  {
    story: 'a Mac that joins under the name of a Node that another one left behind',
    given: { speaker: 'scw-applesilicon://z/srv-9' },
    is: 'approve',
  },
  {
    story: 'R23 a renewal that nobody decided about until the identity had ended',
    given: { request: request(RENEWING), token: undefined, host: host({ identity: endsAt(-1) }) },
    is: /has ended; it joins anew/,
  },
  {
    story: 'R23 one so late that the certificate would come too late',
    given: { request: request(RENEWING), token: undefined, host: host({ identity: endsAt(59_000) }) },
    is: /has ended/,
  },
  {
    story: 'R23 a Mac that joins anew after its identity ended',
    given: { host: host({ identity: endsAt(-1) }) },
    is: 'approve',
  },
  {
    story: 'a serving certificate for its name and address',
    given: { request: request(SERVING), token: undefined, csr: addresses(['mac-1'], [ADDRESS]) },
    is: 'approve',
  },
  { story: 'somebody else’s business', given: { request: request({ signerName: 'example.com/own' }) }, is: 'ignore' },
  {
    story: 'a Node that is no Mac of ours',
    given: { request: request({ ...RENEWING, username: 'system:node:linux-1' }), token: undefined, host: undefined },
    is: 'ignore',
  },
  {
    story: 'whoever has another bootstrap token',
    given: { request: request({ groups: ['system:bootstrappers'] }), token: undefined, host: undefined },
    is: 'ignore',
  },
  { story: 'a token that is gone', given: { token: undefined }, is: /token is not there/ },
  {
    story: 'another Node name than the token’s',
    given: { csr: csrOf({ ...NODE, commonName: 'system:node:mac-2' }) },
    is: /may be Node mac-1 only/,
  },
  {
    story: 'another Node name than one’s own',
    given: { request: request(RENEWING), token: undefined, csr: csrOf({ ...NODE, commonName: 'system:node:mac-2' }) },
    is: /may be Node mac-1 only/,
  },
  {
    story: 'a group beyond that of Nodes',
    given: { csr: csrOf({ ...NODE, organizations: ['system:masters'] }) },
    is: /organization/,
  },
  {
    story: 'an alternative name in a client certificate',
    given: { csr: addresses(['mac-1'], []) },
    is: /subjectAltNames/,
  },
  {
    story: 'a usage beyond that of clients',
    given: { request: request({ usages: ['client auth', 'server auth', 'digital signature'] }) },
    is: /usages/,
  },
  { story: 'a request that cannot be read', given: { csr: undefined }, is: /cannot be read/ },
  {
    story: 'R23 a token that was used for another request',
    given: { host: used({ request: 'csr-0' }) },
    is: /used before/,
  },
  { story: 'R23 the same request after a crash', given: { host: used({}) }, is: 'approve' },
  {
    story: 'R23 a token that a request was approved for of which no record tells any more',
    given: { isTokenSpent: true },
    is: /used before/,
  },
  {
    story:
      'R23 a token that was never used, of an operation after which another one brought the Mac its own, which was',
    given: { host: used({ id: 'def456', epoch: 8 }) },
    is: /used before/,
  },
  {
    story: 'R23 a token of a later operation than the one that was used',
    given: { host: used({ id: 'def456', epoch: 6 }) },
    is: 'approve',
  },
  {
    story: 'R23 a token that another Mac of the same machine was given, before it was swapped',
    given: { token: { ...token, host: 'srv-0' } },
    is: /for srv-0, and another Mac/,
  },
  { story: 'R23 more than an hour', given: { request: request({ expirationSeconds: 3_601 }) }, is: /an hour or less/ },
  {
    story: 'R23 no end at all',
    given: { request: { ...request(), spec: { ...request().spec, expirationSeconds: undefined as never } } },
    is: /an hour or less/,
  },
  { story: 'a name that no Mac is claimed under', given: { host: undefined }, is: /no Mac is claimed/ },
  {
    story: 'R15 a name that no Mac is claimed under, while the token is good: its record may be made anew',
    given: { host: undefined, token: { ...token, expiresAtMs: NOW + 60_000 } },
    is: 'wait',
  },
  {
    story: 'a Mac of the namespace that this manager works for',
    given: { namespace: 'ci', token: { ...token, namespace: 'ci' } },
    is: 'approve',
  },
  {
    story: 'a Mac of that namespace with a token of an earlier release',
    given: { namespace: 'ci' },
    is: 'approve',
  },
  {
    story: 'a token for a machine of another namespace',
    given: { namespace: 'web', token: { ...token, namespace: 'ci' }, host: undefined },
    is: 'ignore',
  },
  {
    story: 'a token of another manager that is gone by now',
    given: { namespace: 'web', token: undefined, host: undefined },
    is: 'ignore',
  },
  {
    story: 'a Mac of another namespace that renews',
    given: { namespace: 'web', request: request(RENEWING), token: undefined },
    is: 'ignore',
  },
  {
    story: 'R23 a Mac that was given back, which renews',
    given: {
      request: request(RENEWING),
      token: undefined,
      host: host({ release: { intentID: 'i', reason: 'MachineDeleted' } }),
    },
    is: /was given back/,
  },
  { story: 'a key that another Node has', given: { keyHolders: ['mac-9'] }, is: /that of Node mac-9/ },
  {
    story: 'a serving certificate by token',
    given: {
      request: request({ signerName: SERVING.signerName, usages: SERVING.usages }),
      csr: addresses(['mac-1'], []),
    },
    is: /client certificate only/,
  },
  {
    story: 'a serving certificate for another name',
    given: { request: request(SERVING), token: undefined, csr: addresses(['kubernetes'], [ADDRESS]) },
    is: /kubernetes is not where/,
  },
  {
    story: 'a serving certificate for another address',
    given: { request: request(SERVING), token: undefined, csr: addresses(['mac-1'], ['10.0.0.1']) },
    is: /10.0.0.1 is not where/,
  },
];

describe('whether a Mac gets the certificate it asks for', () => {
  for (const { story, given, is } of ROWS) {
    it(`${typeof is === 'string' ? is : 'deny'}: ${story}`, () => {
      const view = {
        request: request(),
        csr: csrOf(NODE),
        token,
        host: host(),
        nowMs: NOW,
        speaker: undefined,
        addresses: [ADDRESS],
        keyHolders: [],
        isTokenSpent: false,
        ...given,
      };
      const verdict = judgeRequest(view);
      if (typeof is === 'string') assert.equal(verdict.do, is, JSON.stringify(verdict));
      else assert.match(verdict.do === 'deny' ? verdict.why : verdict.do, is);
    });
  }
});
