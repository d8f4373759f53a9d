import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isKind } from '../base/errors.ts';
import { createSeededRandom } from '../base/random.ts';
import { createAuthority, issueCertificate } from './authority.ts';
import { parseCertificateDer } from './certificate.ts';
import { type ChainFault, type ChainRequest, checkChain } from './chain.ts';
import { createKeyPair, type KeyPair } from './key.ts';

const random = createSeededRandom(1);
const startMs = Date.UTC(2030, 0, 1);
const endMs = Date.UTC(2031, 0, 1);
const aKey = (): KeyPair => createKeyPair(random, 'ed25519');
const anAuthority = (keyPair = aKey(), life = { notBeforeMs: startMs, notAfterMs: endMs }) =>
  createAuthority({ subject: { commonName: 'test-ca' }, keyPair, random, ...life });

const caKey = aKey();
const authority = anAuthority(caKey);
const namesake = anAuthority();
const leafKey = aKey();
const leaf = issueCertificate(authority, {
  identity: { commonName: 'mac-1' },
  publicKey: leafKey.publicKey,
  usages: ['digital signature', 'client auth'],
  notBeforeMs: startMs + 1_000,
  notAfterMs: startMs + 3_600_000,
  random,
});
const forAnyUse = issueCertificate(authority, {
  identity: { commonName: 'mac-1' },
  publicKey: leafKey.publicKey,
  usages: [],
  notBeforeMs: startMs,
  notAfterMs: endMs,
  random,
});
/** Signed by a certificate that is no authority, with a key it really has; no key usage forbids it. */
const grandchild = issueCertificate(
  { certificate: forAnyUse, keyPair: leafKey },
  {
    identity: { commonName: 'mac-2' },
    publicKey: aKey().publicKey,
    usages: ['client auth'],
    notBeforeMs: startMs + 1_000,
    notAfterMs: startMs + 3_600_000,
    random,
  },
);
const renewed = anAuthority(caKey, { notBeforeMs: startMs + 7_200_000, notAfterMs: endMs });

const otherName = createAuthority({
  subject: { commonName: 'another-ca' },
  keyPair: caKey,
  random,
  notBeforeMs: startMs,
  notAfterMs: endMs,
});
const forgedDer = Buffer.from(leaf.der);
forgedDer.writeUInt8(forgedDer.readUInt8(forgedDer.length - 1) ^ 1, forgedDer.length - 1);

const good: ChainRequest = {
  certificate: leaf,
  roots: [authority.certificate],
  atMs: startMs + 60_000,
  usage: 'client auth',
};

const trusted: readonly (readonly [string, Partial<ChainRequest>])[] = [
  ['in its time, for its use, by a root that is given', {}],
  ['in its last second', { atMs: leaf.notAfterMs }],
  ['among other roots, one of the same name', { roots: [namesake.certificate, authority.certificate] }],
  ['with the root among the intermediates too', { intermediates: [authority.certificate, authority.certificate] }],
  ['when any use is listed', { certificate: { ...leaf, usages: ['any'] } }],
  ['without listed uses, for any use', { certificate: forAnyUse, usage: 'server auth' }],
];
for (const [story, changes] of trusted) {
  test(`a certificate is trusted ${story}`, () => {
    const request = { ...good, ...changes };
    assert.deepEqual(checkChain(request), { trusted: true, chain: [request.certificate, authority.certificate] });
  });
}

const untrusted: readonly (readonly [string, ChainFault, Partial<ChainRequest>])[] = [
  ['before its time', 'NotYetValid', { atMs: startMs }],
  ['after its time', 'Expired', { atMs: leaf.notAfterMs + 1 }],
  ['for a use it was not made for', 'UsageNotAllowed', { usage: 'server auth' }],
  ['without roots', 'UnknownIssuer', { roots: [] }],
  ['by a root of the same name with another key', 'UnknownIssuer', { roots: [namesake.certificate] }],
  ['by a root of another name with the same key', 'UnknownIssuer', { roots: [otherName.certificate] }],
  ['with a signature that is wrong', 'UnknownIssuer', { certificate: parseCertificateDer(forgedDer) }],
  ['as its own root', 'UnknownIssuer', { roots: [leaf] }],
  ['by a root that is not valid yet', 'NotYetValid', { roots: [renewed.certificate] }],
  ['by a certificate that is no authority', 'NotAnAuthority', { certificate: grandchild, intermediates: [forAnyUse] }],
  ['by a root that is no authority', 'NotAnAuthority', { certificate: grandchild, roots: [forAnyUse] }],
  [
    'with a critical extension that is not understood',
    'UnknownCritical',
    { certificate: { ...leaf, unknownCritical: ['1.2.3'] } },
  ],
];
for (const [story, fault, changes] of untrusted) {
  test(`a certificate is not trusted ${story}`, () => {
    const verdict = checkChain({ ...good, ...changes });
    assert.equal(verdict.trusted ? 'trusted' : verdict.fault, fault);
  });
}

test('no certificate with one byte changed is trusted, and none makes the check fail', () => {
  fc.assert(
    fc.property(fc.nat(leaf.der.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
      const bytes = Buffer.from(leaf.der);
      bytes.writeUInt8(bytes.readUInt8(at) ^ flip, at);
      try {
        assert.equal(checkChain({ ...good, certificate: parseCertificateDer(bytes) }).trusted, false);
      } catch (error) {
        assert.ok(isKind(error, 'invalid'), String(error));
      }
    }),
    { numRuns: 400 },
  );
});
