/** Signatures as X.509 names them. SHA-1 and older are absent on purpose: what is not in the table does not verify. */
import { type KeyObject, sign, verify } from 'node:crypto';
import { AlgorithmIdentifier } from '@peculiar/asn1-x509';
import { assert } from '../base/errors.ts';
import { encodeDer, joinDer } from './der.ts';
import type { KeyPair } from './key.ts';

interface Scheme {
  readonly id: string;
  readonly keyType: 'ec' | 'rsa' | 'ed25519';
  /** Ed25519 hashes by itself. */
  readonly digest: string | null;
  /** The curve we sign on with this digest. */
  readonly curve?: string;
}

/** The first that fits a key is the one we sign with. */
const SCHEMES: readonly Scheme[] = [
  { id: '1.2.840.10045.4.3.2', keyType: 'ec', digest: 'sha256', curve: 'prime256v1' },
  { id: '1.2.840.10045.4.3.3', keyType: 'ec', digest: 'sha384', curve: 'secp384r1' },
  { id: '1.2.840.10045.4.3.4', keyType: 'ec', digest: 'sha512', curve: 'secp521r1' },
  { id: '1.2.840.113549.1.1.11', keyType: 'rsa', digest: 'sha256' },
  { id: '1.2.840.113549.1.1.12', keyType: 'rsa', digest: 'sha384' },
  { id: '1.2.840.113549.1.1.13', keyType: 'rsa', digest: 'sha512' },
  { id: '1.3.101.112', keyType: 'ed25519', digest: null },
];

interface Signer {
  readonly algorithm: AlgorithmIdentifier;
  sign(data: Buffer): ArrayBuffer;
}

export const createSigner = ({ publicKey, privateKey }: KeyPair): Signer => {
  const curve = publicKey.asymmetricKeyDetails?.namedCurve;
  const scheme = SCHEMES.find((each) => each.keyType === publicKey.asymmetricKeyType && each.curve === curve);
  assert(scheme !== undefined, `no signature scheme for a ${publicKey.asymmetricKeyType} key`);
  return {
    algorithm: new AlgorithmIdentifier({
      algorithm: scheme.id,
      ...(scheme.keyType === 'rsa' ? { parameters: null } : {}),
    }),
    sign: (data) => new Uint8Array(sign(scheme.digest, data, privateKey.reveal())).buffer,
  };
};

/** A certificate or a request: what is signed, with what, and the signature (SIGNED of X.509). */
export const signDer = (content: Buffer, { algorithm, sign: signWith }: Signer): Buffer => {
  const signature = new Uint8Array(signWith(content));
  return joinDer('sequence', [content, encodeDer(algorithm), joinDer('bits', [signature])]);
};

interface SignedData {
  readonly data: Buffer;
  readonly algorithm: AlgorithmIdentifier;
  readonly signature: ArrayBuffer;
}

/** False for a wrong signature, an algorithm we do not accept, or a key of another kind. */
export const isSignedBy = ({ data, algorithm, signature }: SignedData, publicKey: KeyObject): boolean => {
  const scheme = SCHEMES.find((each) => each.id === algorithm.algorithm);
  if (scheme === undefined || scheme.keyType !== publicKey.asymmetricKeyType) return false;
  return verify(scheme.digest, data, publicKey, Buffer.from(signature));
};
