import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { FleetError, isKind } from '../base/errors.ts';
import { createSeededRandom, type Random } from '../base/random.ts';
import { createAuthority, type IssueRequest, issueCertificate, parseAuthority } from './authority.ts';
import { parseCertificates, renderCertificate } from './certificate.ts';
import { createCsr, parseCsr } from './csr.ts';
import { createKeyPair, renderPrivateKey } from './key.ts';
import { someIdentity, someUsages } from './testing/arbitraries.ts';

const random = createSeededRandom(1);
const keyPair = createKeyPair(random, 'ed25519');
const startMs = Date.UTC(2030, 0, 1);
const endMs = Date.UTC(2060, 0, 1);
const authority = createAuthority({
  subject: { commonName: 'test-ca', organizations: ['macfleet'] },
  keyPair,
  random,
  notBeforeMs: startMs,
  notAfterMs: endMs,
});
const nodeKey = createKeyPair(random);
const request: IssueRequest = {
  identity: { commonName: 'system:node:mac-1', organizations: ['system:nodes'] },
  publicKey: nodeKey.publicKey,
  usages: ['digital signature', 'client auth'],
  notBeforeMs: startMs + 1_000,
  notAfterMs: startMs + 3_601_000,
  random,
};

describe('an authority', () => {
  test('is a self-signed CA with a key identifier', () => {
    const { certificate } = authority;
    assert.equal(certificate.isCa, true);
    assert.deepEqual(certificate.usages, ['digital signature', 'key encipherment', 'cert sign']);
    assert.deepEqual(certificate.issuer, { commonName: 'test-ca', organizations: ['macfleet'] });
    assert.ok(new X509Certificate(certificate.der).verify(keyPair.publicKey));
  });

  test('comes back from PEM', () => {
    const again = parseAuthority(renderCertificate(authority.certificate), renderPrivateKey(keyPair));
    assert.deepEqual(again.certificate.der, authority.certificate.der);
  });

  const leaf = issueCertificate(authority, request);
  const broken: readonly (readonly [string, string, typeof keyPair])[] = [
    [
      'the key of another, of the same kind',
      renderCertificate(authority.certificate),
      createKeyPair(random, 'ed25519'),
    ],
    ['a key of another kind', renderCertificate(authority.certificate), nodeKey],
    ['a certificate that is no CA', renderCertificate(leaf), nodeKey],
  ];
  for (const [story, pem, key] of broken) {
    test(`is refused: ${story}`, () => {
      assert.throws(
        () => parseAuthority(pem, renderPrivateKey(key)),
        (error) => isKind(error, 'invalid'),
      );
    });
  }
});

describe('issueCertificate', () => {
  test('makes what was asked for', () => {
    fc.assert(
      fc.property(
        someIdentity,
        someUsages,
        fc.record({ afterS: fc.nat(9 * 10 ** 8), lifeS: fc.integer({ min: 1, max: 4 * 10 ** 7 }) }),
        (identity, usages, { afterS, lifeS }) => {
          const notBeforeMs = startMs + afterS * 1_000;
          const notAfterMs = notBeforeMs + lifeS * 1_000;
          const made = issueCertificate(authority, { ...request, identity, usages, notBeforeMs, notAfterMs });
          const [read] = parseCertificates(renderCertificate(made));
          const { dnsNames, ipAddresses, emailAddresses, uris, organizations } = read;
          const names = { dnsNames, ipAddresses, emailAddresses, uris, organizations };
          assert.deepEqual(read.commonName === undefined ? names : { ...names, commonName: read.commonName }, identity);
          assert.deepEqual(new Set(read.usages), new Set(usages));
          assert.deepEqual([read.notBeforeMs, read.notAfterMs], [notBeforeMs, Math.min(notAfterMs, endMs)]);
          assert.ok(read.publicKey.equals(nodeKey.publicKey));
          assert.equal(read.isCa, false);
        },
      ),
      { numRuns: 100 },
    );
  });

  test('takes a request as it was parsed', () => {
    const csr = parseCsr(createCsr({ identity: { commonName: 'mac-1', dnsNames: ['mac-1'] }, keyPair: nodeKey }));
    const certificate = issueCertificate(authority, { ...request, identity: csr, publicKey: csr.publicKey });
    assert.equal(certificate.commonName, 'mac-1');
    assert.deepEqual(certificate.dnsNames, ['mac-1']);
  });

  test('never lets a certificate outlive its authority or begin before it', () => {
    const certificate = issueCertificate(authority, { ...request, notBeforeMs: 0, notAfterMs: endMs + 86_400_000 });
    assert.deepEqual([certificate.notBeforeMs, certificate.notAfterMs], [startMs, endMs]);
  });

  test('says that the authority expired when nothing of the life is left', () => {
    assert.throws(
      () => issueCertificate(authority, { ...request, notBeforeMs: endMs + 1_000, notAfterMs: endMs + 2_000 }),
      (error) => error instanceof FleetError && error.kind === 'unavailable' && error.code === 'AuthorityExpired',
    );
  });

  const impossible: readonly (readonly [string, Partial<IssueRequest>])[] = [
    ['an end before the beginning', { notBeforeMs: startMs + 2_000, notAfterMs: startMs + 1_000 }],
    ['a life of no second', { notBeforeMs: startMs + 2_000, notAfterMs: startMs + 2_500 }],
    ['a time that is no number', { notAfterMs: Number.NaN }],
    ['no name at all', { identity: {} }],
  ];
  for (const [story, changes] of impossible) {
    test(`refuses ${story}`, () => {
      assert.throws(
        () => issueCertificate(authority, { ...request, ...changes }),
        (error) => isKind(error, 'invalid'),
      );
    });
  }

  test('writes times after 2049 as such', () => {
    const late = { notBeforeMs: Date.UTC(2049, 11, 31, 23, 59, 59), notAfterMs: Date.UTC(2050, 0, 1, 0, 0, 1) };
    const certificate = issueCertificate(authority, { ...request, ...late });
    assert.equal(Date.parse(new X509Certificate(certificate.der).validTo), late.notAfterMs);
  });

  test('gives the same bytes for the same seed with an Ed25519 authority', () => {
    const make = (): Buffer => issueCertificate(authority, { ...request, random: createSeededRandom(5) }).der;
    assert.deepEqual(make(), make());
  });

  for (const byte of [0x00, 0xff]) {
    test(`makes a positive serial of 128 bits when every byte drawn is ${byte}`, () => {
      const constant: Random = { ...random, bytes: (length) => new Uint8Array(length).fill(byte) };
      const { serial, der } = issueCertificate(authority, { ...request, random: constant });
      assert.equal(serial.length, 32);
      assert.ok(Number.parseInt(serial.slice(0, 2), 16) < 0x80);
      assert.equal(new X509Certificate(der).serialNumber, serial.toUpperCase());
    });
  }

  test('marks the alternative names critical when there is no subject', () => {
    const { der } = issueCertificate(authority, { ...request, identity: { dnsNames: ['mac-1'] } });
    assert.ok(der.includes(Buffer.from('0603551d110101ff', 'hex')));
  });
});
