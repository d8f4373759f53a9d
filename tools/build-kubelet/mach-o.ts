/**
 * Reads the signature of a program for macOS without macOS: where it is, who signed, and whether the program's pages are those that were
 * signed. Independent of Apple's `codesign` and of whoever packed the file. Pure.
 */
import { createHash } from 'node:crypto';
import { FleetError } from '../../src/base/errors.ts';

export interface Signature {
  readonly identifier: string;
  /** Of the developer, as Apple gave it. */
  readonly team: string;
  /** What Apple calls cdhash: it names this very program. */
  readonly directoryHash: string;
  readonly pages: number;
  /** Whose certificates came along. */
  readonly developers: readonly string[];
}

const MACH_O_64 = 0xfeedfacf;
const ARM64 = 0x0100000c;
const HEADER_BYTES = 32;
const LC_CODE_SIGNATURE = 0x1d;
const SUPER_BLOB = 0xfade0cc0;
const CODE_DIRECTORY = 0xfade0c02;
const CMS_SLOT = 0x10000;
const SHA_256 = 2;
const HASH_BYTES = 32;
const SHORT_HASH_BYTES = 20;
const DEVELOPER = /Developer ID Application: [^()]+ \([A-Z0-9]{10}\)/g;

/** Throws `invalid` for anything that is not a signed program for Apple silicon, whole and unchanged. */
export const readSignature = (program: Buffer): Signature => {
  const blobs = findBlobs(program);
  const directory = blobs.find(({ bytes }) => bytes.readUInt32BE(0) === CODE_DIRECTORY)?.bytes;
  const cms = blobs.find(({ slot }) => slot === CMS_SLOT)?.bytes;
  if (directory === undefined || cms === undefined) throw bad('it has no signature of a developer');
  const pages = checkPages(program, directory);
  const directoryHash = createHash('sha256').update(directory).digest();
  // The signed part of the signature names the directory, so that no other can be put in its place.
  if (!cms.includes(directoryHash)) throw bad('its signature is for another program');
  return {
    identifier: textAt(directory, directory.readUInt32BE(20)),
    team: textAt(directory, directory.readUInt32BE(48)),
    directoryHash: directoryHash.toString('hex', 0, SHORT_HASH_BYTES),
    pages,
    developers: [...new Set(cms.toString('latin1').match(DEVELOPER) ?? [])],
  };
};

interface Blob {
  readonly slot: number;
  readonly bytes: Buffer;
}

const findBlobs = (program: Buffer): readonly Blob[] => {
  if (program.length < HEADER_BYTES || program.readUInt32LE(0) !== MACH_O_64 || program.readUInt32LE(4) !== ARM64)
    throw bad('it is no program for Apple silicon');
  const commands = program.readUInt32LE(16);
  let at = HEADER_BYTES;
  for (let command = 0; command < commands; command += 1) {
    if (program.readUInt32LE(at) === LC_CODE_SIGNATURE) {
      const start = program.readUInt32LE(at + 8);
      return splitSuperBlob(program.subarray(start, start + program.readUInt32LE(at + 12)));
    }
    at += program.readUInt32LE(at + 4);
  }
  throw bad('it is not signed');
};

const splitSuperBlob = (blob: Buffer): readonly Blob[] => {
  if (blob.length < 12 || blob.readUInt32BE(0) !== SUPER_BLOB) throw bad('its signature cannot be read');
  return Array.from({ length: blob.readUInt32BE(8) }, (_, index) => {
    const entry = 12 + 8 * index;
    const start = blob.readUInt32BE(entry + 4);
    return { slot: blob.readUInt32BE(entry), bytes: blob.subarray(start, start + blob.readUInt32BE(start + 4)) };
  });
};

/** How many pages there are, all of which are as they were signed. */
const checkPages = (program: Buffer, directory: Buffer): number => {
  const [hashOffset, pages, limit] = [16, 28, 32].map((field) => directory.readUInt32BE(field));
  const [hashBytes, hashType, pageBits] = [directory[36], directory[37], directory[39]];
  if (hashType !== SHA_256 || hashBytes !== HASH_BYTES) throw bad('its signature is of a kind that is not known here');
  const pageBytes = 2 ** (pageBits ?? 0);
  for (let page = 0; page < (pages ?? 0); page += 1) {
    const content = program.subarray(page * pageBytes, Math.min((page + 1) * pageBytes, limit ?? 0));
    const start = (hashOffset ?? 0) + page * HASH_BYTES;
    if (
      !createHash('sha256')
        .update(content)
        .digest()
        .equals(directory.subarray(start, start + HASH_BYTES))
    )
      throw bad(`page ${page} of it is not as it was signed`);
  }
  return pages ?? 0;
};

const textAt = (bytes: Buffer, start: number): string => bytes.toString('latin1', start, bytes.indexOf(0, start));

const bad = (why: string): FleetError =>
  new FleetError('invalid', {
    code: 'BadMacProgram',
    message: `the runtime for Macs is not as its makers signed it: ${why}`,
    hint: 'Remove what was downloaded and try again; if it stays, do not roll it out.',
  });
