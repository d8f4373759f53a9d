import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Attributes, CertificationRequest, CertificationRequestInfo } from '@peculiar/asn1-csr';
import { OctetString } from '@peculiar/asn1-schema';
import {
  Attribute,
  AttributeTypeAndValue,
  AttributeValue,
  BasicConstraints,
  ExtendedKeyUsage,
  Extension,
  Extensions,
  GeneralName,
  GeneralNames,
  id_ce_subjectAltName,
  Name,
  RelativeDistinguishedName,
} from '@peculiar/asn1-x509';
import fc from 'fast-check';
import { isKind } from '../base/errors.ts';
import { createSeededRandom } from '../base/random.ts';
import { createCsr, parseCsr } from './csr.ts';
import { encodeDer } from './der.ts';
import { encodeSubject } from './identity.ts';
import { createKeyPair, encodePublicKey } from './key.ts';
import { parsePem, renderPem } from './pem.ts';
import { createSigner } from './signature.ts';
import { someIdentity, someUsages } from './testing/arbitraries.ts';

const keyPair = createKeyPair(createSeededRandom(1), 'ed25519');
const label = 'CERTIFICATE REQUEST';
const refused = (error: unknown): boolean => isKind(error, 'invalid');

test('a request as kubelet makes it carries user, group and names', () => {
  const identity = {
    commonName: 'system:node:mac-1',
    organizations: ['system:nodes'],
    dnsNames: ['mac-1', 'mac-1.example.com'],
    ipAddresses: ['10.0.0.7', '2001:db8::7'],
  };
  const { publicKey, ...rest } = parseCsr(createCsr({ identity, keyPair: createKeyPair(createSeededRandom(2)) }));
  assert.equal(publicKey.asymmetricKeyType, 'ec');
  assert.deepEqual(rest, {
    ...identity,
    emailAddresses: [],
    uris: [],
    usages: [],
    wantsCa: false,
    extensionIds: [id_ce_subjectAltName],
  });
});

test('what was asked for is what is read', () => {
  fc.assert(
    fc.property(someIdentity, someUsages, (identity, usages) => {
      const csr = parseCsr(createCsr({ identity, keyPair, usages }));
      const { publicKey, wantsCa, extensionIds: _ids, usages: readUsages, ...names } = csr;
      assert.deepEqual(names, identity);
      assert.deepEqual(new Set(readUsages), new Set(usages));
      assert.ok(publicKey.equals(keyPair.publicKey));
      assert.equal(wantsCa, false);
    }),
    { numRuns: 100 },
  );
});

describe('an untrusted request', () => {
  const good = createCsr({ identity: { commonName: 'mac-1', dnsNames: ['mac-1'] }, keyPair });
  const [goodBlock] = parsePem(good, [label]);
  assert.ok(goodBlock !== undefined);
  const goodDer = goodBlock.der;
  const toPem = (der: Buffer): string => renderPem({ label, der });

  test('is accepted untouched, with text around it', () => {
    assert.equal(parseCsr(`a comment\n${toPem(goodDer)}`).commonName, 'mac-1');
  });

  test('is refused when any one byte differs', () => {
    fc.assert(
      fc.property(fc.nat(goodDer.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const bytes = Buffer.from(goodDer);
        bytes.writeUInt8(bytes.readUInt8(at) ^ flip, at);
        assert.throws(() => parseCsr(toPem(bytes)), refused);
      }),
      { numRuns: 400 },
    );
  });

  test('is refused at every length it can be cut to', () => {
    for (let length = 1; length < goodDer.length; length += 1) {
      assert.throws(() => parseCsr(toPem(goodDer.subarray(0, length))), refused);
    }
  });

  test('is refused when it is noise', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 300 }), (noise) => {
        assert.throws(() => parseCsr(toPem(Buffer.from(noise))), refused);
      }),
    );
  });

  const signer = createSigner(keyPair);
  const craft = (changes: Partial<CertificationRequestInfo>, algorithm = signer.algorithm): string => {
    const info = new CertificationRequestInfo({
      subject: encodeSubject({ commonName: 'mac-1' }),
      subjectPKInfo: encodePublicKey(keyPair.publicKey),
      ...changes,
    });
    const request = new CertificationRequest({
      certificationRequestInfo: info,
      signatureAlgorithm: algorithm,
      signature: signer.sign(encodeDer(info)),
    });
    return toPem(encodeDer(request));
  };
  const toAny = (value: object): ArrayBuffer => new Uint8Array(encodeDer(value)).buffer;
  const asking = (...values: readonly object[]): Attribute =>
    new Attribute({ type: '1.2.840.113549.1.9.14', values: values.map(toAny) });
  const extension = (extnID: string, value: object): Extension =>
    new Extension({ extnID, extnValue: new OctetString(encodeDer(value)) });
  const altNames = (...names: readonly GeneralName[]): Extensions =>
    new Extensions([extension(id_ce_subjectAltName, new GeneralNames([...names]))]);
  const commonName = (value: Partial<AttributeValue>): RelativeDistinguishedName =>
    new RelativeDistinguishedName([new AttributeTypeAndValue({ type: '2.5.4.3', value: new AttributeValue(value) })]);
  const dns = altNames(new GeneralName({ dNSName: 'mac-1' }));
  const ecdsa = createSigner(createKeyPair(createSeededRandom(4))).algorithm;
  const noPurpose = new Extensions([extension('2.5.29.37', new ExtendedKeyUsage([]))]);
  const nested = (depth: number): Buffer =>
    Array.from({ length: depth }).reduce<Buffer>(
      (inner) => Buffer.concat([Buffer.from([0x30, 0x82, inner.length >> 8, inner.length & 0xff]), inner]),
      Buffer.alloc(0),
    );

  test('is accepted when crafted without a fault', () => {
    assert.deepEqual(parseCsr(craft({ attributes: new Attributes([asking(dns)]) })).dnsNames, ['mac-1']);
  });

  test('tells that it asks to be an authority', () => {
    const asksForCa = new Extensions([extension('2.5.29.19', new BasicConstraints({ cA: true }))]);
    assert.equal(parseCsr(craft({ attributes: new Attributes([asking(asksForCa)]) })).wantsCa, true);
  });

  const hostile: readonly (readonly [string, string])[] = [
    ['empty text', ''],
    ['a block of another kind', renderPem({ label: 'CERTIFICATE', der: goodDer })],
    ['two requests', good + good],
    ['bytes after the end', toPem(Buffer.concat([goodDer, Buffer.from([0])]))],
    ['an indefinite length', toPem(Buffer.concat([Buffer.from([0x30, 0x80]), goodDer.subarray(3), Buffer.alloc(2)]))],
    ['a length in more bytes than needed', toPem(Buffer.concat([Buffer.from([0x30, 0x82, 0]), goodDer.subarray(2)]))],
    ['a claim of two gigabytes', toPem(Buffer.from([0x30, 0x84, 0x7f, 0xff, 0xff, 0xff, 0]))],
    ['a thousand nested sequences', toPem(nested(1_000))],
    ['a hundred kilobytes', toPem(Buffer.alloc(100_000, 0x30))],
    [
      'two common names',
      craft({ subject: new Name([commonName({ utf8String: 'a' }), commonName({ utf8String: 'b' })]) }),
    ],
    ['a NUL in the common name', craft({ subject: new Name([commonName({ utf8String: 'root\0.example.com' })]) })],
    ['an empty common name', craft({ subject: new Name([commonName({ utf8String: '' })]) })],
    [
      'a common name that is a number',
      craft({ subject: new Name([commonName({ anyValue: toAny(new OctetString([1])) })]) }),
    ],
    ['a signature that claims to be of another kind', craft({}, ecdsa)],
    ['an unknown version', craft({ version: 3 })],
    ['one attribute twice', craft({ attributes: new Attributes([asking(dns), asking(dns)]) })],
    ['two values of one attribute', craft({ attributes: new Attributes([asking(dns, dns)]) })],
    ['extensions that are none', craft({ attributes: new Attributes([asking(new OctetString([1]))]) })],
    ['an extended key usage without any use', craft({ attributes: new Attributes([asking(noPurpose)]) })],
    ['one extension twice', craft({ attributes: new Attributes([asking(new Extensions([...dns, ...dns]))]) })],
    [
      'a name of a kind we do not read',
      craft({ attributes: new Attributes([asking(altNames(new GeneralName({ registeredID: '1.2.3' })))]) }),
    ],
    [
      'an address range as address',
      craft({ attributes: new Attributes([asking(altNames(new GeneralName({ iPAddress: '10.0.0.0/8' })))]) }),
    ],
    [
      'a line break in a DNS name',
      craft({ attributes: new Attributes([asking(altNames(new GeneralName({ dNSName: 'a\nb' })))]) }),
    ],
  ];
  for (const [story, pem] of hostile) {
    test(`is refused: ${story}`, () => {
      assert.throws(() => parseCsr(pem), refused);
    });
  }

  test('is refused when somebody else signed it', () => {
    const other = createKeyPair(createSeededRandom(3), 'ed25519');
    assert.throws(() => parseCsr(craft({ subjectPKInfo: encodePublicKey(other.publicKey) })), refused);
  });
});

describe('createCsr refuses', () => {
  const bad: readonly (readonly [string, Parameters<typeof createCsr>[0]['identity']])[] = [
    ['no name at all', {}],
    ['an empty common name', { commonName: '' }],
    ['a lone surrogate', { commonName: '\ud800' }],
    ['a DNS name with a space', { dnsNames: ['a b'] }],
    ['a DNS name with an empty label', { dnsNames: ['a..b'] }],
    ['an address with a port', { ipAddresses: ['10.0.0.1:80'] }],
    ['an address with leading zeros', { ipAddresses: ['010.0.0.1'] }],
    ['a short address', { ipAddresses: ['10.1'] }],
    ['an address with a zone', { ipAddresses: ['fe80::1%eth0'] }],
    ['an address that breaks out of its brackets', { ipAddresses: ['::1]/x['] }],
  ];
  for (const [story, identity] of bad) {
    test(story, () => {
      assert.throws(() => createCsr({ identity, keyPair }), refused);
    });
  }

  test('nothing about an address that is written unusually, but writes it the usual way', () => {
    const pem = createCsr({ identity: { ipAddresses: ['2001:DB8:0:0:0:0:0:1', '::ffff:10.0.0.1'] }, keyPair });
    assert.deepEqual(parseCsr(pem).ipAddresses, ['2001:db8::1', '::ffff:a00:1']);
  });
});
