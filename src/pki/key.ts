/**
 * Key pairs. New keys are drawn from the injected Random, so a simulation makes the same keys twice (with Ed25519 the
 * same signatures too; ECDSA salts each one). Keys of others are read in every form that Kubernetes and openssl write.
 */
import { createECDH, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { AsnConvert } from '@peculiar/asn1-schema';
import { SubjectPublicKeyInfo } from '@peculiar/asn1-x509';
import { FleetError, messageOf, unreachable } from '../base/errors.ts';
import type { Random } from '../base/random.ts';
import { Secret } from '../base/secret.ts';
import { parsePem, renderPem } from './pem.ts';

export type KeyAlgorithm = 'ec-p256' | 'ed25519';

export interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: Secret<KeyObject>;
}

const RSA_BITS_MIN = 2048;
/** Verifying with a larger key costs more than a caller who is not yet known may ask for. */
const RSA_BITS_MAX = 8192;
const CURVES: readonly (string | undefined)[] = ['prime256v1', 'secp384r1', 'secp521r1'];

/** The order of the P-256 group: a private key lies in [1, order). */
const P256_ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** All of a PKCS#8 Ed25519 key but its 32 bytes. */
const ED25519_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

const DER_TYPES = { 'PRIVATE KEY': 'pkcs8', 'EC PRIVATE KEY': 'sec1', 'RSA PRIVATE KEY': 'pkcs1' } as const;

export const createKeyPair = (random: Random, algorithm: KeyAlgorithm = 'ec-p256'): KeyPair => {
  switch (algorithm) {
    case 'ec-p256':
      return toKeyPair(createP256Key(random));
    case 'ed25519':
      return toKeyPair(
        createPrivateKey({ key: Buffer.concat([ED25519_PREFIX, random.bytes(32)]), format: 'der', type: 'pkcs8' }),
      );
    default:
      return unreachable(algorithm);
  }
};

/** 16 bytes more than the order has make the remainder uniform (FIPS 186-5, A.2.1). */
const createP256Key = (random: Random): KeyObject => {
  const drawn = BigInt(`0x${Buffer.from(random.bytes(48)).toString('hex')}`);
  const scalar = Buffer.from(((drawn % (P256_ORDER - 1n)) + 1n).toString(16).padStart(64, '0'), 'hex');
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(scalar);
  const point = ecdh.getPublicKey();
  return createPrivateKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      d: scalar.toString('base64url'),
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
    },
  });
};

const toKeyPair = (privateKey: KeyObject): KeyPair => ({
  publicKey: toSupportedKey(createPublicKey(privateKey)),
  privateKey: new Secret(privateKey),
});

/** Reads the one private key in the text (PKCS#8, SEC1 or PKCS#1), past certificates and curve parameters. */
export const parsePrivateKey = (pem: Secret<string>): KeyPair => {
  const [block, ...more] = parsePem(pem.reveal(), Object.keys(DER_TYPES));
  if (block === undefined || more.length > 0) throw badKey('the text does not hold exactly one private key');
  const type = DER_TYPES[block.label as keyof typeof DER_TYPES];
  try {
    return toKeyPair(createPrivateKey({ key: block.der, format: 'der', type }));
  } catch (error) {
    if (error instanceof FleetError) throw error;
    throw badKey(messageOf(error));
  }
};

/** PKCS#8 PEM. */
export const renderPrivateKey = ({ privateKey }: KeyPair): Secret<string> =>
  new Secret(renderPem({ label: 'PRIVATE KEY', der: privateKey.reveal().export({ format: 'der', type: 'pkcs8' }) }));

/** Reads a SubjectPublicKeyInfo; refuses what is malformed, weak or of a kind nobody here can verify. */
export const parsePublicKey = (spkiDer: Buffer): KeyObject => {
  try {
    return toSupportedKey(createPublicKey({ key: spkiDer, format: 'der', type: 'spki' }));
  } catch (error) {
    if (error instanceof FleetError) throw error;
    throw badKey(messageOf(error));
  }
};

/**
 * Whether two public keys are one. The kinds are compared first: on Node 26 `equals` with another kind leaves an error
 * behind in OpenSSL, and the next private key that is read fails with it.
 */
export const isSameKey = (left: KeyObject, right: KeyObject): boolean =>
  left.asymmetricKeyType === right.asymmetricKeyType && left.equals(right);

/** What OpenSSL itself has written needs no proof that it is DER. */
export const encodePublicKey = (publicKey: KeyObject): SubjectPublicKeyInfo =>
  AsnConvert.parse(publicKey.export({ format: 'der', type: 'spki' }), SubjectPublicKeyInfo);

const toSupportedKey = (publicKey: KeyObject): KeyObject => {
  const { namedCurve, modulusLength = 0 } = publicKey.asymmetricKeyDetails ?? {};
  const type = publicKey.asymmetricKeyType;
  const isSupported =
    type === 'ed25519' ||
    (type === 'ec' && CURVES.includes(namedCurve)) ||
    (type === 'rsa' && modulusLength >= RSA_BITS_MIN && modulusLength <= RSA_BITS_MAX);
  if (!isSupported) throw badKey(`${[type, namedCurve ?? modulusLength].join(' ')} is not a supported kind or size`);
  return publicKey;
};

const badKey = (why: string): FleetError =>
  new FleetError('invalid', {
    code: 'KeyInvalid',
    message: `the key cannot be used: ${why}`,
    hint: `Use an EC key on P-256, P-384 or P-521, an Ed25519 key, or an RSA key of ${RSA_BITS_MIN} to ${RSA_BITS_MAX} bits.`,
  });
