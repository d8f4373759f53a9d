import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { describe, test } from 'node:test';
import { AlgorithmIdentifier } from '@peculiar/asn1-x509';
import { Secret } from '../base/secret.ts';
import { encodeDer } from './der.ts';
import { parsePrivateKey } from './key.ts';
import { createSigner, isSignedBy } from './signature.ts';

const pem = (key: KeyObject): Secret<string> => new Secret(key.export({ format: 'pem', type: 'pkcs8' }).toString());
const rsa = parsePrivateKey(pem(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey));
const curve = (namedCurve: string) => parsePrivateKey(pem(generateKeyPairSync('ec', { namedCurve }).privateKey));
const data = Buffer.from('words');

describe('createSigner', () => {
  /** The whole AlgorithmIdentifier in DER: RSA alone has NULL parameters (RFC 4055, RFC 5758, RFC 8410). */
  const kinds: readonly (readonly [string, typeof rsa, string])[] = [
    ['P-256 with SHA-256', curve('P-256'), '300a06082a8648ce3d040302'],
    ['P-384 with SHA-384', curve('P-384'), '300a06082a8648ce3d040303'],
    ['P-521 with SHA-512', curve('P-521'), '300a06082a8648ce3d040304'],
    ['RSA with SHA-256', rsa, '300d06092a864886f70d01010b0500'],
    ['Ed25519', parsePrivateKey(pem(generateKeyPairSync('ed25519').privateKey)), '300506032b6570'],
  ];
  for (const [story, keyPair, algorithmDer] of kinds) {
    test(`signs by ${story}, and the signature is that of the data and the key`, () => {
      const signer = createSigner(keyPair);
      const signed = { data, algorithm: signer.algorithm, signature: signer.sign(data) };
      assert.equal(encodeDer(signer.algorithm).toString('hex'), algorithmDer);
      assert.equal(isSignedBy(signed, keyPair.publicKey), true);
      assert.equal(isSignedBy({ ...signed, data: Buffer.from('other') }, keyPair.publicKey), false);
      assert.equal(isSignedBy(signed, curve('P-256').publicKey), false);
    });
  }
});

test('a signature by way of SHA-1 is not accepted although it is right', () => {
  const signature = new Uint8Array(sign('sha1', data, rsa.privateKey.reveal())).buffer;
  const algorithm = new AlgorithmIdentifier({ algorithm: '1.2.840.113549.1.1.5', parameters: null });
  assert.equal(isSignedBy({ data, algorithm, signature }, rsa.publicKey), false);
});
