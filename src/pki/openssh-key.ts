/**
 * Keys in the formats of OpenSSH: an Ed25519 one made from a seed (the generator that ssh2 1.17.0 brings makes files that it
 * cannot read itself, one in about 125), and the public half of one that somebody else made.
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

/** The line of authorized_keys that belongs to a private key; undefined for a text that is no such file, or has a passphrase. */
export const publicHalfOf = (privateKey: Secret<string>): string | undefined => {
  const base64 = ARMOUR.exec(privateKey.reveal())?.[1]?.replaceAll(/\s/g, '');
  const file = base64 === undefined ? undefined : readFields(Buffer.from(base64, 'base64'));
  if (file === undefined) return undefined;
  const { blob, secret } = file;
  const [type] = splitFields(blob, 1) ?? [];
  // Both numbers are the same in a file that is whole, and was not encrypted.
  const isWhole = secret.length > 2 * NUMBER_BYTES && secret.readUInt32BE(0) === secret.readUInt32BE(NUMBER_BYTES);
  return type === undefined || !isWhole ? undefined : `${type.toString()} ${blob.toString('base64')}`;
};

const ARMOUR = /-----BEGIN OPENSSH PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END OPENSSH PRIVATE KEY-----/;
const MAGIC = Buffer.from('openssh-key-v1\0');
const NUMBER_BYTES = 4;

const readFields = (file: Buffer): { readonly blob: Buffer; readonly secret: Buffer } | undefined => {
  if (!file.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  const head = splitFields(file.subarray(MAGIC.length), 3);
  if (head?.[0]?.toString() !== 'none') return undefined;
  const headBytes = head.reduce((sum, { length }) => sum + NUMBER_BYTES + length, MAGIC.length);
  const [blob, secret] = splitFields(file.subarray(headBytes + NUMBER_BYTES), 2) ?? [];
  return blob === undefined || secret === undefined ? undefined : { blob, secret };
};

/** The first fields, each with its length before it; undefined when there are not as many. */
const splitFields = (bytes: Buffer, count: number): readonly Buffer[] | undefined => {
  const fields: Buffer[] = [];
  for (let at = 0; fields.length < count; ) {
    const from = at + NUMBER_BYTES;
    if (from > bytes.length) return undefined;
    at = from + bytes.readUInt32BE(from - NUMBER_BYTES);
    if (at > bytes.length) return undefined;
    fields.push(bytes.subarray(from, at));
  }
  return fields;
};

const publicPointOf = (seed: Buffer): Buffer => {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-SEED_BYTES);
};

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(NUMBER_BYTES);
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
