import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { isKind } from '../base/errors.ts';
import { createSeededRandom, createSystemRandom, type Random } from '../base/random.ts';
import { Secret } from '../base/secret.ts';
import { createKeyPair, isSameKey, parsePrivateKey, parsePublicKey, renderPrivateKey } from './key.ts';

const toSpki = (key: KeyObject): string => key.export({ format: 'pem', type: 'spki' }).toString();

const constantRandom = (byte: number): Random => ({
  ...createSeededRandom(1),
  bytes: (length) => new Uint8Array(length).fill(byte),
});

describe('createKeyPair', () => {
  test('makes a P-256 key by default', () => {
    const { publicKey } = createKeyPair(createSystemRandom());
    assert.equal(publicKey.asymmetricKeyDetails?.namedCurve, 'prime256v1');
  });

  for (const algorithm of ['ec-p256', 'ed25519'] as const) {
    test(`makes the same ${algorithm} key from the same seed and another from another`, () => {
      const make = (seed: number): string => toSpki(createKeyPair(createSeededRandom(seed), algorithm).publicKey);
      assert.equal(make(7), make(7));
      assert.notEqual(make(7), make(8));
    });

    test(`makes ${algorithm} keys that sign`, () => {
      const { publicKey, privateKey } = createKeyPair(createSeededRandom(7), algorithm);
      const digest = algorithm === 'ed25519' ? null : 'sha256';
      const signature = sign(digest, Buffer.from('words'), privateKey.reveal());
      assert.ok(verify(digest, Buffer.from('words'), publicKey, signature));
    });
  }

  for (const byte of [0x00, 0xff]) {
    test(`makes a usable key even when every byte drawn is ${byte}`, () => {
      const { publicKey, privateKey } = createKeyPair(constantRandom(byte));
      assert.ok(verify('sha256', Buffer.alloc(1), publicKey, sign('sha256', Buffer.alloc(1), privateKey.reveal())));
    });
  }
});

describe('a private key', () => {
  test('comes back from its PEM', () => {
    const keyPair = createKeyPair(createSeededRandom(7));
    const again = parsePrivateKey(renderPrivateKey(keyPair));
    assert.ok(again.privateKey.reveal().equals(keyPair.privateKey.reveal()));
    assert.ok(again.publicKey.equals(keyPair.publicKey));
  });

  test('is not shown by anything that prints', () => {
    const keyPair = createKeyPair(createSeededRandom(7));
    const { d = '' } = keyPair.privateKey.reveal().export({ format: 'jwk' });
    const pem = renderPrivateKey(keyPair);
    const printed = [inspect(keyPair), JSON.stringify(keyPair), String(pem), inspect(pem)].join();
    assert.ok(!printed.includes(d) && !printed.includes('PRIVATE KEY'));
  });

  const ec = generateKeyPairSync('ec', { namedCurve: 'P-384' });
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const readable: readonly (readonly [string, KeyObject, 'pkcs8' | 'sec1' | 'pkcs1'])[] = [
    ['an EC key as PKCS#8', ec.privateKey, 'pkcs8'],
    ['an EC key as SEC1', ec.privateKey, 'sec1'],
    ['an RSA key as PKCS#8', rsa.privateKey, 'pkcs8'],
    ['an RSA key as PKCS#1', rsa.privateKey, 'pkcs1'],
  ];
  for (const [story, key, type] of readable) {
    test(`is read from ${story}`, () => {
      const pem = key.export({ format: 'pem', type }).toString();
      assert.ok(parsePrivateKey(new Secret(pem)).publicKey.equals(createPublicKey(key)));
    });
  }

  const pemOf = (key: KeyObject): string => key.export({ format: 'pem', type: 'pkcs8' }).toString();
  const refused: readonly (readonly [string, string])[] = [
    ['an RSA key of 1024 bits', pemOf(generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey)],
    ['a curve of another world', pemOf(generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey)],
    ['a key that cannot sign', pemOf(generateKeyPairSync('x25519').privateKey)],
    ['two keys in one text', pemOf(ec.privateKey) + pemOf(rsa.privateKey)],
    ['no key at all', 'words'],
    ['damaged bytes', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n'],
    [
      'an encrypted key',
      ec.privateKey.export({ format: 'pem', type: 'sec1', cipher: 'aes-128-cbc', passphrase: 'x' }).toString(),
    ],
  ];
  for (const [story, pem] of refused) {
    test(`is refused: ${story}`, () => {
      assert.throws(
        () => parsePrivateKey(new Secret(pem)),
        (error) => isKind(error, 'invalid') && !inspect(error).includes(pem.split('\n')[1] ?? pem),
      );
    });
  }
});

test('isSameKey tells keys apart, and comparing kinds leaves nothing behind', () => {
  const left = createKeyPair(createSeededRandom(1), 'ed25519');
  const right = createKeyPair(createSeededRandom(2), 'ed25519');
  const other = createKeyPair(createSeededRandom(1));
  assert.equal(isSameKey(left.publicKey, parsePrivateKey(renderPrivateKey(left)).publicKey), true);
  assert.equal(isSameKey(left.publicKey, right.publicKey), false);
  assert.equal(isSameKey(left.publicKey, other.publicKey), false);
  assert.ok(parsePrivateKey(renderPrivateKey(other)));
});

test('parsePublicKey refuses an RSA key that is too large to verify with', () => {
  const n = Buffer.alloc(2_048, 0xff).toString('base64url');
  const large = createPublicKey({ key: { kty: 'RSA', n, e: 'AQAB' }, format: 'jwk' });
  assert.throws(
    () => parsePublicKey(large.export({ format: 'der', type: 'spki' })),
    (error) => isKind(error, 'invalid'),
  );
});

test('parsePublicKey refuses what is no key', () => {
  assert.throws(
    () => parsePublicKey(Buffer.from('3000', 'hex')),
    (error) => isKind(error, 'invalid'),
  );
});
