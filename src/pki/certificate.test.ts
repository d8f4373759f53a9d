import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { describe, test } from 'node:test';
import { rootCertificates } from 'node:tls';
import fc from 'fast-check';
import { FleetError, isKind } from '../base/errors.ts';
import { createSeededRandom } from '../base/random.ts';
import { createAuthority } from './authority.ts';
import { parseCertificateDer, parseCertificates, renderCertificate } from './certificate.ts';
import { createKeyPair, isSameKey, renderPrivateKey } from './key.ts';

const random = createSeededRandom(1);
const keyPair = createKeyPair(random, 'ed25519');
const { certificate } = createAuthority({
  subject: { commonName: 'test-ca' },
  keyPair,
  random,
  notBeforeMs: Date.UTC(2030, 0, 1),
  notAfterMs: Date.UTC(2060, 0, 1),
});

test('the certificates that come with Node are read as openssl reads them', () => {
  assert.ok(rootCertificates.length > 50);
  for (const pem of rootCertificates) {
    const expected = new X509Certificate(pem);
    const [read] = parseCertificates(pem);
    assert.equal(read.serial.toUpperCase(), expected.serialNumber.padStart(2, '0'));
    assert.equal(read.notBeforeMs, Date.parse(expected.validFrom));
    assert.equal(read.notAfterMs, Date.parse(expected.validTo));
    assert.equal(read.isCa, expected.ca);
    assert.equal(read.fingerprintSha256.toUpperCase(), expected.fingerprint256.replaceAll(':', ''));
    assert.ok(isSameKey(read.publicKey, expected.publicKey));
    assert.deepEqual(read.unknownCritical, []);
    assert.ok(expected.subject.includes(read.commonName ?? ''), expected.subject);
  }
});

describe('parseCertificates', () => {
  test('reads a bundle with comments and a key in it, in order', () => {
    const other = rootCertificates[0] ?? '';
    const bundle = `# ours\n${renderCertificate(certificate)}${renderPrivateKey(keyPair).reveal()}# theirs\n${other}\n`;
    const [first, second, ...more] = parseCertificates(bundle);
    assert.deepEqual(first.der, certificate.der);
    assert.deepEqual(second?.der, new X509Certificate(other).raw);
    assert.equal(more.length, 0);
  });

  test('refuses a text without a certificate', () => {
    assert.throws(
      () => parseCertificates(renderPrivateKey(keyPair).reveal()),
      (error) => isKind(error, 'invalid'),
    );
  });

  test('gives a value or an `invalid` error whatever byte is changed, never anything else', () => {
    fc.assert(
      fc.property(fc.nat(certificate.der.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const bytes = Buffer.from(certificate.der);
        bytes.writeUInt8(bytes.readUInt8(at) ^ flip, at);
        try {
          assert.notEqual(parseCertificateDer(bytes).fingerprintSha256, certificate.fingerprintSha256);
        } catch (error) {
          assert.ok(error instanceof FleetError && error.kind === 'invalid', String(error));
        }
      }),
      { numRuns: 400 },
    );
  });

  test('refuses what openssl refuses: a serial number with a byte too many', () => {
    const bytes = Buffer.from(certificate.der);
    const at = bytes.indexOf(Buffer.from(certificate.serial, 'hex'));
    bytes.writeUInt16BE(0xff80, at);
    assert.throws(() => new X509Certificate(bytes));
    assert.throws(
      () => parseCertificateDer(bytes),
      (error) => isKind(error, 'invalid'),
    );
  });

  test('refuses bytes after the certificate', () => {
    assert.throws(
      () => parseCertificateDer(Buffer.concat([certificate.der, Buffer.from([0])])),
      (error) => isKind(error, 'invalid'),
    );
  });
});
