/** A program for Macs, signed as Apple's documentation of code signing lays it out, by an authority of our own in the place of Apple's. */
import { createHash, generateKeyPairSync, type KeyObject, sign, X509Certificate } from 'node:crypto';

const PAGE_BITS = 12;
export const PAGE_BYTES = 2 ** PAGE_BITS;
const DIRECTORY_HEAD_BYTES = 64;

const word = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

const der = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...head), content]);
};
/** Of a length that an end mark tells, as Apple's signer writes it. */
const open = (tag: number, ...parts: readonly Uint8Array[]): Buffer =>
  Buffer.concat([Buffer.of(tag, 0x80), ...parts, Buffer.of(0, 0)]);
const object = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
const text = (value: string): Buffer => der(0x0c, Buffer.from(value));
const NULL = der(0x05);
const RSA_SHA256 = der(0x30, object('2a864886f70d01010b'), NULL);
const SHA256 = der(0x30, object('608648016503040201'), NULL);

const renderName = (commonName: string, team?: string): Buffer =>
  der(
    0x30,
    der(0x31, der(0x30, object('550403'), text(commonName))),
    ...(team === undefined ? [] : [der(0x31, der(0x30, object('55040b'), text(team)))]),
  );

const AUTHORITY = der(
  0x30,
  object('551d13'),
  der(0x01, Buffer.of(0xff)),
  der(0x04, der(0x30, der(0x01, Buffer.of(0xff)))),
);
const FOR_CODE = der(0x30, object('551d25'), der(0x04, der(0x30, object('2b06010505070303'))));
const mark = (hex: string): Buffer => der(0x30, object(hex), der(0x04, NULL));
const DEVELOPER_ID = mark('2a864886f7636406010d');
const DEVELOPER_AUTHORITY = mark('2a864886f76364060206');

const rsa = (): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } =>
  generateKeyPairSync('rsa', { modulusLength: 2048 });
const KEYS = { root: rsa(), authority: rsa(), developer: rsa(), stranger: rsa() };

interface Wanted {
  readonly serial: number;
  readonly subject: Buffer;
  readonly issuer: Buffer;
  readonly keys: typeof KEYS.root;
  readonly issuerKey: KeyObject;
  readonly extensions: readonly Buffer[];
}

const renderCertificate = ({ serial, subject, issuer, keys, issuerKey, extensions }: Wanted): Buffer => {
  const times = ['250101000000Z', '270101000000Z'].map((time) => der(0x17, Buffer.from(time)));
  const body = der(
    0x30,
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(serial)),
    ...[RSA_SHA256, issuer, der(0x30, ...times), subject],
    keys.publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, ...extensions)),
  );
  return der(0x30, body, RSA_SHA256, der(0x03, Buffer.of(0), sign('sha256', body, issuerKey)));
};

export const TEAM = 'ABCDE12345';
export const DEVELOPER = `Developer ID Application: Somebody (${TEAM})`;
const [ROOT_NAME, AUTHORITY_NAME] = [renderName('Root'), renderName('Authority')];

const ROOT = renderCertificate({
  ...{ serial: 1, subject: ROOT_NAME, issuer: ROOT_NAME, keys: KEYS.root, issuerKey: KEYS.root.privateKey },
  extensions: [AUTHORITY],
});

/** What stands in the place of Apple's. */
export const TEST_ROOT = new X509Certificate(ROOT).fingerprint256;

export interface Faults {
  /** What the signature is for; this very program unless given. */
  readonly signedFor?: Buffer;
  /** `YYMMDDhhmmssZ` */
  readonly signedAt?: string;
  /** Of the certificate. */
  readonly team?: string;
  readonly is?:
    | 'signed-by-another-key'
    | 'issued-by-a-stranger'
    | 'not-for-code'
    | 'without-marks'
    | 'authority-without-mark';
  /** Changes the program before it is signed. */
  readonly code?: (code: Buffer) => Buffer;
  /** Changes the directory of hashes before it is signed. */
  readonly directory?: (directory: Buffer) => Buffer;
}

const renderCms = (directory: Buffer, { signedFor, signedAt = '260101000000Z', team = TEAM, is }: Faults): Buffer => {
  const authority = renderCertificate({
    ...{ serial: 2, subject: AUTHORITY_NAME, issuer: ROOT_NAME, keys: KEYS.authority },
    issuerKey: (is === 'issued-by-a-stranger' ? KEYS.stranger : KEYS.root).privateKey,
    extensions: is === 'authority-without-mark' ? [AUTHORITY] : [AUTHORITY, DEVELOPER_AUTHORITY],
  });
  const developer = renderCertificate({
    ...{ serial: 3, subject: renderName(DEVELOPER, team), issuer: AUTHORITY_NAME, keys: KEYS.developer },
    issuerKey: KEYS.authority.privateKey,
    extensions: [...(is === 'not-for-code' ? [] : [FOR_CODE]), ...(is === 'without-marks' ? [] : [DEVELOPER_ID])],
  });
  const attributes = [
    der(0x30, object('2a864886f70d010905'), der(0x31, der(0x17, Buffer.from(signedAt)))),
    der(0x30, object('2a864886f70d010904'), der(0x31, der(0x04, sha256(signedFor ?? directory)))),
  ];
  const key = is === 'signed-by-another-key' ? KEYS.stranger.privateKey : KEYS.developer.privateKey;
  const signer = der(
    0x30,
    der(0x02, Buffer.of(1)),
    der(0x30, AUTHORITY_NAME, der(0x02, Buffer.of(3))),
    ...[SHA256, der(0xa0, ...attributes), RSA_SHA256],
    der(0x04, sign('sha256', der(0x31, ...attributes), key)),
  );
  const content = open(0x30, object('2a864886f70d010701'));
  const data = open(
    ...([0x30, der(0x02, Buffer.of(1)), der(0x31, SHA256), content] as const),
    ...[der(0xa0, authority, ROOT, developer), der(0x31, signer)],
  );
  return open(0x30, object('2a864886f70d010702'), open(0xa0, data));
};

const ENTITLEMENTS = Buffer.concat([word(0xfade7171), word(16), Buffer.from('may jit.')]);
const ENTITLEMENTS_SLOT = 5;

const renderDirectory = (code: Buffer): Buffer => {
  const names = Buffer.from(`agent\0${TEAM}\0`);
  const pages = Array.from({ length: Math.ceil(code.length / PAGE_BYTES) }, (_, page) =>
    sha256(code.subarray(page * PAGE_BYTES, (page + 1) * PAGE_BYTES)),
  );
  const others = [sha256(ENTITLEMENTS), ...Array.from({ length: ENTITLEMENTS_SLOT - 1 }, () => Buffer.alloc(32))];
  const head = Buffer.alloc(DIRECTORY_HEAD_BYTES);
  const hashOffset = DIRECTORY_HEAD_BYTES + names.length + others.length * 32;
  for (const [at, value] of Object.entries({
    ...{ 0: 0xfade0c02, 4: hashOffset + pages.length * 32, 8: 0x20300, 16: hashOffset, 20: DIRECTORY_HEAD_BYTES },
    ...{ 24: others.length, 28: pages.length, 32: code.length, 48: DIRECTORY_HEAD_BYTES + 'agent\0'.length },
  }))
    head.writeUInt32BE(value, Number(at));
  head.set([32, 2, 0, PAGE_BITS], 36);
  return Buffer.concat([head, names, ...others, ...pages]);
};

const LENGTH_FIELD = 60;

export const renderProgram = (faults: Faults = {}): Buffer => {
  const plain = Buffer.alloc(3 * PAGE_BYTES + 100, 7);
  for (const [at, value] of Object.entries({
    ...{ 0: 0xfeedfacf, 4: 0x0100000c, 16: 2, 32: 0x19, 36: 16, 48: 0x1d, 52: 16, 56: plain.length, 60: 10_000 },
  }))
    plain.writeUInt32LE(value, Number(at));
  const code = faults.code?.(plain) ?? plain;
  // Twice: the program says how long its signature is, and is signed with that.
  const lengthOf = signBlob(code, faults).length;
  code.writeUInt32LE(lengthOf, LENGTH_FIELD);
  return Buffer.concat([code, signBlob(code, faults)]);
};

const signBlob = (code: Buffer, faults: Faults): Buffer => {
  const plain = renderDirectory(code);
  const directory = faults.directory?.(plain) ?? plain;
  const proof = renderCms(directory, faults);
  const cms = Buffer.concat([word(0xfade0b01), word(8 + proof.length), proof]);
  const blobs = [
    ...[
      { slot: 0, bytes: directory },
      { slot: ENTITLEMENTS_SLOT, bytes: ENTITLEMENTS },
      { slot: 0x10000, bytes: cms },
    ],
  ];
  let start = 12 + blobs.length * 8;
  const index = blobs.map(({ slot, bytes }) => {
    start += bytes.length;
    return Buffer.concat([word(slot), word(start - bytes.length)]);
  });
  const all = blobs.map(({ bytes }) => bytes);
  return Buffer.concat([word(0xfade0cc0), word(start), word(blobs.length), ...index, ...all]);
};
