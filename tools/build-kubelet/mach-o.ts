/**
 * Reads the signature of a program for macOS without macOS: where it is, who signed, and whether the program is the one that was
 * signed. Independent of Apple's `codesign` and of whoever packed the file. Pure.
 */
import { FleetError, messageOf } from '../../src/base/errors.ts';
import { APPLE_ROOT, bad, readSigner, sha256 } from './cms.ts';

export interface Signature {
  readonly identifier: string;
  /** Of the developer, as Apple gave it. */
  readonly team: string;
  /** What Apple calls cdhash: it names this very program. */
  readonly directoryHash: string;
  readonly pages: number;
  /** Whom Apple's certificate names. */
  readonly developer: string;
}

const MACH_O_64 = 0xfeedfacf;
const ARM64 = 0x0100000c;
const HEADER_BYTES = 32;
const COMMAND_BYTES_MIN = 8;
const LC_CODE_SIGNATURE = 0x1d;
const SUPER_BLOB = 0xfade0cc0;
const CODE_DIRECTORY = 0xfade0c02;
const CMS_WRAPPER = 0xfade0b01;
const BLOB_HEAD_BYTES = 8;
const DIRECTORY_SLOT = 0;
const CMS_SLOT = 0x10000;
/** The first version that names the team, and the first that can be longer than 4 GB. */
const VERSION_WITH_TEAM = 0x20200;
const VERSION_WITH_LONG_LIMIT = 0x20300;
const SHA_256 = 2;
const HASH_BYTES = 32;
const SHORT_HASH_BYTES = 20;
/** macOS has pages of 4 and of 16 KiB. */
const PAGE_BITS = [12, 14];

/** Throws `invalid` for anything that is not a program for Apple silicon, whole and unchanged, signed by a developer whom the root vouches for. */
export const readSignature = (program: Buffer, root = APPLE_ROOT): Signature => {
  try {
    return readChecked(program, root);
  } catch (thrown) {
    // Offsets that lead out of the file, and certificates that are none.
    throw thrown instanceof FleetError ? thrown : bad(`its signature cannot be read: ${messageOf(thrown)}`);
  }
};

const readChecked = (program: Buffer, root: string): Signature => {
  const { startsAt, blobs } = findBlobs(program);
  const directories = blobs.filter(({ magic }) => magic === CODE_DIRECTORY);
  const [directory] = directories;
  const cms = blobs.find(({ slot, magic }) => slot === CMS_SLOT && magic === CMS_WRAPPER);
  if (directory?.slot !== DIRECTORY_SLOT || cms === undefined) throw bad('it has no signature of a developer');
  if (directories.length > 1) throw bad('it has more signatures than are known here');
  const pages = checkPages(program.subarray(0, startsAt), directory.bytes);
  checkOthers(directory.bytes, blobs);
  const directoryHash = sha256(directory.bytes);
  const { developer, team } = readSigner(cms.bytes.subarray(BLOB_HEAD_BYTES), directoryHash, root);
  if (textAt(directory.bytes, directory.bytes.readUInt32BE(48)) !== team)
    throw bad(`it says that it is of another team than the one that signed it, ${team}`);
  return {
    identifier: textAt(directory.bytes, directory.bytes.readUInt32BE(20)),
    ...{ team, developer, pages },
    directoryHash: directoryHash.toString('hex', 0, SHORT_HASH_BYTES),
  };
};

interface Blob {
  readonly slot: number;
  readonly magic: number;
  readonly bytes: Buffer;
}

interface Signed {
  /** Where the program ends and its signature begins. */
  readonly startsAt: number;
  readonly blobs: readonly Blob[];
}

const findBlobs = (program: Buffer): Signed => {
  if (program.length < HEADER_BYTES || program.readUInt32LE(0) !== MACH_O_64 || program.readUInt32LE(4) !== ARM64)
    throw bad('it is no program for Apple silicon');
  const commands = program.readUInt32LE(16);
  let at = HEADER_BYTES;
  for (let command = 0; command < commands; command += 1) {
    const [is, length] = [program.readUInt32LE(at), program.readUInt32LE(at + 4)];
    if (is === LC_CODE_SIGNATURE) {
      const startsAt = program.readUInt32LE(at + 8);
      if (startsAt + program.readUInt32LE(at + 12) !== program.length)
        throw bad('something follows its signature, or is missing');
      return { startsAt, blobs: splitSuperBlob(program.subarray(startsAt)) };
    }
    if (length < COMMAND_BYTES_MIN) break;
    at += length;
  }
  throw bad('it is not signed');
};

const splitSuperBlob = (blob: Buffer): readonly Blob[] => {
  if (blob.readUInt32BE(0) !== SUPER_BLOB) throw bad('its signature cannot be read');
  return Array.from({ length: blob.readUInt32BE(8) }, (_, index) => {
    const entry = 12 + 8 * index;
    const start = blob.readUInt32BE(entry + 4);
    const bytes = blob.subarray(start, start + blob.readUInt32BE(start + 4));
    return { slot: blob.readUInt32BE(entry), magic: bytes.readUInt32BE(0), bytes };
  });
};

/** How many pages there are, all of which are as they were signed: from the first byte of the program to the last before its signature. */
const checkPages = (code: Buffer, directory: Buffer): number => {
  const [version, hashOffset, pages, limit] = [
    ...[directory.readUInt32BE(8), directory.readUInt32BE(16)],
    ...[directory.readUInt32BE(28), directory.readUInt32BE(32)],
  ] as const;
  const [hashBytes, hashType, pageBits] = [directory.readUInt8(36), directory.readUInt8(37), directory.readUInt8(39)];
  const isPlain = directory.readUInt32BE(44) === 0 && (version < VERSION_WITH_LONG_LIMIT || isZero(directory, 56));
  if (hashType !== SHA_256 || hashBytes !== HASH_BYTES || !PAGE_BITS.includes(pageBits) || !isPlain)
    throw bad('its signature is of a kind that is not known here');
  if (version < VERSION_WITH_TEAM) throw bad('its signature names no team');
  const pageBytes = 2 ** pageBits;
  if (limit !== code.length || pages === 0 || pages !== Math.ceil(limit / pageBytes))
    throw bad('its signature is not for all of it');
  for (let page = 0; page < pages; page += 1) {
    const content = code.subarray(page * pageBytes, (page + 1) * pageBytes);
    if (!sha256(content).equals(hashAt(directory, hashOffset + page * HASH_BYTES)))
      throw bad(`page ${page} of it is not as it was signed`);
  }
  return pages;
};

/** Eight bytes. */
const isZero = (bytes: Buffer, at: number): boolean => bytes.readBigUInt64BE(at) === 0n;

/** What stands beside the pages (what the program may do, what it needs) is hashed in front of them, by its slot. */
const checkOthers = (directory: Buffer, blobs: readonly Blob[]): void => {
  const [hashOffset, slots] = [directory.readUInt32BE(16), directory.readUInt32BE(24)];
  for (const { slot, bytes } of blobs) {
    if (slot === DIRECTORY_SLOT || slot === CMS_SLOT) continue;
    if (slot > slots || !sha256(bytes).equals(hashAt(directory, hashOffset - slot * HASH_BYTES)))
      throw bad(`part ${slot} of its signature is not as it was signed`);
  }
};

const hashAt = (directory: Buffer, at: number): Buffer => {
  if (at < 0 || at + HASH_BYTES > directory.length) throw bad('its signature has too few hashes');
  return directory.subarray(at, at + HASH_BYTES);
};

const textAt = (bytes: Buffer, start: number): string => bytes.toString('latin1', start, bytes.indexOf(0, start));
