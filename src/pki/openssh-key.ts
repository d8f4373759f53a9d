/**
 * An Ed25519 key in the formats of OpenSSH, made from a seed: what simulated hosts show and what tests log in with. The
 * generator that ssh2 1.17.0 brings makes files that it cannot read itself, one in about 125.
 */
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { Secret } from '../base/secret.ts';

export interface OpenSshKey {
  /** The text of a private key file, without a passphrase. */
  readonly privateKey: Secret<string>;
  /** A line as in authorized_keys. */
  readonly publicKey: string;
}

const TYPE = 'ssh-ed25519';
const SEED_BYTES = 32;
/** PKCS #8 of an Ed25519 key, up to its seed. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const BLOCK_BYTES = 8;
const LINE_LENGTH = 70;

/** The same key for the same seed of 32 bytes. */
export const openSshKeyFrom = (seed: Uint8Array): OpenSshKey => {
  const bytes = Buffer.from(seed.subarray(0, SEED_BYTES));
  const point = publicPointOf(bytes);
  const blob = Buffer.concat([field(TYPE), field(point)]);
  const secret = withPadding(
    Buffer.concat([number(0), number(0), blob, field(Buffer.concat([bytes, point])), field('')]),
  );
  const file = Buffer.concat([
    ...[Buffer.from('openssh-key-v1\0'), field('none'), field('none'), field('')],
    ...[number(1), field(blob), field(secret)],
  ]);
  const lines = file.toString('base64').match(new RegExp(`.{1,${LINE_LENGTH}}`, 'g')) ?? [];
  const kind = 'OPENSSH PRIVATE KEY';
  return {
    privateKey: new Secret(`${[`-----BEGIN ${kind}-----`, ...lines, `-----END ${kind}-----`].join('\n')}\n`),
    publicKey: `${TYPE} ${blob.toString('base64')}`,
  };
};

const publicPointOf = (seed: Buffer): Buffer => {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-SEED_BYTES);
};

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

const field = (content: string | Buffer): Buffer => {
  const bytes = Buffer.from(content);
  return Buffer.concat([number(bytes.length), bytes]);
};

/** 1, 2, 3 … to the end of a block. */
const withPadding = (bytes: Buffer): Buffer => {
  const missing = (BLOCK_BYTES - (bytes.length % BLOCK_BYTES)) % BLOCK_BYTES;
  return Buffer.concat([bytes, Buffer.from(Array.from({ length: missing }, (_, index) => index + 1))]);
};
